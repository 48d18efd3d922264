/** pytest's text: the lines of -v, and the short summary (-rA). Pure. */
import type { Tally, TestReport } from "../../../core/test-report.ts";
import { createReportBuilder, type TestOutcome } from "./report-builder.ts";

const STATUSES = "PASSED|FAILED|SKIPPED|XFAIL|XPASS|ERROR";
const VERBOSE = new RegExp(`^(\\S+\\.py::.+?) (${STATUSES})(?: \\(.*\\))?(?:\\s+\\[\\s*\\d+%\\])?$`);
const WORKER = new RegExp(`^\\[gw\\d+\\](?: \\[\\s*\\d+%\\])? (${STATUSES}) (\\S+\\.py::.+?)\\s*$`);
const SUMMARY = new RegExp(`^(${STATUSES}) (\\S+\\.py(?:::.+?)?)(?: - .*)?$`);
/** Skipped tests are listed by file and line, not by name. */
const SKIPPED = /^SKIPPED \[(\d+)\] (\S+?)(?::\d+)?: /;
const END = /^(?:=+ )?((?:\d+ [a-z]+(?:, )?)+|no tests ran) in [\d.:hms]+s?\b.*$/;

/** With -v. */
const HEADER = /^platform .+, pluggy-\S+ -- \S/;

const OUTCOMES: Readonly<Record<string, TestOutcome>> = {
  PASSED: "passed",
  FAILED: "failed",
  ERROR: "failed",
  XPASS: "passed",
};
const COUNTED: Readonly<Record<string, string>> = {
  passed: "PASSED",
  failed: "FAILED",
  skipped: "SKIPPED",
  xfailed: "XFAIL",
  xpassed: "XPASS",
  error: "ERROR",
  errors: "ERROR",
};

/** @param lines without colours */
export function readPytest(lines: readonly string[]): TestReport | null {
  const found = new Map<string, Set<string>>();
  const unnamed = new Map<string, number>();
  const take = (id: string, status: string): void => void (found.get(id) ?? put(found, id)).add(status);
  const counted = new Map<string, number>();
  let closed = false;
  let namesAll = false;
  for (const line of lines) {
    const [, first = "", second = ""] = VERBOSE.exec(line) ?? [];
    if (first !== "") take(first, second);
    const [, status = "", id = ""] = WORKER.exec(line) ?? SUMMARY.exec(line) ?? [];
    if (id !== "") take(id, status);
    namesAll ||= first !== "" || status === "PASSED" || HEADER.test(line);
    const [, times, place = ""] = SKIPPED.exec(line) ?? [];
    if (times !== undefined) unnamed.set(place, (unnamed.get(place) ?? 0) + Number(times));
    const end = END.exec(line)?.[1];
    if (end === undefined) continue;
    closed = true;
    for (const [, number, word = ""] of end.matchAll(/(\d+) ([a-z]+)/g)) {
      const known = COUNTED[word];
      if (known !== undefined) counted.set(known, (counted.get(known) ?? 0) + Number(number));
    }
  }
  if (!closed) return null;
  const named = [...found.values()].filter((statuses) => statuses.has("SKIPPED")).length;
  const builder = createReportBuilder();
  const shown = new Map<string, number>();
  for (const [id, statuses] of found) {
    for (const status of statuses) shown.set(status, (shown.get(status) ?? 0) + 1);
    const [file = "", ...rest] = id.split("::");
    if (rest.length === 0) builder.error([file]);
    else builder.add([file, ...rest], worstOf(statuses));
  }
  if (named === 0)
    for (const [place, times] of unnamed) {
      builder.add([place, "skipped"], "skipped", times);
      shown.set("SKIPPED", (shown.get("SKIPPED") ?? 0) + times);
    }
  const missing = [...counted].find(([status, times]) => (shown.get(status) ?? 0) !== times);
  if (missing === undefined) {
    // All that fail are named; once they pass none is, and there is nothing to compare with.
    if (namesAll) return builder.report("pytest", null);
    const why = "it names no test that passes: run it with -v or -rA";
    return { ...builder.report("pytest", why), counted: tallyOf(counted) };
  }
  const [status, times] = missing;
  const why = `it counts ${times} ${status} and names ${shown.get(status) ?? 0}: run it with -v or -rA`;
  return { ...builder.report("pytest", why), counted: tallyOf(counted) };
}

function tallyOf(counted: ReadonlyMap<string, number>): Tally {
  const tally = { passed: 0, failed: 0, skipped: 0 };
  for (const [status, times] of counted) tally[OUTCOMES[status] ?? "skipped"] += times;
  return tally;
}

function put(found: Map<string, Set<string>>, id: string): Set<string> {
  const statuses = new Set<string>();
  found.set(id, statuses);
  return statuses;
}

function worstOf(statuses: ReadonlySet<string>): TestOutcome {
  const outcomes = [...statuses].map((status) => OUTCOMES[status] ?? "skipped");
  return outcomes.includes("failed") ? "failed" : outcomes.includes("passed") ? "passed" : "skipped";
}
