/** TAP 12 to 14, with subtests: node:test, node-tap, tape, ava, mocha. Pure. */
import type { TestReport } from "../../../core/test-report.ts";
import { createReportBuilder, type TestOutcome } from "./report-builder.ts";

const POINT = /^( *)(not )?ok\b *(\d+)?(?: +(- )?(.*))?$/;
const PLAN = /^( *)1\.\.(\d+)(?: *#.*)?$/;
const DIRECTIVE = /(^|[^\\])#\s*(skip|todo)\b.*$/i;
/** Of node-tap, which opens a subtest behind it, and of bats. */
const TIME = / (?:# time=[\d.]+m?s(?: \{)?|in \d+ms)\s*$/;
const SUBTEST = /^( *)# Subtest: (.*)$/;
/** A comment of tape names the test that the points behind it are of; its last ones are counts. */
const GROUP = /^# (?!Subtest:|(?:tests|pass|fail|skip|todo|suites|cancelled|skipped|duration_ms)\b)(.+)$/;
/** What node-tap says beside its points. It comes and goes with what is wrong, as the message of an error does that it names one by. */
const BESIDE =
  /^(?:timeout!|test unfinished\b.*|child test left in queue: .*|test (?:assertion )?(?:after|count) .*|test assertion count exceeds plan)$/;
const CAUGHT = /^\s*tapCaught: /;

/** @param lines without colours */
export function readTap(lines: readonly string[]): TestReport | null {
  const builder = createReportBuilder();
  const levels = createLevels();
  // Names of the subtests that are open, by depth.
  const names: string[] = [];
  let group = "";
  // Without it they are mocha's, and a comment is what a program printed.
  const versioned = lines.some((line) => /^TAP version 1\d/.test(line));
  for (const { line, isCaught } of withoutYaml(lines)) {
    const [, indent = "", name] = SUBTEST.exec(line) ?? [];
    if (name !== undefined) names[depthOf(indent)] = name;
    const [, deep = "", planned] = PLAN.exec(line) ?? [];
    if (planned !== undefined) levels.plan(depthOf(deep), Number(planned));
    if (line.startsWith("Bail out!")) levels.problem("the run bailed out");
    const point = POINT.exec(line);
    if (point === null) {
      if (versioned) group = GROUP.exec(line)?.[1] ?? group;
      continue;
    }
    const depth = depthOf(point[1] ?? "");
    const { title, outcome } = outcomeOf(point);
    const parts = [...(point[4] === undefined ? [group] : names.slice(0, depth)), title];
    const children = levels.point(depth, outcome === "failed");
    if (children === null && outcome === "failed" && (isCaught || BESIDE.test(title))) builder.error(parts);
    else if (children === null) builder.add(parts, outcome);
    else if (outcome === "failed" && children.failed === 0) builder.error(parts);
  }
  const end = levels.end();
  if (end.points === 0 || (!end.isPlanned && !versioned)) return null;
  return builder.report("tap", end.problem);
}

function outcomeOf([, , not, , , rest = ""]: RegExpExecArray): {
  readonly title: string;
  readonly outcome: TestOutcome;
} {
  const directive = DIRECTIVE.exec(rest);
  const all = directive === null ? rest : rest.slice(0, directive.index + (directive[1] ?? "").length);
  const said = all.replace(TIME, "");
  const title = said.trim().replaceAll(/\\([#\\])/g, "$1");
  return { title, outcome: directive !== null ? "skipped" : not === undefined ? "passed" : "failed" };
}

interface Said {
  readonly line: string;
  /** The point is named by an error that its test did not expect. */
  isCaught: boolean;
}

/** What a YAML block says is no point. It stands directly behind one, further in. */
function withoutYaml(lines: readonly string[]): readonly Said[] {
  const kept: Said[] = [];
  let open = -1;
  let before = "";
  for (const line of lines) {
    const indent = line.length - line.trimStart().length;
    const last = kept.at(-1);
    if (open >= 0) {
      const isEnd = line.trim() === "..." && indent <= open;
      const isIn = indent >= open || line.trim() === "";
      if (isEnd || !isIn) open = -1;
      if (isIn && last !== undefined && CAUGHT.test(line)) last.isCaught = true;
      if (isIn) continue;
    }
    const point = POINT.exec(before);
    before = line;
    if (point !== null && /^\s*---$/.test(line) && indent > (point[1] ?? "").length) open = indent;
    else kept.push({ line, isCaught: false });
  }
  return kept;
}

interface Level {
  points: number;
  plan: number | null;
  failed: number;
}

/** The points of each depth, and their plans. */
interface Levels {
  plan(depth: number, tests: number): void;
  problem(what: string): void;
  /** A point, and what was a level deeper before it; null: it has no subtests. */
  point(depth: number, failed: boolean): Level | null;
  end(): { readonly points: number; readonly isPlanned: boolean; readonly problem: string | null };
}

function createLevels(): Levels {
  const levels = new Map<number, Level>();
  let problem: string | null = null;
  const at = (depth: number): Level => {
    const level = levels.get(depth) ?? { points: 0, plan: null, failed: 0 };
    levels.set(depth, level);
    return level;
  };
  const settle = (depth: number): void => {
    const level = levels.get(depth);
    if (level !== undefined && level.plan !== level.points) problem ??= planText(level);
    levels.delete(depth);
  };
  return {
    // Runs one behind the other have a plan each.
    plan: (depth, tests) => void (at(depth).plan = (at(depth).plan ?? 0) + tests),
    problem: (what) => void (problem ??= what),
    point(depth, failed) {
      const children = levels.get(depth + 1) ?? null;
      for (const deeper of levels.keys()) if (deeper > depth) settle(deeper);
      const level = at(depth);
      level.points += 1;
      if (failed) level.failed += 1;
      return children;
    },
    end() {
      const { points, plan } = at(0);
      for (const depth of levels.keys()) settle(depth);
      return { points, isPlanned: plan !== null, problem };
    },
  };
}

function planText({ plan, points }: Level): string {
  return plan === null ? "it has no plan, so it may be cut off" : `it plans ${plan} tests and holds ${points}`;
}

/** Subtests are four spaces in. */
function depthOf(indent: string): number {
  return Math.floor(indent.length / 4);
}
