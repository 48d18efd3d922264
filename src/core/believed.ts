/**
 * What is believed of a verdict, by all that the checks of the loop answered (SPEC section 6).
 *
 * BELIEVED-1 a leaf that answered both ways on its tree is flaky (tree-answers.ts);
 * BELIEVED-2 a leaf is true only if it passed as often as luck.ts wants: one that was red first more than once;
 * BELIEVED-3 in a group the weakest child decides, so each may take the whole trust; of an any_of one child is enough, so
 *    that chances add up and its children share;
 * BELIEVED-4 no more is run again than a verdict needs: passes of one that would be true, of an any_of those of one child;
 *    and reds of a check that was red less often than alignment would have seen it;
 * BELIEVED-5 luck is with commands: what is looked up in files answers the same each time, and is looked up once.
 */
import { passesWanted, runPlan, type RunPlan } from "./luck.ts";
import type { ChecklistItem } from "./state.ts";
import {
  countOf,
  flakyResult,
  isKnownGreen,
  lastFlaky,
  remember,
  seenOf,
  treeAnswer,
  withFlaky,
  type Answers,
} from "./tree-answers.ts";
import {
  judge,
  runsCommand,
  type CheckNode,
  type ChecklistVerdict,
  type LeafResult,
  type NodeVerdict,
} from "./verdict.ts";

/** What a verdict was computed on, and what is known of its checks. */
export interface Grounds {
  /** Object id; absent: the files have none. */
  readonly tree?: string | undefined;
  /** The chance of a verdict by luck that is accepted in this loop; 0: each check is run once. */
  readonly trust: number;
  /** This verdict's included. */
  readonly answers: Answers;
}

/** @param answers those before this verdict */
export function groundsOf(verdict: ChecklistVerdict, { tree, trust, answers }: Grounds): Grounds {
  return { tree, trust, answers: tree === undefined ? answers : remember(answers, tree, verdict) };
}

/** The verdict as it counts. */
export function believed(verdict: ChecklistVerdict, grounds: Grounds): ChecklistVerdict {
  const { tree, answers, trust } = grounds;
  const changed = verdict.tests_changed === undefined ? {} : { tests_changed: verdict.tests_changed };
  const honest = tree === undefined ? verdict : { ...withFlaky(answers, tree, verdict), ...changed };
  if (trust === 0) return honest;
  const leaves = planned(honest.checklist, trust);
  let place = 0;
  // Leaves are visited in the order of the file.
  const leavesJudged = judge({ checklist: honest.checklist }, () => {
    const leaf = leaves[place++];
    return leaf === undefined ? undefined : whenBelieved(leaf, grounds);
  });
  const judged = { ...leavesJudged, ...changed };
  const luck = judged.passed === true ? chanceOf(judged.checklist, grounds, trust) : null;
  return luck === null ? judged : { ...judged, luck };
}

/** The leaves that are to be run once more before the verdict counts (BELIEVED-4); empty: it counts. */
export function toRunAgain(verdict: ChecklistVerdict, grounds: Grounds): readonly ChecklistItem[] {
  const { tree, answers, trust } = grounds;
  if (trust === 0) return [];
  const honest = tree === undefined ? verdict : withFlaky(answers, tree, verdict);
  const leaves =
    honest.passed === true
      ? (passesMissing(honest.checklist, grounds, trust) ?? [])
      : planned(honest.checklist, trust).flatMap((leaf) => (isRedMissing(leaf, grounds) ? [leaf.node] : []));
  return leaves.map(({ item, check }) => ({ item, check }));
}

/**
 * Of a verdict that would be true the checks that were never seen red, or less often than an alignment would have seen them:
 * the commit before the work can show it. @param answers those before this verdict
 */
export function redsUnknown(verdict: ChecklistVerdict, { answers, trust }: Grounds): readonly ChecklistItem[] {
  if (trust === 0 || verdict.passed !== true) return [];
  return planned(verdict.checklist, trust).flatMap(({ node: { item, check, passed }, plan }) => {
    if (passed !== true || !runsCommand(check) || check.baseline === "pass" || isKnownGreen(answers, check)) return [];
    const { reds, wasted } = seenOf(answers, check);
    return wasted === 0 && reds < plan.reds ? [{ item, check }] : [];
  });
}

