/**
 * What is believed of a verdict, by all that the checks of the loop answered (SPEC section 6).
 *
 * BELIEVED-1 a leaf that answered both ways on its tree is flaky (tree-answers.ts);
 * BELIEVED-2 a leaf is true only if it passed as often as luck.ts wants: one that was red first more than once. It says how
 *    often it was red before the work;
 * BELIEVED-3 in a group the weakest child decides, so each may take the whole trust; of an any_of one child is enough, so
 *    that chances add up and its children share;
 * BELIEVED-4 no more is run again than a verdict needs: passes of one that would be true, of an any_of those of one child;
 *    and reds of a check that nobody aligned, or that was flaky;
 * BELIEVED-5 luck is with commands: what is looked up in files answers the same each time, and is looked up once.
 */
import { FLAKY_REDS, luckOf, passesWanted, redsWanted, shareOf, type Seen } from "./luck.ts";
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
  /** As in the run's settings. */
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
  return luck === null ? judged : { ...judged, luck: Math.min(1, luck) };
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
 * Of a verdict that would be true the checks that were red on no tree, or on one alone and less often than the trust wants:
 * the commit before the work can show it. @param answers those before this verdict
 */
export function redsUnknown(verdict: ChecklistVerdict, { answers, trust }: Grounds): readonly ChecklistItem[] {
  if (trust === 0 || verdict.passed !== true) return [];
  return planned(verdict.checklist, trust).flatMap(({ node: { item, check, passed }, share }) => {
    if (passed !== true || !runsCommand(check) || check.baseline === "pass" || isKnownGreen(answers, check)) return [];
    const { reds, chances, wasted } = seenOf(answers, check);
    return wasted === 0 && chances <= 1 && reds < redsWanted(share) ? [{ item, check }] : [];
  });
}

interface PlannedLeaf {
  readonly node: CheckNode;
  /** Of the trust (BELIEVED-3). */
  readonly share: number;
}

/** Every leaf, in the order of the file. */
function planned(nodes: readonly NodeVerdict[], share: number): readonly PlannedLeaf[] {
  return nodes.flatMap((node) => {
    if ("check" in node) return [{ node, share }];
    return "group" in node ? planned(node.group, share) : planned(node.any_of, shareOf(share, node.any_of.length));
  });
}

function seen({ check }: CheckNode, { answers, tree }: Grounds): Seen {
  return seenOf(answers, check, tree);
}

/** BELIEVED-2. */
function whenBelieved({ node, share }: PlannedLeaf, grounds: Grounds): LeafResult {
  if (node.passed !== true || !runsCommand(node.check)) return node;
  const known = seen(node, grounds);
  const wanted = passesWanted(share, known);
  const passes = passesOf(node, grounds);
  if (wanted !== null && passes >= wanted) return known.green ? node : { ...node, reds: known.reds };
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
function passesMissing(nodes: readonly NodeVerdict[], grounds: Grounds, share: number): readonly CheckNode[] | null {
  const missing = nodes.map((node) => missingIn(node, grounds, share));
  return missing.includes(null) ? null : missing.flatMap((more) => more ?? []);
}

function missingIn(node: NodeVerdict, grounds: Grounds, share: number): readonly CheckNode[] | null {
  if (node.passed !== true) return null;
  if ("group" in node) return passesMissing(node.group, grounds, share);
  if ("any_of" in node) {
    const part = shareOf(share, node.any_of.length);
    const ways = node.any_of.map((child) => missingIn(child, grounds, part)).filter((way) => way !== null);
    return ways.toSorted((a, b) => a.length - b.length)[0] ?? null;
  }
  if (!runsCommand(node.check)) return [];
  const wanted = passesWanted(share, seen(node, grounds));
  if (wanted === null) return null;
  return passesOf(node, grounds) < wanted ? [node] : [];
}

/** On the first tree of a check that nobody aligned, as often as the trust wants; of one that was flaky, on any (LUCK-4). */
function isRedMissing({ node, share }: PlannedLeaf, grounds: Grounds): boolean {
  if (node.passed !== false || !runsCommand(node.check) || grounds.tree === undefined) return false;
  const { green, reds, most_reds, chances, wasted } = seen(node, grounds);
  if (green) return false;
  return wasted > 0 ? most_reds < FLAKY_REDS : chances === 0 && reds < redsWanted(share);
}

/** BELIEVED-3; null: no leaf was red first. */
function chanceOf(nodes: readonly NodeVerdict[], grounds: Grounds, share: number): number | null {
  const bounds = nodes.map((node): number | null => {
    if ("group" in node) return chanceOf(node.group, grounds, share);
    if ("check" in node)
      return runsCommand(node.check) && !seen(node, grounds).green ? luckOf(share, seen(node, grounds)) : null;
    const part = shareOf(share, node.any_of.length);
    const [first, ...others] = node.any_of.map((child) => chanceOf([child], grounds, part)).filter((p) => p !== null);
    return first === undefined ? null : others.reduce((sum, p) => sum + p, first);
  });
  const known = bounds.filter((p) => p !== null);
  return known.length === 0 ? null : Math.max(...known);
}
