/**
 * Tests one by one (SPEC section 6): what a report says of each test, and whether that is worse than at the alignment.
 *
 * TEST-REPORT-1 a test is its name: file, suites, title. A name that several tests bear is counted, so that a line more
 *    which says "passed" hides no failure of that name;
 * TEST-REPORT-2 a test that is gone, or skipped now, is worse unless `allow_removed` names it; new tests never are;
 * TEST-REPORT-3 a test that failed before, and what failed before beside the tests, does not count;
 * TEST-REPORT-4 what cannot be compared (no report, a cut one, one that its exit code contradicts) is worse;
 * TEST-REPORT-5 a name of `must_pass` is met when a test bears it, and every test that does passes;
 * TEST-REPORT-6 with the tests as agreed what failed at the alignment passes. What passed there may fail: the work may change
 *    what the program does, and its own tests show that;
 * TEST-REPORT-7 a report that names not all its tests says two things all the same: that its runner came to its end, which it has
 *    to say again, and what failed.
 */
import type { Check } from "./state.ts";
import type { TypeOf } from "./check-types.ts";

/** How often a name passed, failed, was skipped (or is to do). */
export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export interface TestReport {
  /** Of the reports that were read: `tap`, `junit`, ... */
  readonly format: string;
  /** By name: `file > suite > title`. */
  readonly tests: ReadonlyMap<string, Tally>;
  /** What failed and is no test: a file that could not be loaded, a hook. */
  readonly errors: readonly string[];
  /** Why it does not name all its tests; null: it does. */
  readonly incomplete: string | null;
  /** What it says at its end, where it does not name all. */
  readonly counted?: Tally;
}

/** What the tests were at the alignment. */
export interface TestBaseline extends Omit<TestReport, "incomplete" | "counted"> {
  readonly exit_code: number | null;
  /** TEST-REPORT-7: passing tests have no name. */
  readonly partial?: true;
  readonly said?: string;
}

/** How a command ran at the alignment. */
export interface RedRun {
  readonly could_run: boolean;
  /** The end of what it printed, without the path of its folder. */
  readonly said: string;
}

/** Some names, and how many there are. */
export interface Named {
  readonly total: number;
  readonly names: readonly string[];
}

/** The tests of a command, as its evidence has them. Names are bounded in number and length. */
export interface TestEvidence {
  readonly format: string;
  readonly total: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Tests that fail now and, where the alignment is known, did not fail there; then what failed beside the tests. */
  readonly failing?: Named;
  /** Failed at the alignment, and fail now. */
  readonly pre_existing?: Named;
  /** Were there at the alignment, and are not now. */
  readonly vanished?: Named;
  /** Ran at the alignment, and are skipped now. */
  readonly newly_skipped?: Named;
  /** Gone or skipped, as `allow_removed` has it. */
  readonly allowed?: Named;
  /** Of `must_pass`: no test bears the name, or one that does has not passed. */
  readonly not_passed?: readonly string[];
  /** How many failed at the alignment and pass now. */
  readonly mended?: number;
}

export type CommandCheck = Extract<Check, { readonly type: TypeOf<"command"> }>;

/** One run of a command, as far as its tests go. */
export interface TestRun {
  readonly exit_code: number | null;
  /** What it printed or wrote; a sentence: why nothing can be read. */
  readonly report: TestReport | string;
}

export interface TestVerdict {
  readonly passed: boolean;
  readonly tests?: TestEvidence;
  /** TEST-REPORT-4. */
  readonly note?: string;
}

/**
 * What there is to compare with. `aligning`: this run is what later ones are compared with; `unknown`: nothing was read at
 * the alignment; `lost`: it was, and what is kept of it is gone or was changed.
 */
export type Before = TestBaseline | "aligning" | "unknown" | "lost";

const MOST_NAMED = 20;
const LONGEST_NAME = 200;
/** Of names on one line, in characters. */
const LONGEST_LINE = 400;

/** Whether its exit code alone does not decide a check. */
export function isPerTest({ expect, must_pass = [] }: CommandCheck): boolean {
  return expect === "no_worse" || must_pass.length > 0;
}

