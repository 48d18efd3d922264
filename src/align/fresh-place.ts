/**
 * What the checks answer in a fresh place before any work (SPEC sections 6, 15 and 16): attempts and verdicts run in such a place,
 * and a check that answers otherwise in there is not about the work.
 *
 * FRESH-PLACE-1 what passes there, or cannot run there, proves nothing, whatever the person's checkout says; but where both miss a
 *    file that the work is to make, that is red;
 * FRESH-PLACE-2 what fails there for another reason than here may never pass by work: a person decides (same-reason.ts).
 */
import { createChecker, tellingChecker } from "../adapters/checks/checker.ts";
import { missingFile, missingSetUp } from "../adapters/checks/missing-set-up.ts";
import { runsKey, whyUnable, type RedFirstLeaf, type RedFirstReport } from "../adapters/checks/red-first.ts";
import { verifyBaseCase } from "../adapters/checks/verify.ts";
import { gitOf } from "../adapters/workspace/folder-repository.ts";
import { withoutPlace } from "../adapters/workspace/git.ts";
import { describeProblems } from "../core/problem.ts";
import type { BaseCase } from "../core/state.ts";
import {
  checkNodesOf,
  judge,
  type CheckNode,
  type ChecklistVerdict,
  type Evidence,
  type LeafResult,
} from "../core/verdict.ts";
import { openCheckout, type CheckoutOptions } from "../verify/fresh-checkout.ts";
import { openSandbox, type SandboxTerms } from "../verify/sandbox.ts";
import { isSameReason, reasonOf } from "./same-reason.ts";

/** How a run makes its places. */
export interface PlaceTerms extends Pick<CheckoutOptions, "set_up"> {
  readonly sandbox: SandboxTerms;
  /** The caller says itself what confines the run. */
  readonly is_said?: true;
}

type Warning = RedFirstReport["warnings"][number];

/** What the checks answered there. */
export interface FreshLook {
  /** Object id of what they were run on; absent: there is no such place. */
  readonly tree?: string | undefined;
  readonly notes: readonly Warning[];
  /** In the order of the file; empty where nothing could be run. */
  readonly nodes: readonly FreshNode[];
  /** The two folders, as programs name them. */
  readonly roots: readonly string[];
}

/** `unable`: why it could not be run; `to_make`: because of a file of the project that no set-up makes. */
type FreshNode = CheckNode & { readonly unable: string | null; readonly to_make: string | null };

/** Nothing was looked at. */
export const NOT_LOOKED: FreshLook = { notes: [], nodes: [], roots: [] };

/** Runs each check once, in a fresh place. */
export async function lookInFreshPlace(
  baseCase: BaseCase,
  {
    dir,
    stateFile,
    signal,
    terms,
    tell,
  }: {
    readonly dir: string;
    readonly stateFile: string;
    readonly signal: AbortSignal;
    readonly terms: PlaceTerms;
    readonly tell: (what: string) => void;
  },
): Promise<FreshLook> {
  const { sandbox, is_said, ...how } = terms;
  const said = (message: string): readonly Warning[] => [{ path: [], item: "a fresh folder", message }];
  const only = (notes: readonly Warning[]): FreshLook => ({ ...NOT_LOOKED, notes });
  const opened = await openSandbox(sandbox, { root: dir, stateFile });
  if (!opened.ok) return only(said(describeProblems(opened.problems)));
  const place = opened.value;
  try {
    const isUnsaid = is_said !== true && place.kind === "none" && sandbox.setting !== "off";
    const notes: Warning[] = isUnsaid ? [...said(place.summary)] : [];
    const onNote = (message: string): void => void notes.push(...said(message));
    tell("before any work: a fresh folder is set up");
    const made = await openCheckout({ ...how, stateFile, root: dir, place, onNote }, signal);
    if (!made.ok) return only(said(describeProblems(made.problems)));
    const checkout = made.value;
    if (checkout.commit === null) return only([]);
    try {
      if (checkout.failed !== undefined) return only(said(checkout.failed));
      const checker = tellingChecker(
        createChecker({
          place,
          env: { ...withoutPlace(process.env), ...checkout.env },
          testsBefore: () => "aligning",
        }),
        (item) => tell(`before any work, in a fresh folder: ${item}`),
      );
      const { checklist } = await verifyBaseCase(baseCase, checkout.dir, { checker, signal });
      const nodes: FreshNode[] = [];
      for (const node of checkNodesOf(checklist)) {
        const unable = missingSetUp(node.evidence, checkout.dir) ?? whyUnable(node.check, node);
        nodes.push({ ...node, unable, to_make: await fileToMake(node.evidence, dir) });
      }
      return { tree: checkout.tree, notes, nodes, roots: [checkout.dir, dir] };
    } finally {
      await checkout.release();
    }
  } finally {
    await place.close();
  }
}

/** What git ignores is made by a set-up, what it does not by work. */
async function fileToMake(evidence: Evidence, dir: string): Promise<string | null> {
  const file = missingFile(evidence);
  if (file === null) return null;
  const ignored = await (await gitOf(dir)).run(["check-ignore", "--quiet", "--", file]);
  return ignored.ok || ignored.failure.kind !== "failed" ? null : file;
}

