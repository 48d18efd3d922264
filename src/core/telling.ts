/**
 * What of a program's output says why it failed (SPEC section 7): the names of failing tests and their messages are in the
 * middle of it, a summary or a stack frame at its end.
 *
 * TELLING-1 never longer than was asked for; what is left out is marked, once for each gap, and a gap of a line or two is closed;
 * TELLING-2 an output that fits is given whole;
 * TELLING-3 where a required test says something, other tests do not.
 */
import { SEPARATOR, testLines } from "./test-report.ts";
import type { Evidence } from "./verdict.ts";

/** Names a failing test: TAP, node, vitest, jest, mocha, pytest, go, cargo. */
const FAILED = /^\s*(?:not ok\b|[✗✖✘×❌⨯●]\s|-{3} FAIL\b|FAIL(?:ED)?\b)|\bFAILED\b/;
/** Says what went wrong. */
const WRONG =
  /(?:^|[\s(])\w*(?:Error|Exception|Failure)\b(?: \[\w+\])?:|^E {2,}\S|\berror(?:\[\w+\])?:|\berror TS\d|\bpanicked at\b|^panic:|^fatal:/;
/** Looks like one of them and is none: a heading, a count, a frame of a stack, a test that may fail. */
const NONE = /failing tests:?$|\b0 failed|^\s*at \S|^\s*\d+ (?:passed|failed)|# (?:TODO|SKIP)\b/i;
/** How Node's test runner and vitest end a report, whatever came of the tests. */
const FOOT = /^\s*(?:[#ℹ] (?:suites|cancelled|skipped|todo|duration_ms)\b|(?:Start at|Duration) {2}|[⎯─═=_-]{5,})/;

const ANSI = /\u001b\[[0-9;?]*[ -/]*[@-~]/g;
/** Says where and not what, or that all is well: frames of a stack, passing tests, rules between parts. */
const NOISE = /^\s*(?:at \S|File "[^"]*", line \d|[✔✓√] |ok \d|PASS\b)|^[\s⎯─═=_*·-]+$/;
const PASSED = /^\s*(?:[✔✓√] |ok \d|PASS\b)/;
/** Lines behind a mark that belong to it; behind a required test's name. */
const CONTEXT_LINES = 4;
const REQUIRED_LINES = 16;
const LAST_LINES = 3;
const LONGEST_LINE = 300;
const GAP = "[...]";
/** Lines that say something, in a gap that is closed. */
const SHORT_GAP = 2;

/**
 * @param max characters
 * @param required names of tests of which all is wanted that was said
 */
export function tellingPart(output: string, max: number, required: readonly string[] = []): string {
  const plain = output.replaceAll(ANSI, "").trimEnd();
  if (plain.length <= max) return plain;
  const lines = plain
    .split("\n")
    .map((line) => (line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line));
  const wanted = new Set<number>();
  let left = max - GAP.length - 1;
  const want = (at: number): void => {
    const line = lines[at] ?? "";
    // A gap may be before each.
    const cost = line.length + 1 + GAP.length + 1;
    if (wanted.has(at) || line.trim() === "" || NOISE.test(line) || cost > left) return;
    wanted.add(at);
    left -= cost;
  };
  const blockAt = (at: number, most: number): readonly number[] => {
    const places = Array.from({ length: Math.min(most + 1, lines.length - at) }, (_, next) => at + next);
    const isNext = (line = ""): boolean => PASSED.test(line) || (FAILED.test(line) && !NONE.test(line));
    const end = most > CONTEXT_LINES ? places.findIndex((next) => next > at && isNext(lines[next])) : -1;
    return end < 0 ? places : places.slice(0, end);
  };
  for (const name of required) {
    const title = name.split(SEPARATOR).at(-1) ?? name;
    const named = [...lines.keys()].filter((at) => title !== "" && lines[at]?.includes(title) === true);
    const blocks = named.map((at) => blockAt(at, REQUIRED_LINES));
    // Where it is only listed says nothing beside where it has its message.
    const telling = blocks.filter((block) => block.some((at) => WRONG.test(lines[at] ?? "")));
    for (const block of telling.length > 0 ? telling : blocks) block.forEach(want);
  }
  const marks = wanted.size > 0 ? [] : lines.flatMap((line, at) => (isMark(line) ? [at] : []));
  const isMarked = wanted.size + marks.length > 0;
  ends(lines).forEach(want);
  // The last error stays, however many there are. What stands before it often names the test.
  for (const at of [...marks.slice(-1), ...marks]) [...blockAt(at, CONTEXT_LINES), at - 1, at - 2].forEach(want);
  // Without a mark the end says most.
  if (!isMarked) for (const at of [...lines.keys()].reverse()) want(at);
  return shown(
    lines,
    [...wanted].toSorted((one, other) => one - other),
    left,
  );
}

/** The one line that says most: a failing test with what went wrong in it, else the last line that says something. */
export function tellingLine(output: string, failed: boolean): string {
  const lines = output
    .replaceAll(ANSI, "")
    .split("\n")
    .map((line) => line.trim());
  const test = failed ? lines.findIndex((line) => FAILED.test(line) && !NONE.test(line)) : -1;
  const wrong = failed ? lines.findIndex((line, at) => at > test && WRONG.test(line) && !NONE.test(line)) : -1;
  const said = [...new Set([test, wrong])].flatMap((at) => (at < 0 ? [] : [lines[at] ?? ""]));
  return said.length > 0 ? said.join(" | ") : (lines.findLast((line) => line !== "" && !FOOT.test(line)) ?? "");
}

function isMark(line: string): boolean {
  return (FAILED.test(line) || WRONG.test(line)) && !NONE.test(line);
}

function ends(lines: readonly string[]): readonly number[] {
  const reported = lines.flatMap((line, at) => (line.trim() === "" || FOOT.test(line) || NOISE.test(line) ? [] : [at]));
  return reported.slice(-LAST_LINES);
}

/** @param room characters beside the places and a mark before each of them and at the end */
function shown(lines: readonly string[], places: readonly number[], room: number): string {
  let [left, before] = [room, -1];
  const parts: string[] = [];
  for (const at of [...places, lines.length]) {
    const gap = lines.slice(before + 1, at);
    const more = gap.reduce((sum, line) => sum + line.length + 1, -GAP.length - 1);
    const said = gap.filter((line) => line.trim() !== "");
    const isClosed = more <= left && said.length <= SHORT_GAP && !said.some((line) => NOISE.test(line) || isMark(line));
    if (isClosed) left -= more;
    parts.push(...(isClosed ? gap : [GAP]), ...lines.slice(at, at + 1));
    before = at;
  }
  return parts.join("\n");
}

/**
 * Why a check failed, for a model.
 * @param max characters of what a program or a judge said
 */
export function evidenceText(evidence: Evidence, max: number): string {
  switch (evidence.kind) {
    case "command": {
      const { exit_code, signal, timed_out, note, output, tests } = evidence;
      const ended = `exit code ${exit_code ?? signal ?? "none"}${timed_out ? ", timed out" : ""}`;
      const named = tests === undefined ? [] : testLines(tests);
      const said = tellingPart(output, max, tests?.not_passed);
      return [`${ended}${note === undefined ? "" : ` (${note})`}`, ...named, said].join("\n");
    }
    case "file":
      return `${evidence.total} matches of ${evidence.pattern}`;
    case "scores": {
      const scores = evidence.scores.map(({ criterion, score, reason }) => `${criterion}: ${score} of 5. ${reason}`);
      return `average ${evidence.average} of ${evidence.threshold} needed\n${tellingPart(scores.join("\n"), max)}`;
    }
    case "error":
      return tellingPart(evidence.message, max);
    default:
      return tellingPart(evidence.reason, max);
  }
}
