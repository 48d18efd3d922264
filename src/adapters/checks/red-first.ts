/**
 * Red first (SPEC section 6): every check is run before any work. One that already passes proves nothing, one that cannot run
 * decides nothing. One that fails is run again as often as takes no time (core/luck.ts); the loop goes on with that while agents work.
 */
import { checkTypeRow } from "../../core/check-types.ts";
import { FREE_REDS } from "../../core/luck.ts";
import type { BaseCase, Check, ChecklistItem } from "../../core/state.ts";
import {
  failuresOf,
  testsKey,
  type CommandCheck,
  type TestBaseline,
  type TestRun,
  type RedRun,
} from "../../core/test-report.ts";
import { countOf, withRun } from "../../core/tree-answers.ts";
import {
  checkNodesOf,
  leavesOf,
  runsCommand,
  type ChecklistVerdict,
  type Evidence,
  type Leaf,
  type LeafPath,
  type LeafResult,
} from "../../core/verdict.ts";
import type { Checker } from "../../loop/ports.ts";
import { checkWarnings, createChecker, type CheckerOptions } from "./checker.ts";
import { isCrash } from "./command-check.ts";
import { missingSetUp } from "./missing-set-up.ts";
import { baselineOf, beforeOf, type TestsBefore } from "./test-record.ts";
import { verifyBaseCase, type VerifyOptions } from "./verify.ts";

/**
 * `red`: fails before the work, as wanted; `vacuous`: passes before any work; `invariant`: passes and is declared
 * `baseline: pass`; `flaky`: fails and passes before the work; `broken`: could not be run or looked at; `undecided`: needs a
 * judge, or was stopped.
 */
export type Standing = "red" | "vacuous" | "invariant" | "flaky" | "broken" | "undecided";

export interface RedFirstLeaf extends Leaf {
  readonly standing: Standing;
  /** What it means and what to do, in a sentence. */
  readonly why: string;
  readonly result: LeafResult;
}

export interface CheckWarning {
  readonly path: LeafPath;
  readonly item: string;
  readonly message: string;
}

export interface RedFirstReport {
  readonly leaves: readonly RedFirstLeaf[];
  /** What looks wrong without running anything, and contradictions with what was declared. */
  readonly warnings: readonly CheckWarning[];
  readonly verdict: ChecklistVerdict;
  /** The goal as a whole would be verified before any work: the base case is vacuous. */
  readonly would_complete_now: boolean;
  /** The tests of each command that has a report: what later verdicts are compared with. */
  readonly tests: TestsBefore;
  /** What fails in a fresh place for another reason: only a person says that it is the work all the same. */
  readonly doubts: readonly CheckWarning[];
}

/** Filled in by `recordingChecker`. */
export type TestsSeen = Map<string, TestBaseline | RedRun>;

/** A checker whose runs are what later ones are compared with. @param tests filled in */
export function recordingChecker(tests: TestsSeen, options: CheckerOptions = {}): Checker {
  const runs = new Map<string, TestRun>();
  const checker = createChecker({
    ...options,
    testsBefore: () => "aligning",
    onTests: (check, run) => void runs.set(testsKey(check), run),
  });
  return {
    run: async (leaf, dir, signal, how) => {
      const result = await checker.run(leaf, dir, signal, how);
      if (leaf.check.type !== "command" || result.passed === null) return result;
      const key = testsKey(leaf.check);
      const [run, red] = [runs.get(key), redRun(result.evidence, dir)];
      const last = run === undefined ? red : baselineOf(run, red);
      const isWhole = !("could_run" in last) && last.partial === undefined;
      tests.set(key, isWhole ? last : (tests.get(key) ?? last));
      return result;
    },
  };
}

const NO_TESTS =
  /no test files? (?:were )?found|no tests? (?:were )?(?:found|ran|collected|to run)|file or directory not found|could not find|cannot find module/i;

function redRun(evidence: Evidence, dir: string): RedRun {
  if (evidence.kind !== "command") return { could_run: false, said: "" };
  const { output, note } = evidence;
  return { could_run: note === undefined && !NO_TESTS.test(output), said: output.replaceAll(`${dir}/`, "") };
}

export interface RedFirstOptions extends Pick<VerifyOptions, "signal" | "after"> {
  /** Absent: the product's, which notes the tests of commands. */
  readonly checker?: Checker;
  /** Where commands run; absent: in `dir`, with all rights. */
  readonly place?: Pick<CheckerOptions, "place" | "env">;
  /** As in a run's settings; 0: each check is run once. */
  readonly trust: number;
  /** Object id of what is in `dir`; absent: it has none. */
  readonly tree?: string | undefined;
  /** Is told what is run next. */
  readonly tell?: (what: string) => void;
}

/** What all runs again before the work take, milliseconds: nobody is to notice them. */
export const SPARE_MS = 1_000;

/**
 * Runs every mechanical check in `dir`, the project before any work, and those that fail again as long as that is short; asks no
 * judge. A vacuous leaf inside an `any_of` or beside red ones need not make the whole vacuous: see `would_complete_now`.
 */
