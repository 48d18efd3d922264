/**
 * What the checks of a loop answered, by the tree they were run on (SPEC section 6).
 *
 * TREE-ANSWERS-1 a mechanical check that answered both ways on one tree is flaky there: null, whatever it answers next;
 * TREE-ANSWERS-2 a check is its definition: one that a redirect changed has answered nothing yet;
 * TREE-ANSWERS-3 every run of the loop counts, earlier ones and the alignment too; TREES_KEPT trees are remembered of
 *    each check, the first one and the last ones. What was run with other files in it is no answer of that tree;
 * TREE-ANSWERS-4 how often it gave each answer is counted (luck.ts asks for it); on its first tree no longer once it was run
 *    on another one: what was red only then says nothing of the verdicts before.
 */
import type { Seen } from "./luck.ts";
import type { Check } from "./state.ts";
import {
  checkNodesOf,
  isMechanical,
  judge,
  type ChecklistVerdict,
  type Evidence,
  type LeafResult,
  type MechanicalCheck,
  type TreeAnswer,
} from "./verdict.ts";

/** The tree that it was first run on is the first. */
export interface CheckAnswers {
  /** `keyOf` the check. */
  readonly check: string;
  readonly trees: readonly TreeAnswer[];
  /** It passed where it was first run. */
  readonly green?: true;
}

export type Answers = readonly CheckAnswers[];

const TREES_KEPT = 100;
const MOST_OUTPUT = 160;

/** The answers once those of a verdict came to them. @param tree object id of the tree that was checked */
export function remember(known: Answers, tree: string, verdict: ChecklistVerdict): Answers {
  let answers = known;
  for (const node of checkNodesOf(verdict.checklist)) {
    const { check, passed, evidence } = node;
    if (!isMechanical(check) || ("other_files" in evidence && evidence.other_files !== undefined)) continue;
    if (evidence.kind === "flaky") answers = put(answers, keyOf(check), evidence.answers);
    else if (passed !== null) answers = put(answers, keyOf(check), plus(treeAnswer(answers, check, tree), tree, node));
  }
  return answers;
}

/** What a journal line says of one check; the line says on which tree. */
export type Answered = Omit<TreeAnswer, "tree"> & { readonly check: string };

/** All that is known of one tree, as a journal line has it. */
export function answeredOn(known: Answers, tree: string): readonly Answered[] {
  return known.flatMap(({ check, trees }) =>
    trees.flatMap(({ tree: of, ...answer }) => (of === tree ? [{ check, ...answer }] : [])),
  );
}

/** The answers once those of a journal line came to them. */
export function withAnswered(
  known: Answers,
  { tree, answers = [] }: { readonly tree?: string; readonly answers?: readonly Answered[] },
): Answers {
  if (tree === undefined) return known;
  return answers.reduce((all, { check, ...answer }) => put(all, check, { ...answer, tree }), known);
}

/**
 * TREE-ANSWERS-1. The verdict as it is when every answer on its tree is known. @param known those of this verdict
 * included
 */
export function withFlaky(known: Answers, tree: string, verdict: ChecklistVerdict): ChecklistVerdict {
  const nodes = checkNodesOf(verdict.checklist);
  const results = nodes.map((node): LeafResult => {
    const answer = treeAnswer(known, node.check, tree);
    return answer === undefined || node.passed === null || !isFlaky(answer) ? node : flakyResult(answer);
  });
  if (results.every((result, place) => result === nodes[place])) return verdict;
  let place = 0;
  // Leaves are visited in the order of the file, as `checkNodesOf` gives them.
  return judge({ checklist: verdict.checklist }, () => results[place++]);
}

/** A leaf that answered both ways on one tree. */
export function flakyResult(answers: TreeAnswer, elsewhere = ""): LeafResult {
  const reason = `${elsewhere}answers both ways on the same tree ${answers.tree.slice(0, 10)}: failed (${answers.failed ?? ""}) and passed (${answers.passed ?? ""})`;
  return { passed: null, evidence: { kind: "flaky", reason, answers } };
}

/** What was seen of a check in all runs (luck.ts). @param tree of the verdict; its answer may be among them */
export function seenOf(known: Answers, check: Check, tree?: string): Seen {
  const { trees, green } = entryOf(known, check) ?? { trees: [] };
  const [first, ...others] = trees;
  const counts = (flaky: boolean, kind: "passed" | "failed"): readonly number[] =>
    trees.filter((answer) => isFlaky(answer) === flaky).map((answer) => countOf(answer, kind));
  return {
    green: green === true || first === undefined,
    reds: countOf(first, "failed"),
    most_reds: Math.max(0, ...counts(false, "failed")),
    chances: others.length + (trees.some((answer) => answer.tree === tree) ? 0 : 1),
    wasted: counts(true, "passed").reduce((sum, count) => sum + count, 0),
  };
}

/** Whether it passed where it was first run. */
export function isKnownGreen(known: Answers, check: Check): boolean {
  return entryOf(known, check)?.green === true;
}