/** What a check's tests are kept by: the same command has the same tests, whatever is expected of them. */
export function testsKey({ value, report }: CommandCheck): string {
  return JSON.stringify(report === undefined ? [value] : [value, report]);
}

/** Whether a command that ran passes by its tests. @param before what its tests were at the alignment */
export function judgeTests(check: CommandCheck, run: TestRun, before: Before): TestVerdict {
  const { report } = run;
  const no_worse = check.expect === "no_worse";
  const ended = no_worse || run.exit_code === 0;
  const baseline = typeof before === "string" ? null : before;
  const note = whyIncomparable(check, run, before);
  if (typeof report === "string") return { passed: ended && note === null, ...(note === null ? {} : { note }) };
  const change = compare(report, baseline, check.allow_removed ?? []);
  const not_passed = (check.must_pass ?? []).filter((pattern) => !isMet(report, pattern));
  const worse = [...change.vanished, ...change.skipped, ...not_passed, ...(no_worse ? change.broken : [])];
  const isNamed = report.tests.size + report.errors.length + worse.length > 0 || report.counted !== undefined;
  return {
    passed: ended && note === null && worse.length === 0,
    ...(isNamed ? { tests: evidenceOf(report, change, not_passed) } : {}),
    ...(note === null ? {} : { note }),
  };
}

/** TEST-REPORT-6. Whether a check passes with its tests as they were at the alignment; without a report its exit code says it. */
export function judgeAgreed(check: CommandCheck, run: TestRun, before: Before): TestVerdict {
  const { report, exit_code } = run;
  if (typeof before === "string") return judgeTests(check, run, before);
  if (before.partial !== undefined) return judgeTests(check, run, before);
  if (failuresOf(before).length === 0 && !isPerTest(check)) return { passed: exit_code === 0 };
  if (typeof report === "string") return { passed: false, note: report };
  if (report.incomplete !== null)
    return { passed: false, note: `its test report cannot be relied on: ${report.incomplete}` };
  const unmet = isPerTest(check) ? requiredUnmet(check, report, before) : notMended(report, before);
  // Tests that nobody could see then, since their file could not be loaded, are agreed, too.
  const unseen = isPerTest(check) ? [] : failuresOf(report).filter((name) => !before.tests.has(name));
  const failing = [...new Set([...unmet, ...unseen])];
  return {
    passed: failing.length === 0,
    tests: { format: report.format, ...totals(report), ...(failing.length === 0 ? {} : { failing: some(failing) }) },
  };
}

/** What failed then, and fails now. */
function stillFailing({ tests, errors }: TestReport, before: TestBaseline): readonly string[] {
  const names = [...before.tests].flatMap(([name, { failed }]) => (failed > 0 ? [name] : []));
  return [
    ...names.filter((name) => (tests.get(name) ?? NONE).failed > 0),
    ...before.errors.filter((error) => errors.includes(error)),
  ];
}

/** What failed then, and does not pass now. */
function notMended(report: TestReport, before: TestBaseline): readonly string[] {
  const gone = [...before.tests].flatMap(([name, was]) => {
    const { passed, failed } = report.tests.get(name) ?? NONE;
    return was.failed > 0 && passed + failed === 0 ? [name] : [];
  });
  return [...stillFailing(report, before), ...gone];
}

/** A name that no test bore then, and none bears in that form, is a test of the work's own. */
function requiredUnmet({ must_pass = [] }: CommandCheck, report: TestReport, before: TestBaseline): readonly string[] {
  const isUnloaded = before.errors.some((error) => report.errors.includes(error));
  return must_pass.filter((pattern) => {
    const known = [before, report].some(({ tests }) => [...tests.keys()].some((name) => bears(name, pattern)));
    return known ? !isMet(report, pattern) : isUnloaded;
  });
}

/** Whether a run with other expectations fails by a test, as it has to. @param last what it said with its own */
export function noticesCanary(
  check: CommandCheck,
  { report, exit_code }: TestRun,
  last: TestReport | undefined,
): boolean {
  if (!isPerTest(check) && exit_code === 0) return false;
  if (typeof report === "string") return exit_code !== 0;
  const failed = [...report.tests].filter(([, tally]) => tally.failed > 0);
  // Some reports name none.
  if (failed.length === 0 && report.errors.length === 0) return report.incomplete !== null;
  return failed.some(([name, tally]) => (last?.tests.get(name)?.failed ?? 0) < tally.failed);
}

