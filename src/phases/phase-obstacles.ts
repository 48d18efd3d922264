/**
 * What the world, and not the loop's state, has against an action on a phase loop (SPEC section 11): files that are not
 * there, checks of an `auto` gate that fail, an agent in the place of a person.
 */
import { createChecker } from "../adapters/checks/checker.ts";
import { refused, type Refused } from "../core/problem.ts";
import { evidenceText } from "../core/telling.ts";
import { describeCheck, isMechanical } from "../core/verdict.ts";
import type { Action } from "./core/action.ts";
import { deliverablesOf, type LoopDefinition } from "./core/definition.ts";
import { gateIn } from "./core/sequence.ts";
import type { PhaseLoop } from "./core/state.ts";
import { projectOf } from "../project/find-state-file.ts";
import { leavesProject } from "./core/read-parts.ts";
import { findMatches } from "../adapters/checks/find-matches.ts";
export interface Obstacles {
  /** Files that the action is about and that are not there. */
  readonly missing: readonly string[];
  /** Files that it is about and that are there, by name. */
  readonly present: readonly string[];
  /** Files that it names and that are not in the project. */
  readonly outside: readonly string[];
  /** Checks that fail, each with what it said. */
  readonly failing: readonly string[];
}

export const NO_OBSTACLES: Obstacles = { missing: [], present: [], outside: [], failing: [] };
const MOST_EVIDENCE = 400;

/** Looks, before a person asks the action of the state. What a run looked at was looked at where its work is. */
export async function obstaclesTo(
  stateFile: string,
  definition: LoopDefinition,
  loop: PhaseLoop,
  action: Action,
): Promise<Obstacles> {
  const project = projectOf(stateFile);
  if (action.type === "complete_phase") {
    const phase = definition.phases.find(({ name }) => name === action.phase);
    const files = [...(phase === undefined ? [] : deliverablesOf(definition, phase)), ...action.deliverables];
    const outside = files.filter(leavesProject);
    if (outside.length > 0) return { ...NO_OBSTACLES, outside };
    return {
      ...NO_OBSTACLES,
      missing: await absentFiles(project, files),
      present: await presentFiles(project, files),
    };
  }
  if (action.type !== "pass_gate" || action.by === "check") return NO_OBSTACLES;
  const missing = await absentFiles(project, gateIn(loop, action.gate)?.deliverables ?? []);
  return { ...NO_OBSTACLES, missing, failing: await failingChecks(stateFile, definition, loop, action.gate) };
}

/** A human's decision stands for the judge's, and for nothing that a program can find out. */
async function failingChecks(
  stateFile: string,
  definition: LoopDefinition,
  loop: PhaseLoop,
  id: string,
): Promise<readonly string[]> {
  const state = gateIn(loop, id);
  const gate = definition.gates.find((one) => one.id === id);
  if (gate === undefined || state?.approvalType !== "auto" || state.status !== "pending") return [];
  const checker = createChecker();
  const failing: string[] = [];
  for (const check of gate.checks.filter(isMechanical)) {
    const leaf = { path: [0], item: describeCheck(check), check };
    const { passed, evidence } = await checker.run(leaf, projectOf(stateFile), new AbortController().signal);
    if (passed !== true) failing.push(`${leaf.item} (${evidenceText(evidence, MOST_EVIDENCE).trim()})`);
  }
  return failing;
}

/** Why the action is refused; null: it is not. */
export function whyNotHere(action: Action, { missing, outside }: Obstacles): Refused | null {
  if (outside.length > 0)
    return refused(`${outside.join(", ")} is outside of the project`, "name files in it, relative to its folder");
  if (action.type === "complete_phase" && missing.length > 0)
    return refused(
      `the phase ${action.phase} is complete when its deliverables exist, and these are not there: ${missing.join(", ")}`,
      "make them in the project's folder, or name others in the definition",
    );
  if (action.type !== "pass_gate" || action.by === "check" || (process.env["AOT_CALL"] ?? "") === "") return null;
  return refused(`an agent does not pass the gate ${action.gate}`, "a person does, from another terminal");
}

/**
 * What the action comes to when the files and checks are known: a phase records what it left behind; an `auto` gate whose
 * deliverables are missing or whose checks fail has failed, whoever would pass it.
 */
export function asFound(loop: PhaseLoop, action: Action, { missing, present, failing }: Obstacles): Action {
  if (action.type === "complete_phase")
    return { ...action, deliverables: [...new Set([...present, ...action.deliverables])] };
  if (action.type !== "pass_gate" || action.by === "check") return action;
  if (gateIn(loop, action.gate)?.approvalType !== "auto") return action;
  const why = [
    ...(missing.length === 0 ? [] : [`these deliverables are not there: ${missing.join(", ")}`]),
    ...(failing.length === 0 ? [] : [`these checks fail: ${failing.join("; ")}`]),
  ];
  return why.length === 0 ? action : { type: "fail_gate", gate: action.gate, reason: why.join("; ") };
}

/** Folders of loops: what lies there is no deliverable. */
const OWN_FOLDERS = [".claude/aot-loop", ".claude/loops", ".claude/worktrees"];
const MOST_NAMED = 100;

/** Those of them that nothing in the project matches. */
export async function absentFiles(project: string, files: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(files.map((file) => matchesOf(project, file)));
  return files.filter((_, index) => found[index]?.length === 0);
}

/** What in the project matches them, by name. */
export async function presentFiles(project: string, files: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(files.map((file) => matchesOf(project, file)));
  return [...new Set(found.flat())];
}

async function matchesOf(project: string, file: string): Promise<readonly string[]> {
  const { signal } = new AbortController();
  const found = await findMatches(file, {
    dir: project,
    signal,
    max_matches: MOST_NAMED,
    own_folders: OWN_FOLDERS,
  });
  return found.ok ? found.matches : [];
}