export async function redFirst(
  baseCase: BaseCase,
  dir: string,
  { trust, tree, checker, place, tell, ...options }: RedFirstOptions,
): Promise<RedFirstReport> {
  const tests: TestsSeen = new Map();
  const before = ({ item }: Leaf): void => tell?.(`before any work: ${item}`);
  const looking = { ...options, before, checker: checker ?? recordingChecker(tests, place) };
  let verdict = await verifyBaseCase(baseCase, dir, looking);
  for (let left = trust === 0 ? 0 : SPARE_MS; ;) {
    const checklist = shortReds(verdict, left);
    if (checklist.length === 0) break;
    const began = performance.now();
    const again = await verifyBaseCase({ checklist }, dir, { ...looking, how: "again" });
    left -= performance.now() - began;
    verdict = withRun(verdict, again, tree);
    if (options.signal.aborted) break;
  }
  const results = checkNodesOf(verdict.checklist);
  const leaves = leavesOf(baseCase).map((leaf, at) => assess(leaf, results[at] ?? NOT_RUN, { dir, tests }));
  const warnings = leaves.flatMap(({ path, item, check, standing }) => {
    const messages = [...checkWarnings(check, dir)];
    if (check.baseline === "pass" && standing === "red")
      messages.push(
        "it is declared to pass before the work (baseline: pass) but fails now; repair it first, or take the declaration away",
      );
    return messages.map((message) => ({ path, item, message }));
  });
  return { leaves, warnings, verdict, would_complete_now: verdict.passed === true, tests, doubts: [] };
}

/** The commands that are red and fit into that time together, as their first runs took it. */
function shortReds({ checklist }: ChecklistVerdict, left: number): readonly ChecklistItem[] {
  let sum = 0;
  return checkNodesOf(checklist).flatMap(({ item, check, passed, evidence, runs = 1 }) => {
    const { duration_ms: ms = 0, note } = evidence.kind === "command" ? evidence : {};
    const isRed = passed === false && runsCommand(check) && note === undefined && evidence.kind !== "error";
    if (!isRed || runs >= FREE_REDS || sum + ms >= left) return [];
    sum += ms;
    return [{ item, check }];
  });
}

const NOT_RUN: LeafResult = {
  passed: null,
  evidence: { kind: "undecided", reason: "needs a judge, or was stopped before it ran" },
};

interface Seen {
  /** The project. */
  readonly dir: string;
  readonly tests: TestsBefore;
}

function assess(leaf: Leaf, result: LeafResult, { dir, tests }: Seen): RedFirstLeaf {
  const unable = missingSetUp(result.evidence, dir) ?? whyUnable(leaf.check, result);
  if (unable !== null) return { ...leaf, result, standing: "broken", why: `cannot be run: ${unable}` };
  if (result.evidence.kind === "flaky") return { ...leaf, result, standing: "flaky", why: whyFlaky(result.evidence) };
  if (result.passed === null)
    return {
      ...leaf,
      result,
      standing: "undecided",
      why: result.evidence.kind === "undecided" ? result.evidence.reason : "not decided",
    };
  if (!result.passed) {
    const why = `fails before the work, as it should${eachOf(result)}${testsWords(leaf, result, tests)}`;
    return { ...leaf, result, standing: "red", why };
  }
  if (leaf.check.baseline === "pass")
    return { ...leaf, result, standing: "invariant", why: "passes before the work and is declared to stay so" };
  return { ...leaf, result, standing: "vacuous", why: whyVacuous(leaf) };
}

/** The failures of a test command that is red: whether they have to be mended all, or which. */
function testsWords({ check }: Leaf, { evidence }: LeafResult, tests: TestsBefore): string {
  if (check.type !== "command") return "";
  // A report that names not all of its tests counts them.
  const counted = evidence.kind === "command" ? (evidence.tests?.failed ?? 0) : 0;
  const count = failuresBefore(tests, check).length || counted;
  if (count === 0) return "";
  const were = `${count} ${count === 1 ? "failure was" : "failures were"} there before`;
  if (check.expect === "no_worse") return `; ${were}; they will not block, but for the tests of must_pass`;
  return `; ${were}, and all of them have to go. Where only some have to: --no-worse ${JSON.stringify(check.value)} --must-pass NAME`;
}

/** The tests of a command that failed; none where not all can be read. */
export function failuresBefore(tests: TestsBefore, check: CommandCheck): readonly string[] {
  const found = beforeOf(tests, check);
  return typeof found === "string" || found.partial !== undefined ? [] : failuresOf(found);
}

function eachOf({ runs = 1 }: LeafResult): string {
  return runs === 1 ? "" : `, in each of ${runs} runs`;
}

function whyFlaky({ answers }: Extract<LeafResult["evidence"], { kind: "flaky" }>): string {
  const [failed, passed] = [countOf(answers, "failed"), countOf(answers, "passed")];
  return `answers both ways before any work: it failed ${failed} and passed ${passed} of ${failed + passed} times, so that no verdict can rest on it; make it answer the same on the same files first`;
}

/** Why a check that passes before any work proves nothing, and what to write in its place. */
function whyVacuous({ check }: Leaf): string {
  if (check.type === "command" && check.expect === "no_worse" && check.must_pass === undefined)
    return "no test is worse before any work, so that it proves nothing alone. Name the tests that the work makes pass (--must-pass NAME, in a file must_pass), or declare that no test may get worse (--invariant)";
  const [now, instead] = checkTypeRow(check.type).vacuous;
  return `${now} before any work, so that it proves nothing: it would pass if nobody did anything. ${instead}; or declare that it only has to stay so (--invariant, in a file baseline: pass)`;
}

/** A `command` that dies of a signal is red, not broken: the crash may be what the work is about. */
export function whyUnable({ type }: Check, { evidence }: LeafResult): string | null {
  if (evidence.kind === "error") return evidence.message;
  if (evidence.kind !== "command" || evidence.note === undefined) return null;
  const crashed = !evidence.timed_out && isCrash(evidence);
  return !checkTypeRow(type).negated && crashed ? null : evidence.note;
}
