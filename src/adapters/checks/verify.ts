/**
 * The verdict of a whole base case (SPEC section 6).
 *
 * VERIFY-1 mechanical leaves run first, all of them: each failing one is work, and evidence;
 * VERIFY-2 the judge is asked only for a leaf that can still change the verdict, in the order of the file; about leaves that
 *    are all wanted, up to JUDGED_AT_ONCE side by side, which share what is left to spend;
 * VERIFY-3 what was given beforehand decides assertions and quality only, never a mechanical leaf;
 * VERIFY-4 an assertion that is true requires a person's confirmation;
 * VERIFY-5 a quality score is computed here from the judge's single scores; the judge's own verdict does not count;
 * VERIFY-6 a later part of a verification (the judge was rate limited) runs no check again that was decided, and
 *    evidence stays what it was before the first of them ran.
 */
import type { Usage } from "../../core/event.ts";
import { tokensOf } from "../../core/loop.ts";
import type { BaseCase, ChecklistItem } from "../../core/state.ts";
import {
  checklistOf,
  isMechanical,
  judge as combine,
  leavesOf,
  rubricOf,
  runsCommand,
  scoreRubric,
  type ChecklistVerdict,
  type Leaf,
  type LeafPath,
  type LeafResult,
  type Passed,
} from "../../core/verdict.ts";
import { sum } from "../../loop/ask.ts";
import type { Checker, Judge, JudgeBudget, JudgeCall } from "../../loop/ports.ts";
import type { Rerun } from "../../verdict/agreed-files.ts";

export type Judgement = Awaited<ReturnType<Judge["judge"]>>;

/** What one verification of a folder has found so far, for a later part of it (VERIFY-6). */
export interface Progress {
  /** By the leaf's path. */
  readonly results: Map<string, LeafResult>;
  looked: boolean;
}

export function createProgress(): Progress {
  return { results: new Map(), looked: false };
}

export interface VerifyOptions {
  readonly checker: Checker;
  /** Absent: what needs a judge stays undecided. */
  readonly judge?: Judge;
  readonly signal: AbortSignal;
  /** What the run's limits leave for the judge. */
  readonly left?: JudgeBudget;
  /** What the goal is, for the judge. */
  readonly brief?: string;
  readonly since?: JudgeCall["since"];
  /** A result that is known already for an assertion or a quality leaf, such as a judge's scores from a file. */
  readonly given?: (leaf: Leaf) => LeafResult | undefined;
  /** Filled in; of an earlier part of the same verification. */
  readonly progress?: Progress;
  /** Absent: the checks are run in this folder for the first time. */
  readonly how?: Rerun;
  /** Called before each command. */
  readonly before?: ((leaf: Leaf) => void) | undefined;
  /** Called after each command that ran, before the next check; its answer is the leaf's result. */
  readonly after?: (leaf: Leaf, result: LeafResult) => Promise<LeafResult>;
  /** Called after each call of the judge: what it cost, and whether it was there at all. Must not throw. */
  readonly onJudged?: (leaf: Leaf, judgement: Judgement) => void;
}

type ResultOf = (leaf: Leaf) => LeafResult | undefined;

/** Never rejects if its ports keep their contracts. When the signal aborts, what is left stays undecided. */
export async function verifyBaseCase(
  baseCase: BaseCase,
  dir: string,
  options: VerifyOptions,
): Promise<ChecklistVerdict> {
  const leaves = leavesOf(baseCase);
  const progress = options.progress ?? createProgress();
  const { results } = progress;
  const resultOf: ResultOf = (leaf) => results.get(key(leaf.path));

  if (!progress.looked && leaves.some((leaf) => !isMechanical(leaf.check))) await options.judge?.look?.(dir);
  progress.looked = true;
  for (const leaf of leaves) {
    const given = isMechanical(leaf.check) ? undefined : options.given?.(leaf);
    if (given !== undefined) results.set(key(leaf.path), judged(leaf, given));
  }
  await runMechanical(
    leaves.filter((leaf) => isMechanical(leaf.check) && !results.has(key(leaf.path))),
    dir,
    options,
    (leaf, result) => results.set(key(leaf.path), result),
  );
  let spent: Usage | undefined;
  /** Of a judge that was not there. It is not asked again: the next call would only wait as long. */
  const away = new Map<string, LeafResult>();
  while (options.judge !== undefined && away.size === 0 && !options.signal.aborted) {
    const { judge, signal } = options;
    const wanted = nextJudged(baseCase, leaves, resultOf);
    if (wanted.length === 0) break;
    const call = callOf(spent, wanted.length, options);
    const asked = wanted.map(async (leaf) => ({ leaf, judgement: await judge.judge(leaf, dir, signal, call) }));
    for (const { leaf, judgement } of await Promise.all(asked)) {
      spent = sum(spent, judgement.usage);
      options.onJudged?.(leaf, judgement);
      (judgement.unavailable === undefined ? results : away).set(key(leaf.path), judged(leaf, judgement));
    }
  }
  return combine(baseCase, (leaf) => away.get(key(leaf.path)) ?? resultOf(leaf));
}

