/** A phase loop drafted by an agent from a description: its answer is a `loop.json`, read as a person's would be. */
import { createAgent, firstInstalled } from "../adapters/agents/find.ts";
import type { Problem, Result } from "../core/problem.ts";
import type { Reading } from "../core/reading.ts";
import { askForDraft } from "../align/draft-alignment.ts";
import type { LoopDefinition } from "./core/definition.ts";
import { loopJsonSchema } from "./core/json-schema.ts";
import { readDefinition } from "./core/read-definition.ts";

export interface DraftedLoop {
  /** As JSON. */
  readonly text: string;
  readonly definition: LoopDefinition;
  /** What a skill does, where the draft says it. */
  readonly skills: ReadonlyMap<string, string>;
  readonly warnings: readonly Problem[];
}

/** @param agentName absent: the first that is installed. @param known skills that are described already. @param dir the project */
export async function draftLoop(
  description: string,
  { agentName, known, dir }: { readonly agentName?: string; readonly known: readonly string[]; readonly dir: string },
  signal: AbortSignal,
): Promise<Result<DraftedLoop>> {
  const found = agentName === undefined ? await firstInstalled() : createAgent(agentName);
  if (!found.ok) return found;
  try {
    const prompt = promptOf(description, known);
    const request = { prompt, schema: loopJsonSchema(), cwd: dir, otherwise: "leave it out" };
    return await askForDraft(found.value, request, readDraft, signal);
  } finally {
    await found.value.close();
  }
}

const MOST_SKILLS_SHOWN = 60;

function promptOf(description: string, known: readonly string[]): string {
  const there = known.slice(0, MOST_SKILLS_SHOWN).join(", ");
  return `You are a planner. Draft a loop of phases and gates for what a person describes below.

<description>
${description}
</description>
${there === "" ? "" : `\nSkills that are there already, to be used by name where they fit: ${there}\n`}
- Read only: change no file. Look at the project first: its language, its tests, its commands.
- Phases are worked in their order, one after the other: as few as will do, at most 8. Each has a name in capitals and the skills
  that are worked in it, as {"skillId": "kebab-case", "description": "what has to be done", "required": true}.
- A phase's "deliverables" are files that it leaves behind, with paths relative to the project.
- A gate stands after a phase ("afterPhase": its name). Whatever the description leaves to a person is a gate with "approvalType":
  "human"; what a command can decide is "auto" with "checks": ["the command"]. Commands are non-interactive.
- Nothing of the description is left out, and nothing is added that it does not ask for.

Answer with the definition as one JSON object: "id" (kebab-case), "name", "version": "1.0.0", "phases", "gates", "defaults":
{"mode": "greenfield"}.`;
}

function readDraft(answer: unknown): Reading<DraftedLoop> {
  const text = `${JSON.stringify(answer, null, 2)}\n`;
  const read = readDefinition(text);
  if (!read.ok)
    return { ok: false, problem: read.problems.map(({ message, hint }) => `${message} (${hint ?? ""})`).join("; ") };
  return { ok: true, value: { text, definition: read.definition, skills: skillsIn(answer), warnings: read.warnings } };
}

/** Every `{skillId, description}` in it, wherever it is. */
function skillsIn(answer: unknown): ReadonlyMap<string, string> {
  const skills = new Map<string, string>();
  JSON.stringify(answer, (_, value: unknown) => {
    if (typeof value === "object" && value !== null && "skillId" in value && "description" in value) {
      const { skillId, description } = value;
      if (typeof skillId === "string" && typeof description === "string") skills.set(skillId, description);
    }
    return value;
  });
  return skills;
}