/** The last tree on which it answered both ways. */
export function lastFlaky(known: Answers, check: Check): TreeAnswer | undefined {
  return entryOf(known, check)?.trees.findLast(isFlaky);
}

export function treeAnswer(known: Answers, check: Check, tree: string): TreeAnswer | undefined {
  return entryOf(known, check)?.trees.find((one) => one.tree === tree);
}

/** How often it gave this answer. */
export function countOf(answer: TreeAnswer | undefined, kind: "passed" | "failed"): number {
  if (answer?.[kind] === undefined) return 0;
  return (kind === "passed" ? answer.passes : answer.fails) ?? 1;
}

/** One leaf's runs more. */
function plus(before: TreeAnswer | undefined, tree: string, { passed, evidence, runs = 1 }: LeafResult): TreeAnswer {
  const kind = passed === true ? "passed" : "failed";
  const count = countOf(before, kind) + runs;
  const counted = count > 1 ? { [kind === "passed" ? "passes" : "fails"]: count } : {};
  return { tree, [kind]: said(evidence), ...before, ...counted };
}

/**
 * A verdict once some of its leaves were run again on the same files: what agrees is counted, what does not is flaky.
 * @param tree absent: the files have no object id
 */
export function withRun(
  verdict: ChecklistVerdict,
  again: Pick<ChecklistVerdict, "checklist">,
  tree = "",
): ChecklistVerdict {
  const others = checkNodesOf(again.checklist);
  const results = checkNodesOf(verdict.checklist).map((node): LeafResult => {
    const other = others.find(({ item, check }) => item === node.item && sameCheck(check, node.check));
    if (other === undefined || other.passed === null || node.passed === null) return node;
    if (node.passed === other.passed) return { ...node, runs: (node.runs ?? 1) + (other.runs ?? 1) };
    return flakyResult(plus(plus(undefined, tree, node), tree, other));
  });
  let place = 0;
  return judge({ checklist: verdict.checklist }, () => results[place++]);
}

function sameCheck(one: Check, other: Check): boolean {
  return isMechanical(one) && isMechanical(other) && keyOf(one) === keyOf(other);
}

function entryOf(known: Answers, check: Check): CheckAnswers | undefined {
  if (!isMechanical(check)) return undefined;
  const key = keyOf(check);
  return known.find((one) => one.check === key);
}

function isFlaky({ passed, failed }: TreeAnswer): boolean {
  return passed !== undefined && failed !== undefined;
}

/** The first answer of a kind stays: it is what the second one is held against. The counts are the later ones. */
function put(known: Answers, check: string, answer: TreeAnswer): Answers {
  const place = known.findIndex((one) => one.check === check);
  const trees = known[place]?.trees ?? [];
  const at = trees.findIndex(({ tree }) => tree === answer.tree);
  const before = trees[at];
  const passes = Math.max(countOf(before, "passed"), countOf(answer, "passed"));
  const later = at === 0 && trees.length > 1 ? 0 : countOf(answer, "failed");
  const fails = Math.max(countOf(before, "failed"), later);
  const counts = { ...(passes > 1 ? { passes } : {}), ...(fails > 1 ? { fails } : {}) };
  const { passes: _, fails: __, ...said } = { ...answer, ...before };
  const whole = { ...said, ...counts };
  const all = at < 0 ? [...trees, whole] : trees.with(at, whole);
  const isGreen = at < 0 && trees.length === 0 ? answer.failed === undefined : known[place]?.green === true;
  const green = isGreen ? { green: true as const } : {};
  const entry = { check, ...green, trees: all.length > TREES_KEPT ? all.toSpliced(1, 1) : all };
  return place < 0 ? [...known, entry] : known.with(place, entry);
}

/** TREE-ANSWERS-2. Its item and its `baseline` are not what it asks. */
function keyOf(check: MechanicalCheck): string {
  const { type, value } = check;
  if (type !== "command") return JSON.stringify([type, value, "timeout" in check ? check.timeout : null]);
  const { timeout = null, expect, must_pass, allow_removed, report } = check;
  const perTest = [expect, must_pass, allow_removed, report];
  return JSON.stringify([type, value, timeout, ...(perTest.some((one) => one !== undefined) ? perTest : [])]);
}

function said(evidence: Evidence): string {
  switch (evidence.kind) {
    case "command": {
      const end = evidence.timed_out ? "timed out" : `exit code ${evidence.exit_code ?? evidence.signal ?? "none"}`;
      const output = evidence.output.replaceAll(/\s+/g, " ").trim();
      return output === "" ? end : `${end}: ${output.slice(-MOST_OUTPUT)}`;
    }
    case "file":
      return `${evidence.total} matches`;
    case "error":
      return evidence.message.slice(0, MOST_OUTPUT);
    case "scores":
      return `average ${evidence.average}`;
    case "judgement":
    case "undecided":
    case "flaky":
      return evidence.reason.slice(0, MOST_OUTPUT);
  }
}