interface PlannedLeaf {
  readonly node: CheckNode;
  readonly plan: RunPlan;
}

/** Every leaf with its share of the trust (BELIEVED-3), in the order of the file. */
function planned(nodes: readonly NodeVerdict[], trust: number): readonly PlannedLeaf[] {
  return nodes.flatMap((node) => {
    if ("check" in node) return [{ node, plan: runPlan(trust) }];
    return "group" in node ? planned(node.group, trust) : planned(node.any_of, trust / node.any_of.length);
  });
}

/** BELIEVED-2. */
function whenBelieved({ node, plan }: PlannedLeaf, grounds: Grounds): LeafResult {
  if (node.passed !== true || !runsCommand(node.check)) return node;
  const wanted = passesWanted(plan, seenOf(grounds.answers, node.check));
  const passes = passesOf(node, grounds);
  if (wanted !== null && passes >= wanted) return node;
  const flaky = lastFlaky(grounds.answers, node.check);
  if (flaky !== undefined)
    return flakyResult(flaky, `passed ${passes} of ${wanted ?? "too many"} times wanted, as it `);
  const reason = `passed ${passes} of ${wanted ?? 1} times wanted`;
  return { passed: null, evidence: { kind: "undecided", reason } };
}

function passesOf({ check, runs = 1 }: CheckNode, { tree, answers }: Grounds): number {
  return tree === undefined ? runs : countOf(treeAnswer(answers, check, tree), "passed");
}

/** The leaves whose passes are too few; null: more passes do not make it true. */
function passesMissing(nodes: readonly NodeVerdict[], grounds: Grounds, trust: number): readonly CheckNode[] | null {
  const missing: CheckNode[] = [];
  for (const node of nodes) {
    const more = missingIn(node, grounds, trust);
    if (more === null) return null;
    missing.push(...more);
  }
  return missing;
}

function missingIn(node: NodeVerdict, grounds: Grounds, trust: number): readonly CheckNode[] | null {
  if (node.passed !== true) return null;
  if ("group" in node) return passesMissing(node.group, grounds, trust);
  if ("any_of" in node) {
    const share = trust / node.any_of.length;
    const ways = node.any_of.map((child) => missingIn(child, grounds, share)).filter((way) => way !== null);
    return ways.toSorted((a, b) => a.length - b.length)[0] ?? null;
  }
  if (!runsCommand(node.check)) return [];
  const wanted = passesWanted(runPlan(trust), seenOf(grounds.answers, node.check));
  if (wanted === null) return null;
  return passesOf(node, grounds) < wanted ? [node] : [];
}

/** A check that nobody aligned: it is run until it was red as often as it would have been at alignment. */
function isRedMissing({ node, plan }: PlannedLeaf, { tree, answers }: Grounds): boolean {
  if (node.passed !== false || !runsCommand(node.check) || tree === undefined) return false;
  const { green, reds } = seenOf(answers, node.check);
  return !green && reds < plan.reds;
}

/** BELIEVED-3; null: no leaf was red first. */
function chanceOf(nodes: readonly NodeVerdict[], grounds: Grounds, trust: number): number | null {
  const bounds = nodes.map((node): number | null => {
    if ("group" in node) return chanceOf(node.group, grounds, trust);
    if ("check" in node)
      return runsCommand(node.check) && !seenOf(grounds.answers, node.check).green ? runPlan(trust).p : null;
    const share = trust / node.any_of.length;
    return sumOf(node.any_of.map((child) => chanceOf([child], grounds, share)));
  });
  const known = bounds.filter((p) => p !== null);
  return known.length === 0 ? null : Math.max(...known);
}

function sumOf(chances: readonly (number | null)[]): number | null {
  const known = chances.filter((p) => p !== null);
  return known.length === 0 ? null : known.reduce((sum, p) => sum + p, 0);
}
