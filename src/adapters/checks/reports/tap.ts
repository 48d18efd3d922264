/** TAP 12 to 14, with subtests: node:test, tape, ava, mocha. Pure. */
import type { TestReport } from "../../../core/test-report.ts";
import { createReportBuilder } from "./report-builder.ts";

const POINT = /^( *)(not )?ok\b *(\d+)?(?: +(- )?(.*))?$/;
const PLAN = /^( *)1\.\.(\d+)(?: *#.*)?$/;
const DIRECTIVE = /(?:^|[^\\])#\s*(skip|todo)\b.*$/i;
const SUBTEST = /^( *)# Subtest: (.*)$/;
/** A comment of tape names the test that the points behind it are of; its last ones are counts. */
const GROUP = /^# (?!Subtest:|(?:tests|pass|fail|skip|todo|suites|cancelled|skipped|duration_ms)\b)(.+)$/;

interface Level {
  points: number;
  plan: number | null;
  failed: number;
}

/** @param lines without colours */
export function readTap(lines: readonly string[]): TestReport | null {
  const builder = createReportBuilder();
  // By depth: the names above, how many points came, and how many were planned.
  const names: string[] = [];
  const levels = new Map<number, Level>();
  const problems: string[] = [];
  let group = "";
  let planned = false;
  /** Indentation of the YAML block that is open. */
  let yaml = -1;
  const close = (deeper: number): Level | undefined => {
    let direct: Level | undefined;
    for (const [depth, level] of levels) {
      if (depth <= deeper) continue;
      if (level.plan !== level.points) problems.push(planText(level));
      if (depth === deeper + 1) direct = level;
      levels.delete(depth);
    }
    return direct;
  };
  for (const line of lines) {
    // What is in a YAML block is no point.
    if (yaml >= 0) {
      const isEnd = line.trim() === "..." && indentOf(line) <= yaml;
      const isIn = indentOf(line) >= yaml || line.trim() === "";
      if (isEnd || !isIn) yaml = -1;
      if (isIn) continue;
    }
    if (/^\s*---$/.test(line)) {
      yaml = indentOf(line);
      continue;
    }
    const subtest = SUBTEST.exec(line);
    if (subtest !== null) names[depthOf(subtest[1])] = subtest[2] ?? "";
    const plan = PLAN.exec(line);
    if (plan !== null) {
      const depth = depthOf(plan[1]);
      planned ||= depth === 0;
      const level = levelAt(levels, depth);
      // Runs one behind the other have a plan each.
      level.plan = (level.plan ?? 0) + Number(plan[2]);
      continue;
    }
    if (line.startsWith("Bail out!")) problems.push("the run bailed out");
    const point = POINT.exec(line);
    if (point === null) {
      group = GROUP.exec(line)?.[1] ?? group;
      continue;
    }
    const [, indent, not, , dash, rest = ""] = point;
    const depth = depthOf(indent);
    const children = close(depth);
    const level = levelAt(levels, depth);
    level.points += 1;
    const directive = DIRECTIVE.exec(rest);
    const title = rest.slice(0, directive === null ? undefined : directive.index + (directive[0].startsWith("#") ? 0 : 1));
    const named = title.trim().replaceAll(/\\([#\\])/g, "$1");
    const above = dash === undefined ? [group] : names.slice(0, depth);
    const outcome = directive !== null ? "skipped" : not === undefined ? "passed" : "failed";
    if (outcome === "failed") level.failed += 1;
    if (children === undefined) builder.add([...above, named], outcome);
    else if (outcome === "failed" && children.failed === 0) builder.error([...above, named]);
  }
  const points = levels.get(0)?.points ?? 0;
  if (!planned && (points === 0 || !lines.some((line) => /^TAP version 1\d/.test(line)))) return null;
  close(0);
  const top = levels.get(0);
  if (top !== undefined && top.plan !== top.points) problems.push(planText(top));
  return builder.report("tap", problems[0] ?? null);
}

function levelAt(levels: Map<number, Level>, depth: number): Level {
  const known = levels.get(depth);
  if (known !== undefined) return known;
  const level: Level = { points: 0, plan: null, failed: 0 };
  levels.set(depth, level);
  return level;
}

function planText({ plan, points }: Level): string {
  return plan === null ? "it has no plan, so it may be cut off" : `it plans ${plan} tests and holds ${points}`;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** Subtests are four spaces in. */
function depthOf(indent: string | undefined): number {
  return Math.floor((indent ?? "").length / 4);
}