const JUDGED_AT_ONCE = 4;

/** VERIFY-2. Where one answer would do, of an any_of, the next leaf waits for it. */
function nextJudged(baseCase: BaseCase, leaves: readonly Leaf[], resultOf: ResultOf): readonly Leaf[] {
  const next: Leaf[] = [];
  for (const leaf of leaves) {
    if (isMechanical(leaf.check) || resultOf(leaf) !== undefined || !isOpen(baseCase, leaf, resultOf)) continue;
    if (next.some((other) => !meetInGroup(baseCase, other.path, leaf.path))) break;
    next.push(leaf);
  }
  return next.slice(0, JUDGED_AT_ONCE);
}

function callOf(spent: Usage | undefined, calls: number, { left, brief, since }: VerifyOptions): JudgeCall {
  const { budget_usd, budget_tokens } = left ?? {};
  const share = (most: number, used: number): number => Math.max(0, most - used) / calls;
  return {
    ...left,
    ...(brief === undefined ? {} : { brief }),
    ...(since === undefined ? {} : { since }),
    ...(budget_usd === undefined ? {} : { budget_usd: share(budget_usd, spent?.cost_usd ?? 0) }),
    ...(budget_tokens === undefined ? {} : { budget_tokens: Math.floor(share(budget_tokens, tokensOf(spent))) }),
  };
}

/** Runs the leaves in order, one at a time: checks may share ports and files. */
async function runMechanical(
  leaves: readonly Leaf[],
  dir: string,
  { signal, checker, how, before, after }: VerifyOptions,
  done: (leaf: Leaf, result: LeafResult) => void,
): Promise<void> {
  for (const leaf of leaves) {
    if (signal.aborted) return;
    if (runsCommand(leaf.check)) before?.(leaf);
    const result = await checker.run(leaf, dir, signal, how);
    const ran = result.evidence.kind === "command" && after !== undefined;
    done(leaf, ran ? await after(leaf, result) : result);
  }
}

/**
 * Whether the leaf's answer can still change the verdict. The other open leaves are put where they stand least in its
 * way, true beside it in a group and false beside it in an any_of; as each leaf occurs once and neither node turns a
 * better child into a worse verdict, no other choice shows a difference that this one hides.
 */
function isOpen(baseCase: BaseCase, leaf: Leaf, resultOf: ResultOf): boolean {
  const supposed = (passed: boolean): LeafResult => ({ passed, evidence: { kind: "undecided", reason: "supposed" } });
  const verdictIf = (mine: boolean): Passed =>
    combine(baseCase, (other) => {
      if (key(other.path) === key(leaf.path)) return supposed(mine);
      return resultOf(other) ?? supposed(meetInGroup(baseCase, leaf.path, other.path));
    }).passed;
  return verdictIf(true) !== verdictIf(false);
}

/** Whether the lowest node above both leaves is a group; the checklist itself is one. */
function meetInGroup(baseCase: BaseCase, one: LeafPath, other: LeafPath): boolean {
  let nodes: readonly ChecklistItem[] = checklistOf(baseCase);
  let group = true;
  for (let depth = 0; one[depth] === other[depth]; depth++) {
    const node = nodes[one[depth] ?? 0];
    if (node === undefined || "check" in node) break;
    group = "group" in node;
    nodes = "group" in node ? node.group : node.any_of;
  }
  return group;
}

/** A judge's answer as a result (VERIFY-4, VERIFY-5). */
function judged(leaf: Leaf, answer: LeafResult): LeafResult {
  const { passed, evidence } = answer;
  if (leaf.check.type === "assertion") {
    const confirm = passed === true && (answer.requires_user_confirmation ?? true);
    return { passed, evidence, ...(confirm && { requires_user_confirmation: true }) };
  }
  if (leaf.check.type !== "quality" || passed === null) return { passed, evidence };
  if (evidence.kind === "scores") return scoreRubric(rubricOf(leaf.check), evidence.scores, leaf.check.pass_threshold);
  return {
    passed: null,
    evidence: {
      kind: "error",
      message: "the judge gave a verdict but no scores; a quality check is decided by its scores",
    },
  };
}

function key(path: LeafPath): string {
  return path.join(".");
}
