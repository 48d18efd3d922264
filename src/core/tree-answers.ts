/**
 * What the checks of a loop answered, by the tree they were run on (SPEC section 6).
 *
 * TREE-ANSWERS-1 a mechanical check that answered both ways on one tree is flaky there: null, whatever it answers next;
 * TREE-ANSWERS-2 a check is its definition: one that a redirect changed has answered nothing yet;
 * TREE-ANSWERS-3 every run of the loop counts, earlier ones and the alignment too; TREES_KEPT trees are remembered of
 *    each check.
 */
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

/** The oldest tree first. */
export interface CheckAnswers {
  /** `keyOf` the check. */
  readonly check: string;
  readonly trees: readonly TreeAnswer[];
}

export type Answers = readonly CheckAnswers[];

const TREES_KEPT = 100;
const MOST_OUTPUT = 160;

/** The answers once those of a verdict came to them. @param tree object id of the tree that was checked */
export function remember(known: Answers, tree: string, verdict: ChecklistVerdict): Answers {
  let answers = known;
  for (const { check, passed, evidence } of checkNodesOf(verdict.checklist)) {
    if (!isMechanical(check)) continue;
    if (evidence.kind === "flaky") answers = put(answers, keyOf(check), evidence.answers);
    else if (passed !== null)
      answers = put(answers, keyOf(check), { tree, [passed ? "passed" : "failed"]: said(evidence) });
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
    const answer = treesOf(known, node.check).find((one) => one.tree === tree);
    return answer === undefined || node.passed === null || !isFlaky(answer) ? node : flakyResult(answer);
  });
  if (results.every((result, place) => result === nodes[place])) return verdict;
  let place = 0;
  // Leaves are visited in the order of the file, as `checkNodesOf` gives them.
  return judge({ checklist: verdict.checklist }, () => results[place++]);
}

/** A leaf that answered both ways on one tree. */
function flakyResult(answers: TreeAnswer): LeafResult {
  const reason = `answers both ways on the same tree ${answers.tree.slice(0, 10)}: failed (${answers.failed ?? ""}) and passed (${answers.passed ?? ""})`;
  return { passed: null, evidence: { kind: "flaky", reason, answers } };
}

/** Whether a check has been flaky on any tree: one more pass of it proves little. */
export function isDoubtful(known: Answers, check: Check): boolean {
  return treesOf(known, check).some(isFlaky);
}

function treesOf(known: Answers, check: Check): readonly TreeAnswer[] {
  if (!isMechanical(check)) return [];
  const key = keyOf(check);
  return known.find((one) => one.check === key)?.trees ?? [];
}

function isFlaky({ passed, failed }: TreeAnswer): boolean {
  return passed !== undefined && failed !== undefined;
}

/** The first answer of a kind stays: it is what the second one is held against. */
function put(known: Answers, check: string, answer: TreeAnswer): Answers {
  const place = known.findIndex((one) => one.check === check);
  const trees = known[place]?.trees ?? [];
  const before = trees.find(({ tree }) => tree === answer.tree);
  const rest = before === undefined ? trees : trees.filter((one) => one !== before);
  const entry = { check, trees: [...rest, { ...answer, ...before }].slice(-TREES_KEPT) };
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