/** The report as what the checks answered there makes it (FRESH-PLACE-1, FRESH-PLACE-2). */
export function settledThere(look: FreshLook, report: RedFirstReport, baseCase: BaseCase): RedFirstReport {
  const { notes, nodes } = look;
  if (nodes.length === 0) return { ...report, warnings: [...report.warnings, ...notes] };
  const leaves = report.leaves.map((leaf, at) => settledLeaf(leaf, nodes[at]));
  const warnings: Warning[] = [...report.warnings, ...notes];
  const doubts: Warning[] = [];
  for (const [at, leaf] of leaves.entries()) {
    const { path, item, check, result } = leaf;
    if (leaf !== report.leaves[at]) continue;
    const runs = report.runs.get(runsKey(check)) ?? [result];
    const doubt = leaf.standing === "red" ? doubtOf(runs, nodes[at], look) : null;
    if (doubt !== null) doubts.push({ path, item, message: doubt });
    const message = doubt ?? (leaf.standing === "broken" ? null : differenceOf(result, nodes[at], look));
    if (message !== null) warnings.push({ path, item, message });
  }
  let place = 0;
  // Leaves are visited in the order of the file.
  const verdict = judge(baseCase, () => leaves[place++]?.result);
  return { ...report, leaves, warnings, doubts, verdict, would_complete_now: verdict.passed === true };
}

/** FRESH-PLACE-1. */
function settledLeaf(leaf: RedFirstLeaf, there: FreshNode | undefined): RedFirstLeaf {
  if (there === undefined || there.passed === null) return leaf;
  const { to_make } = there;
  if (to_make !== null && leaf.standing === "broken" && missingFile(leaf.result.evidence) === to_make)
    return { ...leaf, standing: "red", why: `fails before the work, as it should: nothing has made ${to_make} yet` };
  if (leaf.standing !== "red") return leaf;
  if (there.unable !== null)
    return {
      ...leaf,
      standing: "broken",
      why: `cannot be run in a fresh folder of the commit, where attempts and verdicts take place: ${there.unable}; ${NAME_SET_UP}`,
    };
  if (!there.passed) return leaf;
  const { passed, evidence } = there;
  const result = { passed, evidence };
  if (leaf.check.baseline === "pass")
    return {
      ...leaf,
      result,
      standing: "invariant",
      why: "passes in a fresh folder of the commit, and has to stay so",
    };
  return {
    ...leaf,
    result,
    standing: "vacuous",
    why: `passes before any work in a fresh folder of the commit, where every verdict takes place, so that it proves nothing: it would pass if nobody did anything. Here it fails: ${OTHERWISE}`,
  };
}

/** The checks that failed there as they did here: a run more of each of them. */
export function redsInFreshPlace(look: FreshLook, here: ChecklistVerdict): readonly CheckNode[] {
  const mine = checkNodesOf(here.checklist);
  const isSame = (node: FreshNode, at: number): boolean =>
    mine[at]?.passed === false && node.passed === false && differenceOf(mine[at], node, look) === null;
  return look.nodes.filter(isSame);
}

/** What a program prints that misses what its place does not have, and what gives it that. */
const SIGNS_OF_ABSENCE: readonly (readonly [RegExp, string])[] = [
  [
    /ECONNREFUSED|ENETUNREACH|EAI_AGAIN|ENOTFOUND|Connection refused|Network is unreachable|Could not resolve host|Temporary failure in name resolution|Name or service not known/i,
    "it reaches the network, which checks do not: --network HOST of `aot align` (localhost:5432), in a file `network`",
  ],
  [/read-only file system|EROFS/i, "it writes outside of the project: name the path in the setting allow_write"],
];
const OTHERWISE =
  "it depends on what your checkout has and no commit (commit it, name it in .worktreeinclude, or have the setting setup make it: npm ci), or on a variable of your environment (name it in the setting allow_env)";
const NAME_SET_UP = "name what it misses in the setting `setup:`, such as `setup: [make build]`";

/** What a person should know: it answers otherwise there. @returns null: they agree */
function differenceOf(here: LeafResult, there: FreshNode | undefined, { roots }: FreshLook): string | null {
  if (there === undefined || here.passed === null || there.passed === null) return null;
  if (there.unable !== null) return `in a fresh folder ${there.unable}`;
  const sign = signOf([here], there);
  const [mine, fresh] = [answerOf(here), answerOf(there)];
  if (mine === fresh && sign === undefined && isSameReason([here], there, roots)) return null;
  return `answers otherwise in a fresh folder (${mine === fresh ? "in what it prints" : `here ${mine}, there ${fresh}`}): ${sign ?? OTHERWISE}`;
}

/** FRESH-PLACE-2. Null: for the same one. @param here each run of it */
function doubtOf(here: readonly LeafResult[], there: FreshNode | undefined, { roots }: FreshLook): string | null {
  const [first] = here;
  if (first === undefined || there?.passed !== false || there.unable !== null) return null;
  const sign = signOf(here, there);
  if (sign === undefined && isSameReason(here, there, roots)) return null;
  return `fails in a fresh folder, where attempts and verdicts take place, for another reason than here, which no work may mend (here ${reasonOf(first, roots)} | there ${reasonOf(there, roots)}): ${NAME_SET_UP}; ${sign ?? OTHERWISE}`;
}

function signOf(here: readonly LeafResult[], there: LeafResult): string | undefined {
  const isSeen = (seen: RegExp): boolean => here.some(({ evidence }) => seen.test(outputOf(evidence)));
  return SIGNS_OF_ABSENCE.find(([seen]) => seen.test(outputOf(there.evidence)) && !isSeen(seen))?.[1];
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