/** TEST-REPORT-4. Null: the tests can be compared, or need not be. */
function whyIncomparable(check: CommandCheck, { exit_code, report }: TestRun, before: Before): string | null {
  const compared = typeof before !== "string";
  const no_worse = check.expect === "no_worse";
  if (before === "lost") return `what its tests were at the alignment is lost; ${ALIGN_ANEW}`;
  if (!compared && !isPerTest(check)) return null;
  if (typeof report === "string") {
    if (!compared) return report;
    if (before.partial !== undefined) return noEnd(before);
    return `${report}; at the alignment ${totals(before).total} tests could be read`;
  }
  if (report.incomplete !== null && !(compared && before.partial !== undefined))
    return `its test report cannot be relied on: ${report.incomplete}`;
  if (compared && !no_worse && exit_code === 0 && stillFailing(report, before).length > 0) return HIDDEN_FAILURE;
  if (compared && report.counted !== undefined && totals(report).total < failuresOf(before).length)
    return `${totals(report).total} tests ran, and ${failuresOf(before).length} failed at the alignment`;
  if (!no_worse) return null;
  if (before === "unknown") return `no test report could be read at the alignment; ${ALIGN_ANEW}`;
  const contradiction = contradictionOf(exit_code, failuresOf(report).length);
  if (!compared || contradiction === null) return contradiction;
  // What failed beside the tests before the work, such as a threshold of coverage, does not count.
  return contradictionOf(before.exit_code, failuresOf(before).length) === contradiction ? null : contradiction;
}

/** TEST-REPORT-7. */
function noEnd({ format }: TestBaseline): string {
  return `the closing line of ${format}, which was there at the alignment, is missing: something ended the run early, or hides what it prints. A check that prints it only when it fails has to print it always`;
}

const HIDDEN_FAILURE = "the exit code is 0 although tests failed: something hides it";
const ALIGN_ANEW = "align anew with `aot align --force`";

function contradictionOf(exit_code: number | null, failures: number): string | null {
  if (exit_code === 0 && failures > 0) return HIDDEN_FAILURE;
  if (exit_code !== 0 && failures === 0) return `the exit code is ${exit_code} although no test failed`;
  return null;
}

interface Change {
  /** Fail now, and passed or were not there. */
  readonly failing: readonly string[];
  /** Of those, the ones that passed; and errors beside the tests that are new. */
  readonly broken: readonly string[];
  readonly before: readonly string[];
  readonly vanished: readonly string[];
  readonly skipped: readonly string[];
  readonly allowed: readonly string[];
  readonly mended: number;
}

const NONE: Tally = { passed: 0, failed: 0, skipped: 0 };

/** TEST-REPORT-1 to 3. */
function compare(report: TestReport, baseline: TestBaseline | null, allowed: readonly string[]): Change {
  const known: TestBaseline["tests"] = baseline?.tests ?? new Map<string, Tally>();
  const errors = report.errors.filter((name) => baseline?.errors.includes(name) !== true);
  const failing: string[] = [];
  const before: string[] = [];
  for (const [name, now] of report.tests)
    if (now.failed > 0) ((known.get(name) ?? NONE).failed >= now.failed ? before : failing).push(name);
  const gone = { vanished: [] as string[], skipped: [] as string[], allowed: [] as string[] };
  let mended = 0;
  for (const [name, was] of known) {
    const found = report.tests.get(name);
    // Where passing tests have no name nobody knows which are gone.
    if (found === undefined && baseline?.partial !== undefined) continue;
    const now = found ?? NONE;
    const how = howRemoved(was, now);
    if (how !== null) gone[allowed.some((pattern) => bears(name, pattern)) ? "allowed" : how].push(name);
    else if (was.failed > 0 && now.failed === 0) mended += 1;
  }
  const broken = failing.filter((name) => (known.get(name) ?? NONE).passed > 0);
  return {
    failing: [...failing, ...errors],
    broken: baseline === null ? [] : [...broken, ...errors],
    before,
    ...gone,
    mended,
  };
}

