/**
 * Verdict algebra (SPEC section 6): three values, and how they combine.
 *
 * VERDICT-1 a group is false if any child is false, else null if any is null, else true;
 * VERDICT-2 an any_of is true if any child is true, else null if any is null, else false;
 * VERDICT-3 a leaf without a result is null: not decided, never passed;
 * VERDICT-4 completion needs true;
 * VERDICT-5 a flaky leaf is null, and is work like a failing one.
 */
import { checkTypeRow, type TypeOf } from "./check-types.ts";
import type { BaseCase, Check, ChecklistItem, RubricCriterion } from "./state.ts";
import type { TestEvidence } from "./test-report.ts";

/** `null`: not decided yet, needs a judge. */
export type Passed = true | false | null;

export type Evidence =
  | {
      readonly kind: "command";
      readonly command: string;
      readonly exit_code: number | null;
      readonly signal?: string;
      readonly timed_out: boolean;
      readonly duration_ms: number;
      /** Last part of stdout and stderr, in the order it came; bounded. */
      readonly output: string;
      /** Bytes that were read but not kept. */
      readonly dropped_bytes: number;
      /** Name for `aot logs`: all of its output, behind that of earlier runs. */
      readonly log?: string;
      /** Why it counts as "could not be run" although there is an exit code or a signal (SPEC section 6, `not_command`). */
      readonly note?: string;
      /** It was run with these files otherwise than in the commit, so that it is no answer of that tree; `note` says why. */
      readonly other_files?: readonly string[];
      /** Files in which it saw a fault before the work, and does not see one that is planted there. */
      readonly unnoticed?: readonly string[];
      /** Of the files that the work changed those with which it is green. */
      readonly because?: readonly string[];
      /** Where its output is a test report. */
      readonly tests?: TestEvidence;
    }
  | { readonly kind: "file"; readonly pattern: string; readonly matches: readonly string[]; readonly total: number }
  | { readonly kind: "scores"; readonly scores: readonly Score[]; readonly average: number; readonly threshold: number }
  | { readonly kind: "judgement"; readonly reason: string; readonly quotes?: readonly Quote[] }
  /** The check could not be run or scored. */
  | { readonly kind: "error"; readonly message: string }
  | { readonly kind: "undecided"; readonly reason: string }
  /** The check answered both ways on one tree; `reason` says it. */
  | { readonly kind: "flaky"; readonly reason: string; readonly answers: TreeAnswer };

/** What a check answered on one tree: each answer with what it came of, in a few words. Both: it is flaky there. */
export interface TreeAnswer {
  /** Object id. */
  readonly tree: string;
  readonly passed?: string;
  readonly failed?: string;
  /** How often it passed, and failed; absent: once, where it did. */
  readonly passes?: number;
  readonly fails?: number;
}

export interface Score {
  readonly criterion: string;
  /** 1 to 5. */
  readonly score: number;
  readonly reason: string;
  readonly quotes?: readonly Quote[];
}

