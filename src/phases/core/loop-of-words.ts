/**
 * A loop made from a description (SPEC section 11): the steps that a person wrote become phases, each with a skill of its
 * own, and what is said to be approved or run becomes a gate. Pure.
 *
 * LOOP-OF-WORDS-1 what a person is to approve stays a human gate: no step that asks for it becomes work;
 * LOOP-OF-WORDS-2 names are made of the person's words, and are unique.
 */
import { gatesAfter, type LoopDefinition } from "./definition.ts";
import type { WantedGate, WantedLoop, WantedPhase } from "./wanted-loop.ts";

/** A loop that is to be made, and what its skills do. */
export interface Composed {
  readonly loop: WantedLoop;
  /** By skill. */
  readonly skills: ReadonlyMap<string, string>;
}

const APPROVES =
  /\b(?:approv|sign(?:s|ed)?[ -]?off|go-ahead|my (?:ok|okay)|ask me|(?:i|human|person) (?:review|check|confirm|decide)s?)/i;
const COMMAND = /`([^`]+)`/g;
const CHECKS = /\b(?:pass(?:es)?|green|succeeds?|exits? 0|checks?)\b/i;
const STEPS = /\s*(?:\r?\n|;|->|→|,?\s+(?:and )?then\s+|,\s*(?:and\s+)?)\s*/;
const LEADING = /^(?:\d+[.)]|[-*]|and|then|first|finally|last(?:ly)?)\s+/i;

/** Its steps: what is between commas, semicolons, arrows, "then" and ends of lines; of "topic: steps" what is behind the colon. */
function stepsOf(description: string): readonly string[] {
  const [, steps] = /^[^:\n`]{1,80}:\s+([^]+)$/.exec(description.trim()) ?? [];
  return (steps ?? description)
    .split(STEPS)
    .map((step) => step.trim().replace(LEADING, "").replace(/\.$/, "").trim())
    .filter((step) => step !== "");
}

/** @param given what the person said beside it. Null: there is no step in it */
export function composeLoop(
  description: string,
  given: Pick<WantedLoop, "mode"> & Partial<WantedLoop>,
): Composed | null {
  const phases: WantedPhase[] = [];
  const gates: WantedGate[] = [];
  const skills = new Map<string, string>();
  const names = new Set<string>();
  for (const step of stepsOf(description)) {
    const after = phases.at(-1);
    const commands = [...step.matchAll(COMMAND)].map(([, command = ""]) => command.trim());
    const approves = APPROVES.test(step);
    if (after !== undefined && (approves || (commands.length > 0 && CHECKS.test(step)))) {
      const id = free(`${slug(after.name)}-gate`, names);
      gates.push({
        id,
        required: true,
        approval: approves ? "human" : "auto",
        after: after.name,
        deliverables: [],
        checks: approves ? [] : commands,
      });
      continue;
    }
    const skill = free(slug(step), names);
    skills.set(skill, step);
    phases.push({ name: skill.toUpperCase(), required: true, skills: [skill] });
  }
  if (phases.length === 0) return null;
  const [, topic = description] = /^([^:\n`]{1,80}):\s/.exec(description.trim()) ?? [];
  const id = given.id ?? slug(topic);
  return { loop: { name: topic.split("\n")[0]?.trim() ?? id, ...given, id, phases, gates }, skills };
}

export interface FoundSkill {
  readonly id: string;
  readonly description: string;
  /** The phase that its file names. */
  readonly phase?: string;
}

/** Skills become phases: those of one `phase` together, the others one each. Null: there are none. */
export function loopOfSkills(
  found: readonly FoundSkill[],
  given: Pick<WantedLoop, "id" | "mode"> & Partial<WantedLoop>,
): Composed | null {
  const phases = new Map<string, string[]>();
  for (const { id, phase = id.toUpperCase() } of found) phases.set(phase, [...(phases.get(phase) ?? []), id]);
  if (phases.size === 0) return null;
  return {
    loop: {
      gates: [],
      ...given,
      phases: [...phases].map(([name, skills]) => ({ name, required: true, skills })),
    },
    skills: new Map(found.map(({ id, description }) => [id, description])),
  };
}

const MOST_WORDS = 4;

/** A name that files and commands can have. */
export function slug(words: string): string {
  const parts = words
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim()
    .split(" ")
    .filter((word) => !/^(?:a|an|the|of|to|for|with|and|that|is|are|it)$/.test(word));
  return parts.slice(0, MOST_WORDS).join("-") || "loop";
}

function free(name: string, taken: Set<string>): string {
  let found = name;
  for (let number = 2; taken.has(found); number++) found = `${name}-${number}`;
  taken.add(found);
  return found;
}

/** The page that tells people what the loop does. @param file its definition's @param skills what they do, by id */
export function loopPage(definition: LoopDefinition, file: string, skills: ReadonlyMap<string, string>): string {
  const lines = definition.phases.flatMap((phase) => [
    `## ${phase.name}${phase.required ? "" : " (optional)"}`,
    "",
    ...phase.skills.map(({ id }) => `- \`${id}\`${skills.has(id) ? `: ${skills.get(id)}` : ""}`),
    ...phase.deliverables.map((deliverable) => `- leaves behind \`${deliverable}\``),
    ...gatesAfter(definition, phase.name).map(({ id, approval, deliverables, checks }) => {
      const wants = [...deliverables, ...checks.map((check) => `\`${"value" in check ? check.value : check.type}\``)];
      return `- gate \`${id}\` (${approval})${wants.length === 0 ? "" : `: ${wants.join(", ")}`}`;
    }),
    "",
  ]);
  const run = ["## Run it", "", "```sh", `aot phases init ${file} --task "..."`, "aot phases run", "```", ""];
  return [`# ${definition.name ?? definition.id}`, "", ...lines, ...run].join("\n");
}

/** The command of a client that begins the loop and goes on with it. @param file its definition's */
export function loopCommand({ id, name = id }: LoopDefinition, file: string): string {
  return `---
description: ${JSON.stringify(`Work the loop ${name}`)}
argument-hint: "[what it is about]"
---

Work the phase loop \`${id}\`. What it is about: $ARGUMENTS

1. If \`aot phases status --loop ${id}\` knows no loop: \`aot phases init ${file} --task "..."\` with what it is about.
2. \`aot phases run --loop ${id} --detach\`, then \`aot phases status --loop ${id}\` until a gate waits or the loop is complete.
3. A gate that waits is the user's: show what it is about, ask, and pass the answer on as it was given
   (\`aot phases approve GATE\`, or \`aot phases reject GATE --reason "..."\`). Never answer it yourself. Then go on with 2.
`;
}

/** A skill that nobody described yet. */
export function skillStub(skill: string, words: string): string {
  return `---
name: ${skill}
description: ${JSON.stringify(words)}
---

# ${words}

State what has to be done, what it leaves behind, and how to see that it is right.
`;
}
