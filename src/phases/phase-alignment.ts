/**
 * A phase as an AoT loop (SPEC section 11): its skills are the atoms, in their order, its deliverables the base case. A
 * phase that is an AoT loop by itself brings its own goal, base case and atoms; its deliverables have to be there as well.
 */
import { accepted, type Result } from "../core/problem.ts";
import type { BaseCase, ChecklistItem, State } from "../core/state.ts";
import { checklistOf } from "../core/verdict.ts";
import { deliverablesOf, type LoopDefinition, type Phase } from "./core/definition.ts";
import { alignedState, type Alignment, type WantedAtom } from "../align/alignment.ts";
import { readAlignment } from "../align/alignment-file.ts";
import type { SkillText } from "./phase-skills.ts";

/** Longer texts are read by the agent itself: a prompt shows no more of an atom than 3,000 characters. */
const MOST_INLINE = 2_200;
/** One iteration for each skill, and these for what goes wrong. */
const SPARE_ITERATIONS = 15;

export interface PhaseBrief {
  readonly definition: LoopDefinition;
  readonly phase: Phase;
  /** What this loop is about, in a person's words; empty: nobody said. */
  readonly task: string;
  /** How the work is done, such as `greenfield`; empty: nobody said. */
  readonly mode: string;
  readonly skills: readonly SkillText[];
  /** 1, and more where the phase is worked once more: its atoms have names of their own each time. */
  readonly round: number;
}

/** Null: there is nothing to work. Refused for an `aot` that does not fit the schema of an alignment. */
function phaseAlignment(brief: PhaseBrief): Result<Alignment | null> {
  const { definition, phase } = brief;
  const { results } = phase;
  const files = deliverablesOf(definition, phase);
  if (phase.aot !== undefined) return ownLoop(brief, phase.aot, files);
  const atoms = atomsOf(brief, [...files, ...results]);
  if (atoms.length === 0) return accepted(null);
  return accepted({
    goal: goalOf(brief),
    base_case: { checklist: files.length === 0 ? [ALWAYS] : files.map(fileItem) },
    background_intent: backgroundOf(brief),
    deliverables: [...files, ...results].join(", ") || "None are named: what the skills say.",
    definition_of_done: `Every skill of the phase ${phase.name} was worked${files.length === 0 ? "" : `, and these files are there: ${files.join(", ")}`}${results.length === 0 ? "" : `; it came to: ${results.join(", ")}`}.`,
    // Skills wait for each other.
    constraints: { max_iterations: atoms.length + SPARE_ITERATIONS, max_parallel_agents: 1 },
    atoms,
  });
}

/** The state of that loop before it begins; null: there is nothing to work. */
export function phaseState(brief: PhaseBrief): Result<State | null> {
  const alignment = phaseAlignment(brief);
  if (!alignment.ok || alignment.value === null) return alignment.ok ? accepted(null) : alignment;
  return alignedState(alignment.value, null);
}

function ownLoop(brief: PhaseBrief, text: string, files: readonly string[]): Result<Alignment> {
  const read = readAlignment(text);
  if (!read.ok) return { ok: false, problems: read.problems.map(({ at: _, ...problem }) => problem) };
  const { base_case, ...rest } = read.value;
  const atoms = (rest.atoms ?? []).length === 0 ? skillAtoms(brief) : (rest.atoms ?? []);
  const whole = base_case === undefined ? {} : { base_case: withFiles(base_case, files) };
  return accepted({ ...rest, ...whole, ...(atoms.length === 0 ? {} : { atoms }) });
}

function withFiles(baseCase: BaseCase, files: readonly string[]): BaseCase {
  return files.length === 0 ? baseCase : { checklist: [...checklistOf(baseCase), ...files.map(fileItem)] };
}

/** A base case is never empty; the skills are worked before it is asked. */
const ALWAYS: ChecklistItem = {
  item: "the project is there",
  check: { type: "file", value: ".", baseline: "pass" },
};

function fileItem(file: string): ChecklistItem {
  return { item: `${file} is there`, check: { type: "file", value: file } };
}

function atomsOf(brief: PhaseBrief, files: readonly string[]): readonly WantedAtom[] {
  const atoms = skillAtoms(brief);
  if (atoms.length > 0 || files.length === 0) return atoms;
  return [
    { id: `deliverables${again(brief)}`, description: `Make what the phase has to leave behind: ${files.join(", ")}.` },
  ];
}

/** In a row: each skill builds on the one before. */
function skillAtoms(brief: PhaseBrief): readonly WantedAtom[] {
  const { phase, skills } = brief;
  const taken = new Set<string>();
  const ids = skills.map(({ id }) => `${freeId(id, taken)}${again(brief)}`);
  return skills.map((skill, index) => {
    const before = ids[index - 1];
    return {
      id: ids[index] ?? skill.id,
      description: descriptionOf(phase, skill),
      ...(before === undefined ? {} : { depends_on: [before] }),
    };
  });
}

function again({ round }: PhaseBrief): string {
  return round === 1 ? "" : `.${round}`;
}

function freeId(skill: string, taken: Set<string>): string {
  const word = skill.replaceAll(/[^A-Za-z0-9_.-]+/g, "-").replaceAll(/^[^A-Za-z0-9_]+|-+$/g, "");
  const base = word === "" ? "skill" : word;
  let id = base;
  for (let number = 2; taken.has(id); number++) id = `${base}-${number}`;
  taken.add(id);
  return id;
}

function descriptionOf(phase: Phase, { id, required, path, text }: SkillText): string {
  const parts = [`Work the skill ${JSON.stringify(id)} in the phase ${phase.name}.`];
  if (phase.notes !== undefined) parts.push(`About the phase: ${phase.notes}`);
  if (!required)
    parts.push("The skill is optional: if it does not apply here, change nothing, say why, and call it a success.");
  if (path === null)
    parts.push("No file describes it: use your own skill of that name if you have one, else its name says what to do.");
  else if (text.length > MOST_INLINE) parts.push(`It is described in ${path}: read that file first, all of it.`);
  else parts.push(`It is described in ${path}:`, text);
  return parts.join("\n");
}

function goalOf({ definition, phase, task }: PhaseBrief): string {
  const at = definition.phases.findIndex((one) => one.name === phase.name) + 1;
  const where = `${named(definition)}, phase ${phase.name} (${at} of ${definition.phases.length})`;
  return task === "" ? where : `${where}: ${task}`;
}

function backgroundOf({ definition, phase, task, mode }: PhaseBrief): string {
  const about = task === "" ? `${named(definition)}, phase ${phase.name}` : task;
  return mode === "" ? about : `${about}\n\nMode: ${mode}.`;
}

function named({ id, name }: LoopDefinition): string {
  return name ?? id;
}
