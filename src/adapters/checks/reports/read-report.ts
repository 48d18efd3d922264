/** The test reports that are known by their form, one row each (SPEC section 6). Pure. */
import type { Tally, TestReport } from "../../../core/test-report.ts";
import { readCargo } from "./cargo.ts";
import { readGoJson, readGoText } from "./go.ts";
import { readJest, readMochaJson } from "./json-reports.ts";
import { readJunit } from "./junit.ts";
import { readPytest } from "./pytest.ts";
import { readMochaSpec, readNodeSpec } from "./spec-text.ts";
import { readTap } from "./tap.ts";
import { readUnittest } from "./unittest.ts";

interface FormatRow {
  /** As `report:` names it. */
  readonly names: readonly string[];
  /** What no report of it is without. */
  readonly mark: RegExp;
  /** Null: the text holds none. */
  readonly read: (text: string, lines: readonly string[]) => TestReport | null;
}

const byLine =
  (read: (lines: readonly string[]) => TestReport | null): FormatRow["read"] =>
  (_, lines) =>
    read(lines);

/** What runners whose texts are not read test by test print at their end, whether tests pass or fail. */
const CLOSING_LINES: readonly { readonly name: string; readonly mark: RegExp }[] = [
  { name: "jest", mark: /^Tests: +(?:\d+ \w+, )*\d+ total$/m },
  { name: "vitest", mark: /^ *Tests {2,}\d+ \w+(?: \| \d+ \w+)* \(\d+\)$/m },
  { name: "minitest", mark: /^\d+ (?:runs|tests), \d+ assertions, \d+ failures, \d+ errors\b/m },
  { name: "rspec", mark: /^\d+ examples?, \d+ failures?\b/m },
  { name: "prove", mark: /^Files=\d+, Tests=\d+\b/m },
  { name: "ExUnit", mark: /^\d+ tests?, \d+ failures?\b/m },
  { name: "XCTest", mark: /^\s*Executed \d+ tests?, with \d+ failures?\b/m },
  { name: "deno", mark: /^(?:ok|FAILED) \| \d+ passed\b/m },
  { name: "bun", mark: /^Ran \d+ tests? across \d+ files?\b/m },
  { name: "ctest", mark: /^\d+% tests passed, \d+ tests failed out of \d+/m },
  { name: "dotnet", mark: /^(?:Passed|Failed)! +- Failed: +\d+/m },
  { name: "phpunit", mark: /^(?:OK \(\d+ tests?, \d+ assertions?\)|Tests: \d+, Assertions: \d+)/m },
];

const FORMATS: readonly FormatRow[] = [
  { names: ["vitest", "jest"], mark: /"testResults"/, read: readJest },
  { names: ["mocha"], mark: /"fullTitle"/, read: readMochaJson },
  { names: ["junit"], mark: /<testsuites?[\s>]/, read: readJunit },
  { names: ["tap"], mark: /^(?:TAP version 1\d|1\.\.\d)/m, read: byLine(readTap) },
  { names: ["node"], mark: /^ℹ tests \d/m, read: byLine(readNodeSpec) },
  { names: ["mocha"], mark: /^ *\d+ (?:passing|failing|pending)\b/m, read: byLine(readMochaSpec) },
  { names: ["pytest"], mark: / in [\d.:]+s\b/, read: byLine(readPytest) },
  { names: ["go"], mark: /^\{"(?:Time|Action|ImportPath)"/m, read: byLine(readGoJson) },
  { names: ["go"], mark: /^(?:ok {2}|FAIL)\t/m, read: byLine(readGoText) },
  { names: ["cargo"], mark: /^running \d+ tests?$/m, read: byLine(readCargo) },
  { names: ["unittest"], mark: /^Ran \d+ tests? in /m, read: byLine(readUnittest) },
  ...CLOSING_LINES.map(({ name, mark }) => ({ names: [name], mark, read: () => endedReport(name) })),
];

/** What `report:` may name beside a file. */
export const REPORT_FORMATS: ReadonlySet<string> = new Set(FORMATS.flatMap(({ names }) => names));

const ANSI = /\u001b\[[0-9;?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?/g;

/**
 * All reports in a text, as one: a command may run several runners. Null: there is none.
 * @param roots folders that belong to no name, absolute
 * @param format only this one
 */
export function readReport(text: string, roots: readonly string[], format?: string): TestReport | null {
  const plain = roots.reduce(
    (shorter, root) => shorter.replaceAll(`file://${root}/`, "").replaceAll(`${root}/`, "").replaceAll(`${root}\\`, ""),
    text.replaceAll(ANSI, "").replaceAll("\r\n", "\n"),
  );
  let lines: readonly string[] | null = null;
  const reports = FORMATS.flatMap(({ names, mark, read }) => {
    if ((format !== undefined && !names.includes(format)) || !mark.test(plain)) return [];
    return read(plain, (lines ??= linesOf(plain))) ?? [];
  });
  const named = reports.filter(({ tests, errors }) => tests.size + errors.length > 0);
  // One without a name says that its runner came to its end.
  const found = named.length > 0 ? named : reports;
  return found.reduce<TestReport | null>((one, other) => (one === null ? other : joined(one, other)), null);
}

/** No line of a report is longer, but in JSON and XML. */
const LONGEST_LINE = 4_000;

/** Behind a carriage return a line is written anew. */
function linesOf(text: string): readonly string[] {
  return text.split("\n").map((line) => {
    const from = line.lastIndexOf("\r") + 1;
    return line.slice(from, from + LONGEST_LINE);
  });
}

/** Two reports as one. */
export function joined(one: TestReport, other: TestReport): TestReport {
  const tests = new Map<string, Tally>(one.tests);
  for (const [name, { passed, failed, skipped }] of other.tests) {
    const known = tests.get(name) ?? { passed: 0, failed: 0, skipped: 0 };
    tests.set(name, {
      passed: known.passed + passed,
      failed: known.failed + failed,
      skipped: known.skipped + skipped,
    });
  }
  return {
    format: one.format === other.format ? one.format : `${one.format}+${other.format}`,
    tests,
    errors: [...one.errors, ...other.errors],
    incomplete: one.incomplete ?? other.incomplete,
  };
}

/** It says that the runner came to its end, and nothing of its tests. */
function endedReport(format: string): TestReport {
  return { format, tests: new Map(), errors: [], incomplete: "it names no test" };
}