/** What a judge saw: `text` is in `file` at `line` (from 1) or close to it. */
export interface Quote {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

/** What running one leaf gave. */
export interface LeafResult {
  readonly passed: Passed;
  readonly evidence: Evidence;
  /** Set for a true assertion: a person has to say yes. */
  readonly requires_user_confirmation?: boolean;
  /** How often it was run for this verdict, always with this answer; absent: once. */
  readonly runs?: number;
  /** Of a leaf that passed and was red first: how often it was red before the work. */
  readonly reds?: number;
}

/** Path of a leaf in the checklist, child indices from the root: [0, 2]. */
export type LeafPath = readonly number[];

export interface Leaf {
  readonly path: LeafPath;
  readonly item: string;
  readonly check: Check;
}

export type LeafVerdict = Leaf & LeafResult;

export type NodeVerdict =
  | ({ readonly item: string; readonly check: Check } & LeafResult)
  | { readonly item: string; readonly passed: Passed; readonly group: readonly NodeVerdict[] }
  | { readonly item: string; readonly passed: Passed; readonly any_of: readonly NodeVerdict[] };

export interface ChecklistVerdict {
  readonly passed: Passed;
  readonly checklist: readonly NodeVerdict[];
  /** Items that nobody decided. */
  readonly skipped: readonly string[];
  /** The verdict is true, and would not be without leaves that need a person's yes. */
  readonly requires_user_confirmation: boolean;
  /** Of a true verdict: the chance that it, or an earlier one of the loop, is true by luck is at most so (luck.ts). */
  readonly luck?: number;
  /** Tests, and what says how they are run, that are not as they were when the goal was aligned. */
  readonly tests_changed?: readonly string[];
}

export function allOf(children: readonly Passed[]): Passed {
  if (children.includes(false)) return false;
  return children.includes(null) ? null : true;
}

export function anyOf(children: readonly Passed[]): Passed {
  if (children.includes(true)) return true;
  return children.includes(null) ? null : false;
}

/** The checklist of either form of base case; the legacy form is a list of one. */
export function checklistOf(baseCase: BaseCase): readonly ChecklistItem[] {
  if ("checklist" in baseCase) return baseCase.checklist;
  return [{ item: describeCheck(baseCase), check: baseCase }];
}

/** Every leaf, in the order of the file. */
export function leavesOf(baseCase: BaseCase): Leaf[] {
  const leaves: Leaf[] = [];
  const visit = (items: readonly ChecklistItem[], path: LeafPath): void => {
    items.forEach((item, index) => {
      const here = [...path, index];
      if ("check" in item) leaves.push({ path: here, item: item.item, check: item.check });
      else visit("group" in item ? item.group : item.any_of, here);
    });
  };
  visit(checklistOf(baseCase), []);
  return leaves;
}

/**
 * The verdict of a base case from the results of its leaves.
 * @param resultOf result of a leaf, or undefined if it was not run (VERDICT-3: null)
 */
export function judge(baseCase: BaseCase, resultOf: (leaf: Leaf) => LeafResult | undefined): ChecklistVerdict {
  const skipped: string[] = [];
  const visit = (item: ChecklistItem, path: LeafPath): NodeVerdict => {
    if ("check" in item) {
      const result = resultOf({ path, item: item.item, check: item.check }) ?? UNDECIDED;
      if (result.passed === null && result.evidence.kind !== "flaky") skipped.push(item.item);
      return { item: item.item, check: item.check, ...result };
    }
    if ("group" in item) {
      const group = item.group.map((child, i) => visit(child, [...path, i]));
      return { item: item.item, passed: allOf(group.map((g) => g.passed)), group };
    }
    const any = item.any_of.map((child, i) => visit(child, [...path, i]));
    return { item: item.item, passed: anyOf(any.map((a) => a.passed)), any_of: any };
  };
  const checklist = checklistOf(baseCase).map((item, i) => visit(item, [i]));
  const passed = allOf(checklist.map((node) => node.passed));
  return {
    passed,
    checklist,
    skipped,
    requires_user_confirmation: passed === true && allOf(checklist.map(unaided)) !== true,
  };
}

/** The verdict on a node as long as nobody has said yes where a person has to: such a leaf is not decided. */
function unaided(node: NodeVerdict): Passed {
  if ("check" in node) return node.requires_user_confirmation === true ? null : node.passed;
  return "group" in node ? allOf(node.group.map(unaided)) : anyOf(node.any_of.map(unaided));
}

const UNDECIDED: LeafResult = { passed: null, evidence: { kind: "undecided", reason: "no judge decided this yet" } };

/**
 * Weighted average of a judge's scores; weights are normalised by their sum (SPEC section 6).
 * A missing or out-of-range score is an error, not a 0.
 */
export function scoreRubric(
  rubric: readonly RubricCriterion[],
  scores: readonly Score[],
  threshold: number,
): LeafResult {
  let sum = 0;
  let weights = 0;
  const used: Score[] = [];
  for (const criterion of rubric) {
    const score = scores.find((s) => s.criterion === criterion.criterion);
    if (score === undefined) return broken(`no score for "${criterion.criterion}"`);
    if (!(score.score >= 1 && score.score <= 5))
      return broken(`the score for "${criterion.criterion}" is ${score.score}, not 1 to 5`);
    const weight = criterion.weight ?? 1;
    sum += weight * score.score;
    weights += weight;
    used.push(score);
  }
  if (weights <= 0) return broken("the weights of the rubric sum to 0");
  const average = sum / weights;
  // A threshold such as 3.7 must not be missed by a rounding error of the division.
  const passed = average >= threshold - 1e-9;
  return { passed, evidence: { kind: "scores", scores: used, average, threshold } };
}

function broken(message: string): LeafResult {
  return { passed: null, evidence: { kind: "error", message } };
}

/** The rubric of a quality check; the simple form (`criteria`) is a rubric of one. */
export function rubricOf(check: Extract<Check, { type: "quality" }>): readonly RubricCriterion[] {
  return check.rubric ?? [{ criterion: check.criteria ?? "quality", weight: 1 }];
}

/** Decided by running or looking, without a judge. */
export type MechanicalCheck = Exclude<Check, { readonly type: TypeOf<"judge"> }>;

export function isMechanical(check: Check): check is MechanicalCheck {
  return checkTypeRow(check.type).way !== "judge";
}

export function runsCommand(check: Check): check is Extract<Check, { readonly type: TypeOf<"command"> }> {
  return checkTypeRow(check.type).way === "command";
}

/** A check in a few words: `command: npm test`. */
export function describeCheck(check: Check): string {
  if (check.type !== "quality") return `${check.type}: ${check.value}`;
  return `quality: ${
    check.criteria ??
    rubricOf(check)
      .map((c) => c.criterion)
      .join(", ")
  }`;
}

export type CheckNode = Extract<NodeVerdict, { readonly check: Check }>;

/** Every leaf of a verdict, in the order of the file. */
export function checkNodesOf(nodes: readonly NodeVerdict[]): CheckNode[] {
  return nodes.flatMap((node) => ("check" in node ? [node] : checkNodesOf("group" in node ? node.group : node.any_of)));
}

/** The leaves that failed, or are flaky, and kept their base case from being true; what nobody decided is in `skipped`. */
export function failingLeaves(verdict: ChecklistVerdict): LeafVerdict[] {
  const failing: LeafVerdict[] = [];
  const visit = (node: NodeVerdict, path: LeafPath): void => {
    if (node.passed === true) return;
    if ("check" in node) {
      if (node.passed === false || node.evidence.kind === "flaky") failing.push({ ...node, path });
      return;
    }
    ("group" in node ? node.group : node.any_of).forEach((child, i) => {
      visit(child, [...path, i]);
    });
  };
  verdict.checklist.forEach((node, i) => {
    visit(node, [i]);
  });
  return failing;
}
