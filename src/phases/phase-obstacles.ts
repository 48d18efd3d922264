/**
 * What the world, and not the loop's state, has against an action on a phase loop (SPEC section 11): files that are not
 * there, checks of an `auto` gate that fail, an agent in the place of a person.
 */
import { createChecker } from "../adapters/checks/checker.ts";
import { refused } from "../core/problem.ts";
import { evidenceText } from "../core/telling.ts";
import { describeCheck, isMechanical } from "../core/verdict.ts";
import { commandOf, type Action } from "./core/action.ts";
import type { LoopDefinition } from "./core/definition.ts";
import { gateIn } from "./core/sequence.ts";
import type { PhaseLoop } from "./core/state.ts";
import { projectOf } from "../project/find-state-file.ts";
import { absentFiles } from "./phase-files.ts";

export interface Obstacles {
  /** Files that the action is about and that are not there. */
  readonly missing: readonly string[];
  /** Checks that fail, each with what it said. */
  readonly failing: readonly string[];
}

const MOST_EVIDENCE = 400;

/** Looks, before a person asks the action of the state. What a run looked at was looked at where its work is. */
export async function obstaclesTo(
  stateFile: string,
  definition: LoopDefinition,
  loop: PhaseLoop,
  action: Action,
): Promise<Obstacles> {
  if (action.type === "complete_phase")
    return { missing: await absentFiles(projectOf(stateFile), action.deliverables), failing: [] };
  if (action.type !== "pass_gate" || action.by === "check") return { missing: [], failing: [] };
  const missing = await absentFiles(projectOf(stateFile), gateIn(loop, action.gate)?.deliverables ?? []);
  return { missing, failing: await failingChecks(stateFile, definition, loop, action.gate) };
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

export function whyNotHere(
  loop: PhaseLoop,
  action: Action,
  { missing, failing }: Obstacles,
): ReturnType<typeof refused> | null {
  if (action.type === "complete_phase")
    return missing.length === 0
      ? null
      : refused(`${missing.join(", ")} is not there`, "name files that the phase produced, relative to the project");
  if (action.type !== "pass_gate" || action.by === "check") return null;
  if ((process.env["AOT_CALL"] ?? "") !== "")
    return refused(`an agent does not pass the gate ${action.gate}`, "a person does, from another terminal");
  const gate = gateIn(loop, action.gate);
  if (gate?.approvalType !== "auto") return null;
  const skip = `or skip it: \`${commandOf({ type: "skip_gate", gate: gate.id, reason: "..." })}\``;
  if (missing.length > 0)
    return refused(
      `the gate ${gate.id} passes when its deliverables exist, and these are not there: ${missing.join(", ")}`,
      `make them, ${skip}`,
    );
  return failing.length === 0
    ? null
    : refused(
        `the gate ${gate.id} passes when its checks do, and these fail: ${failing.join("; ")}`,
        `put it right, ${skip}`,
      );
}
