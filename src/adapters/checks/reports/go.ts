/** `go test -json` and `go test -v`. Pure. */
import type { TestReport } from "../../../core/test-report.ts";
import { createReportBuilder, type TestOutcome } from "./report-builder.ts";

const OUTCOMES: Readonly<Record<string, TestOutcome>> = { pass: "passed", fail: "failed", skip: "skipped" };

/** One package: its tests by name, null while they run. */
interface Package {
  readonly tests: Map<string, TestOutcome | null>;
  ended: TestOutcome | null;
}

export function readGoJson(lines: readonly string[]): TestReport | null {
  const packages = new Map<string, Package>();
  for (const line of lines) {
    const event = line.startsWith("{") ? eventOf(line) : null;
    if (event === null) continue;
    const { Action, Package: path, Test } = event;
    const known = packages.get(path) ?? { tests: new Map<string, TestOutcome | null>(), ended: null };
    packages.set(path, known);
    const outcome = OUTCOMES[Action] ?? null;
    if (Test === undefined) known.ended = outcome ?? known.ended;
    else if (outcome !== null || Action === "run") known.tests.set(Test, outcome);
  }
  return packages.size === 0 ? null : reportOf(packages);
}

function eventOf(line: string): { readonly Action: string; readonly Package: string; readonly Test?: string } | null {
  try {
    const value = JSON.parse(line) as Readonly<Record<string, unknown>> | null;
    const { Action, Package: path, Test } = value ?? {};
    if (typeof Action !== "string" || typeof path !== "string") return null;
    return { Action, Package: path, ...(typeof Test === "string" ? { Test } : {}) };
  } catch {
    // A program's own line.
    return null;
  }
}

const RUN = /^=== RUN {3}(\S+)$/;
const ENDED = /^ *--- (PASS|FAIL|SKIP): (\S+) \(/;
const PACKAGE = /^(ok {2}|FAIL|---)?\t(\S+)(?:\t| \[)/;

/** A package is named after its tests. */
export function readGoText(lines: readonly string[]): TestReport | null {
  const packages = new Map<string, Package>();
  let tests = new Map<string, TestOutcome | null>();
  let isVerbose = false;
  for (const line of lines) {
    const [, begun] = RUN.exec(line) ?? [];
    if (begun !== undefined) tests.set(begun, null);
    isVerbose ||= begun !== undefined;
    const [, outcome = "", name] = ENDED.exec(line) ?? [];
    if (name !== undefined) tests.set(name, OUTCOMES[outcome.toLowerCase()] ?? "failed");
    const [, state, path] = PACKAGE.exec(line) ?? [];
    if (path === undefined || state === undefined) continue;
    packages.set(path, { tests, ended: state === "FAIL" ? "failed" : "passed" });
    tests = new Map();
  }
  if (packages.size === 0) return null;
  if (tests.size > 0) packages.set("", { tests, ended: null });
  const report = reportOf(packages);
  // What passes is not named then, and once all tests do there is nothing to compare with.
  return isVerbose
    ? report
    : { ...report, incomplete: report.incomplete ?? "it names no test that passes: run it with -v" };
}

function reportOf(packages: ReadonlyMap<string, Package>): TestReport {
  const builder = createReportBuilder();
  let open: string | null = null;
  let silent: string | null = null;
  for (const [path, { tests, ended }] of packages) {
    const failed = [...tests].flatMap(([name, outcome]) => (outcome === "failed" ? [name] : []));
    const parents = parentsOf(tests.keys());
    for (const [name, outcome] of tests) {
      if (outcome === null) open ??= name;
      else if (!parents.has(name)) builder.add([path, ...name.split("/")], outcome);
      else if (outcome === "failed" && !failed.some((other) => other.startsWith(`${name}/`)))
        builder.error([path, ...name.split("/")]);
    }
    if (ended === null) open ??= path;
    if (ended === "failed" && failed.length === 0) builder.error([path]);
    if (ended === "passed" && tests.size === 0) silent ??= path;
  }
  const incomplete =
    open !== null ? `${open} has not ended` : silent !== null ? `it names no test of ${silent}: run it with -v` : null;
  return builder.report("go", incomplete);
}

function parentsOf(names: Iterable<string>): ReadonlySet<string> {
  const parents = new Set<string>();
  for (const name of names)
    for (let at = name.indexOf("/"); at > 0; at = name.indexOf("/", at + 1)) parents.add(name.slice(0, at));
  return parents;
}
