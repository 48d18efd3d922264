/**
 * Whether a fresh place and the person's checkout agree before any work (SPEC sections 15 and 16): attempts and verdicts run in
 * such a place, and a check that answers otherwise in there is not about the work.
 */
import { createChecker, tellingChecker } from "../adapters/checks/checker.ts";
import { missingSetUp } from "../adapters/checks/missing-set-up.ts";
import type { RedFirstReport } from "../adapters/checks/red-first.ts";
import { verifyBaseCase } from "../adapters/checks/verify.ts";
import { withoutPlace } from "../adapters/workspace/git.ts";
import { describeProblems } from "../core/problem.ts";
import type { BaseCase } from "../core/state.ts";
import {
  checkNodesOf,
  type CheckNode,
  type ChecklistVerdict,
  type Evidence,
  type LeafResult,
} from "../core/verdict.ts";
import { openCheckout, type CheckoutOptions } from "../verify/fresh-checkout.ts";
import { openSandbox, type SandboxTerms } from "../verify/sandbox.ts";

/** How a run makes its places. */
export interface PlaceTerms extends Pick<CheckoutOptions, "set_up" | "in_place"> {
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
  readonly nodes: readonly (CheckNode & { readonly missing: string | null })[];
}

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
  const said = (message: string): readonly Warning[] => [{ path: [], item: "a fresh worktree", message }];
  const only = (notes: readonly Warning[]): FreshLook => ({ notes, nodes: [] });
  const opened = await openSandbox(sandbox, { root: dir, stateFile });
  if (!opened.ok) return only(said(describeProblems(opened.problems)));
  const place = opened.value;
  try {
    const isUnsaid = is_said !== true && place.kind === "worktree" && sandbox.setting !== "off";
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
        createChecker({ place, env: { ...withoutPlace(process.env), ...checkout.env } }),
        (item) => tell(`before any work, in a fresh folder: ${item}`),
      );
      const { checklist } = await verifyBaseCase(baseCase, checkout.dir, { checker, signal });
      const nodes = checkNodesOf(checklist).map((node) => ({
        ...node,
        missing: missingSetUp(node.evidence, checkout.dir),
      }));
      return { tree: checkout.tree, notes, nodes };
    } finally {
      await checkout.release();
    }
  } finally {
    await place.close();
  }
}

/** What a person should know: where a check answers otherwise there. */
export function freshPlaceWarnings({ notes, nodes }: FreshLook, { leaves }: RedFirstReport): readonly Warning[] {
  const differences = leaves.flatMap((leaf, at) => {
    const message = leaf.standing === "broken" ? null : differenceOf(leaf.result, nodes[at]);
    return message === null ? [] : [{ path: leaf.path, item: leaf.item, message }];
  });
  return [...notes, ...differences];
}

/** The checks that failed there as they did here: a run more of each of them. */
export function redsInFreshPlace({ nodes }: FreshLook, here: ChecklistVerdict): readonly CheckNode[] {
  const mine = checkNodesOf(here.checklist);
  const isSame = (node: FreshLook["nodes"][number], at: number): boolean =>
    mine[at]?.passed === false && node.passed === false && differenceOf(mine[at], node) === null;
  return nodes.filter(isSame);
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
  "it depends on what your checkout has and no commit (commit it, name it in .worktreeinclude, or have the setting setup make it: npm ci), or on a variable of your environment (name it in the setting allow_env)";

/** @returns null: they agree */
function differenceOf(here: LeafResult, there: FreshLook["nodes"][number] | undefined): string | null {
  if (there === undefined || here.passed === null || there.passed === null) return null;
  if (there.missing !== null) return `in a fresh worktree ${there.missing}`;
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
