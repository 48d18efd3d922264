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
const SUITE = /^( +)(\S.*)$/;
const MOCHA_COUNT = /^ *(\d+) (passing|failing|pending)\b/;

/** @param lines without colours */
export function readMochaSpec(lines: readonly string[]): TestReport | null {
  const builder = createReportBuilder();
  const counted = { passing: 0, failing: 0, pending: 0 };
  const suites: { readonly indent: number; readonly name: string }[] = [];
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
    const indent = (found ?? SUITE.exec(line))?.[1]?.length ?? 0;
    if (indent === 0) continue;
    while ((suites.at(-1)?.indent ?? -1) >= indent) suites.pop();
    if (found === null) {
      suites.push({ indent, name: line.trim() });
      continue;
    }
    const title = (failed === null ? found[2] : failed[3]) ?? "";
    const parts = [...suites.map(({ name }) => name), title.trim().replace(/ \(\d+(?:ms|s|m)\)$/, "")];
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