function howRemoved(was: Tally, now: Tally): "vanished" | "skipped" | null {
  if (sum(now) < sum(was)) return "vanished";
  return now.passed + now.failed < was.passed + was.failed ? "skipped" : null;
}

/** TEST-REPORT-5. */
function isMet({ tests }: TestReport, pattern: string): boolean {
  const named = [...tests].filter(([name]) => bears(name, pattern));
  return named.length > 0 && named.every(([, { failed, skipped }]) => failed === 0 && skipped === 0);
}

/** Whether a pattern names a test: its whole name or the last parts of it, as runners part them, too; `*` is any text. */
export function bears(name: string, pattern: string): boolean {
  if (name === pattern || name.endsWith(`${SEPARATOR}${pattern}`)) return true;
  if (pattern.includes("*") && (isLike(name, pattern) || isLike(name, `*${SEPARATOR}${pattern}`))) return true;
  return pattern.includes("::") && bears(name, pattern.replaceAll("::", SEPARATOR));
}

export const SEPARATOR = " > ";

/** Linear but for the number of stars: each part is looked for behind the one before. */
export function isLike(text: string, pattern: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop() ?? "";
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= text.length - last.length;
}

export function totals({ tests, counted }: Pick<TestReport, "tests" | "counted">): Tally & { readonly total: number } {
  const tallies = counted === undefined ? [...tests.values()] : [counted];
  const of = (outcome: keyof Tally): number => tallies.reduce((all, tally) => all + tally[outcome], 0);
  const tally = { passed: of("passed"), failed: of("failed"), skipped: of("skipped") };
  return { ...tally, total: sum(tally) };
}

/** The tests that failed, then what failed beside them. */
export function failuresOf({ tests, errors }: Omit<TestReport, "incomplete">): readonly string[] {
  return [...[...tests].flatMap(([name, { failed }]) => (failed > 0 ? [name] : [])), ...errors];
}

function sum({ passed, failed, skipped }: Tally): number {
  return passed + failed + skipped;
}

function evidenceOf(report: TestReport, change: Change, not_passed: readonly string[]): TestEvidence {
  const { format } = report;
  const named = (key: string, names: readonly string[]): object => (names.length === 0 ? {} : { [key]: some(names) });
  return {
    format,
    ...totals(report),
    ...named("failing", change.failing),
    ...named("pre_existing", change.before),
    ...named("vanished", change.vanished),
    ...named("newly_skipped", change.skipped),
    ...named("allowed", change.allowed),
    ...(not_passed.length === 0 ? {} : { not_passed: some(not_passed).names }),
    ...(change.mended === 0 ? {} : { mended: change.mended }),
  };
}

function some(names: readonly string[]): Named {
  const cut = (name: string): string => (name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1)}…` : name);
  return { total: names.length, names: names.slice(0, MOST_NAMED).map(cut) };
}

/** What the tests of a command came to, each line with the names it is about; the first says the counts. */
export function testLines(tests: TestEvidence): readonly string[] {
  const { total, passed, failed, skipped, not_passed = [], mended = 0 } = tests;
  const counts = [
    `${passed} of ${total} tests passed`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
    ...(mended > 0 ? [`${mended} mended`] : []),
  ];
  return [
    counts.join(", "),
    ...list("failing", tests.failing),
    ...list("required, not passed", { total: not_passed.length, names: not_passed }),
    ...list("vanished", tests.vanished),
    ...list("skipped now", tests.newly_skipped),
    ...list("removed, as allowed", tests.allowed),
    ...list("failed before, too", tests.pre_existing),
  ];
}

function list(what: string, { total, names }: Named = { total: 0, names: [] }): readonly string[] {
  const shown: string[] = [];
  for (let left = LONGEST_LINE; shown.length < names.length && left > 0; left -= shown.at(-1)?.length ?? 0)
    shown.push(names[shown.length] ?? "");
  const more = total - shown.length;
  return total === 0 ? [] : [`${what}: ${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`];
}
