/** The texts of node:test's and mocha's spec reporters: an indented tree of suites and marked tests. Pure. */
import type { TestReport } from "../../../core/test-report.ts";
import { createReportBuilder } from "./report-builder.ts";

const TIME = / \(\d[\d.]*m?s\)/;

// ── node:test ───────────────────────────────────────────────────────────────

const NODE_LINE = /^( *)([▶✔✖﹣⚠]) (.*)$/u;
const NODE_COUNT = /^ℹ (tests|suites|pass|fail|cancelled|skipped|todo) (\d+)$/;

/** @param lines without colours */
export function readNodeSpec(lines: readonly string[]): TestReport | null {
  const counted = { tests: 0, suites: 0, pass: 0, fail: 0, cancelled: 0, skipped: 0, todo: 0 };
  let closed = false;
  const builder = createReportBuilder();
  const open: { readonly name: string; failed: boolean }[] = [];
  let parents = 0;
  let listing = false;
  for (const line of lines) {
    const count = NODE_COUNT.exec(line);
    if (count !== null) {
      closed = true;
      counted[count[1] as keyof typeof counted] += Number(count[2]);
    }
    // The failures are listed again after the counts.
    if (line.startsWith("✖ failing tests:")) listing = true;
    if (line.startsWith("▶ ")) listing = false;
    const match = listing ? null : NODE_LINE.exec(line);
    if (match === null) continue;
    const [, indent = "", mark, rest = ""] = match;
    const depth = indent.length / 2;
    if (mark === "▶") {
      open.length = Math.min(open.length, depth);
      open.push({ name: rest.trim(), failed: false });
      continue;
    }
    const time = TIME.exec(rest);
    const name = (time === null ? rest : rest.slice(0, time.index)).trim();
    const isTodo = time !== null && rest.slice(time.index + time[0].length).startsWith(" # ");
    const outcome = isTodo || mark === "﹣" ? "skipped" : mark === "✔" ? "passed" : "failed";
    const above = open.slice(0, depth);
    const parts = above.map((one) => one.name);
    const own = open[depth]?.name === name ? open[depth] : undefined;
    if (outcome === "failed") for (const one of above) one.failed = true;
    if (own === undefined) builder.add([...parts, name], outcome);
    else {
      parents += 1;
      if (outcome === "failed" && !own.failed) builder.error([...parts, name]);
      open.length = depth;
    }
  }
  if (!closed) return null;
  const { passed, failed, skipped } = builder.counts();
  // A suite is counted apart, a test that holds tests is not.
  const shown = passed + failed + skipped + parents - counted.suites;
  const fits = shown === counted.tests && failed <= counted.fail + counted.cancelled;
  return builder.report("node", fits ? null : `it counts ${counted.tests} tests and shows ${shown}`);
}

// ── mocha ───────────────────────────────────────────────────────────────────

const PASSED = /^( +)[✓✔√] (.*)$/u;
const FAILED = /^( +)(\d+)\) (.*)$/;
const PENDING = /^( +)- (.*)$/;
/** Of a line, whoever printed it. */
const LINE = /^( *)(\S.*)$/;
const STACK_FRAME = /^at (?:.* \()?(?:.*:\d+:\d+|native|<anonymous>)\)?$/;
const MOCHA_COUNT = /^ *(\d+) (passing|failing|pending)\b/;

/**
 * Suites are lines two spaces further in than what they are in, and so may be what a program prints between them.
 * @param lines without colours
 */
export function readMochaSpec(lines: readonly string[]): TestReport | null {
  const builder = createReportBuilder();
  const counted = { passing: 0, failing: 0, pending: 0 };
  let suites: readonly string[] = [];
  let between: PrintedLine[] = [];
  let closed = false;
  for (const line of lines) {
    const count = MOCHA_COUNT.exec(line);
    if (count !== null) {
      closed = true;
      counted[count[2] as keyof typeof counted] += Number(count[1]);
      continue;
    }
    // The failures' messages are behind the counts, up to what another run prints.
    if (closed && !line.startsWith("> ")) continue;
    closed = false;
    const passed = PASSED.exec(line);
    const failed = FAILED.exec(line);
    const found = passed ?? failed ?? PENDING.exec(line);
    if (found === null) {
      between.push(printedLine(line, between.at(-1)));
      continue;
    }
    suites = suitesAbove((found[1] ?? "").length / 2 - 1, suites, between);
    between = [];
    const title = (failed === null ? found[2] : failed[3]) ?? "";
    const parts = [...suites, title.trim().replace(/ \(\d+(?:ms|s|m)\)$/, "")];
    builder.add(parts, passed !== null ? "passed" : failed !== null ? "failed" : "skipped");
  }
  if (counted.passing + counted.failing + counted.pending === 0 && !lines.some((line) => MOCHA_COUNT.test(line)))
    return null;
  const { passed, failed, skipped } = builder.counts();
  // Before version 6 mocha counted failures on stderr.
  const failing = counted.failing === 0 ? failed : counted.failing;
  const fits = passed === counted.passing && failed === failing && skipped === counted.pending;
  const said = `${counted.passing} passing, ${counted.failing} failing, ${counted.pending} pending`;
  return builder.report(
    "mocha",
    fits ? null : `it counts ${said}, and shows ${passed}, ${failed} and ${skipped} (its spec reporter shows all)`,
  );
}

/** A line that marks no test. */
interface PrintedLine {
  readonly text: string;
  /** How deep a suite of that form is, from 1; null: it is none. */
  readonly depth: number | null;
}

function printedLine(line: string, before: PrintedLine | undefined): PrintedLine {
  const [, indent = "", text = ""] = LINE.exec(line) ?? [];
  const depth = indent.length / 2;
  // Before a suite that is in no other one there is an empty line.
  const mayBe = depth === 1 ? (before?.text ?? "") === "" : depth > 1 && Number.isInteger(depth);
  return { text: text.trim(), depth: mayBe && !STACK_FRAME.test(text.trim()) ? depth : null };
}

/**
 * The suites that a test is in. Mocha prints no suite without a test: those between two tests are in each other, and it prints
 * them when the test before has ended. So they stand directly behind it or, where a hook printed something, directly before
 * the next one; else they are looked for only where the test is deeper, or less deep, than the one before.
 * @param depth how many they are
 * @param open those of the test before
 * @param between what was printed since
 */
function suitesAbove(depth: number, open: readonly string[], between: readonly PrintedLine[]): readonly string[] {
  const lines = between.filter(({ text }) => text !== "");
  const behind = lines.findIndex((line, at) => line.depth !== (lines[0]?.depth ?? 0) + at || at === depth);
  const before = lines.findLastIndex((line, at) => line.depth !== depth - (lines.length - 1 - at));
  const scattered: PrintedLine[] = [];
  for (const line of lines)
    if (line.depth !== null && line.depth <= depth && line.depth === (scattered.at(-1)?.depth ?? line.depth - 1) + 1)
      scattered.push(line);
  const begun = [lines.slice(0, behind < 0 ? undefined : behind), lines.slice(before + 1), scattered];
  const [close, next, anywhere] = begun.map((some) => {
    const inner = some.findIndex((line) => line.depth === depth);
    const outer = (some[0]?.depth ?? 0) - 1;
    if (inner < 0 || outer > open.length) return null;
    return [...open.slice(0, outer), ...some.slice(0, inner + 1).map(({ text }) => text)];
  });
  return close ?? next ?? (open.length === depth ? open : (anywhere ?? open.slice(0, depth)));
}
