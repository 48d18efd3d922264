/**
 * Whether a fresh place and the person's checkout agree before any work (SPEC sections 15 and 16): attempts and verdicts run in
 * such a place, and a check that answers otherwise in there is not about the work.
 */
import { join } from "node:path";
import { createChecker } from "../adapters/checks/checker.ts";
import { missingSetUp } from "../adapters/checks/missing-set-up.ts";
import type { RedFirstLeaf, RedFirstReport } from "../adapters/checks/red-first.ts";
import { verifyBaseCase } from "../adapters/checks/verify.ts";
import { withoutPlace } from "../adapters/workspace/git.ts";
import { describeProblems } from "../core/problem.ts";
import type { BaseCase } from "../core/state.ts";
import { checkNodesOf, type Evidence, type LeafResult } from "../core/verdict.ts";
import { loopPaths } from "../host/loop-paths.ts";
import { openCheckout, type CheckoutOptions } from "../verify/fresh-checkout.ts";
import { openSandbox, type SandboxTerms } from "../verify/sandbox.ts";

/** How a run makes its places. */
export interface PlaceTerms extends Pick<CheckoutOptions, "set_up" | "in_place"> {
  readonly sandbox: SandboxTerms;
  /** The caller says itself what confines the run. */
  readonly is_said?: true;
}

type Warning = RedFirstReport["warnings"][number];

/** Runs each check once more, in a fresh place, and names what differs. Empty where there is no such place, or no difference. */
export async function freshPlaceWarnings(
  { leaves }: RedFirstReport,
  baseCase: BaseCase,
  {
    dir,
    stateFile,
    signal,
    terms,
  }: { readonly dir: string; readonly stateFile: string; readonly signal: AbortSignal; readonly terms: PlaceTerms },
): Promise<readonly Warning[]> {
  const { sandbox, is_said, ...how } = terms;
  const said = (message: string): readonly Warning[] => [{ path: [], item: "a fresh worktree", message }];
  const opened = await openSandbox(sandbox, { root: dir, stateFile });
  if (!opened.ok) return said(describeProblems(opened.problems));
  const place = opened.value;
  try {
    const folder = join(loopPaths(stateFile).dir, "fresh");
    const isUnsaid = is_said !== true && place.kind === "worktree" && sandbox.setting !== "off";
    const notes: Warning[] = isUnsaid ? [...said(place.summary)] : [];
    const onNote = (message: string): void => void notes.push(...said(message));
    const made = await openCheckout({ ...how, stateFile, root: dir, place, folder, onNote }, signal);
    if (!made.ok) return said(describeProblems(made.problems));
    const checkout = made.value;
    if (checkout.commit === null) return [];
    try {
      if (checkout.failed !== undefined) return said(checkout.failed);
      const checker = createChecker({ place, env: { ...withoutPlace(process.env), ...checkout.env } });
      const { checklist } = await verifyBaseCase(baseCase, checkout.dir, { checker, signal });
      const there = checkNodesOf(checklist);
      const differences = leaves.flatMap((leaf, at) => {
        const message = differenceOf(leaf, there[at], checkout.dir);
        return message === null ? [] : [{ path: leaf.path, item: leaf.item, message }];
      });
      return [...notes, ...differences];
    } finally {
      await checkout.release();
    }
  } finally {
    await place.close();
  }
}

/** What a program prints that misses what its place does not have, and what gives it that. */
const SIGNS: readonly (readonly [RegExp, string])[] = [
  [
    /ECONNREFUSED|ENETUNREACH|EAI_AGAIN|ENOTFOUND|Connection refused|Network is unreachable|Could not resolve host|Temporary failure in name resolution|Name or service not known/i,
    "it reaches the network, which checks do not: --network HOST (localhost:5432), in a file `network`",
  ],
  [/read-only file system|EROFS/i, "it writes outside of the project: name the path in the setting allow_write"],
];
const OTHERWISE =
  "it depends on what your checkout has and no commit: commit it, name it in .worktreeinclude, or have a command of the setting setup make it (npm ci)";

/** @returns null: they agree */
function differenceOf(leaf: RedFirstLeaf, there: LeafResult | undefined, dir: string): string | null {
  const here = leaf.result;
  if (there === undefined || here.passed === null || there.passed === null || leaf.standing === "broken") return null;
  const missing = missingSetUp(there.evidence, dir);
  if (missing !== null) return `in a fresh worktree ${missing}`;
  const sign = SIGNS.find(([seen]) => seen.test(outputOf(there.evidence)) && !seen.test(outputOf(here.evidence)));
  const [mine, fresh] = [answerOf(here), answerOf(there)];
  if (mine === fresh && sign === undefined) return null;
  return `answers otherwise in a fresh worktree (${mine === fresh ? "in what it prints" : `here ${mine}, there ${fresh}`}): ${sign?.[1] ?? OTHERWISE}`;
}

function answerOf({ passed, evidence }: LeafResult): string {
  if (evidence.kind !== "command") return passed === true ? "passed" : "failed";
  const { exit_code, tests } = evidence;
  const counted = tests === undefined ? "" : `, ${tests.passed} tests passed`;
  return `exit code ${exit_code ?? "none"}${counted}`;
}

function outputOf(evidence: Evidence): string {
  return evidence.kind === "command" ? evidence.output : "";
}
