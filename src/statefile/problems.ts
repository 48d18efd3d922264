/**
 * Collects what is wrong with a text, each with its place. Bounded: whoever reads fifty problems
 * will not read the fifty-first.
 */
import type { Problem, ProblemCode } from "../core/problem.ts";
import { placeOf, type Range } from "./node.ts";

export const MAX_PROBLEMS = 50;
const MAX_FOUND = 80;

/** Where a value stands, linked to its parent so that a path is only built when it is needed. */
export interface Trace {
  readonly up: Trace | undefined;
  readonly key: string | number;
}

export interface Finding {
  readonly code: ProblemCode;
  readonly message: string;
  readonly at: number;
  readonly trace?: Trace | undefined;
  readonly found?: string;
  readonly hint?: string;
}

export interface Findings {
  readonly text: string;
  readonly problems: Problem[];
  readonly warnings: Problem[];
}

/** Where a value is being read, and who is informed of what does not fit. */
export interface Reader {
  readonly trace: Trace | undefined;
  readonly findings: Findings;
}

export function below({ trace, findings }: Reader, key: string | number): Reader {
  return { trace: { up: trace, key }, findings };
}

export function reportAt({ trace, findings }: Reader, at: number, finding: Omit<Finding, "at" | "trace">): undefined {
  report(findings, { ...finding, at, trace });
  return undefined;
}

export function noFindings(text: string): Findings {
  return { text, problems: [], warnings: [] };
}

export function report(findings: Findings, finding: Finding): void {
  if (findings.problems.length < MAX_PROBLEMS) findings.problems.push(problemOf(findings.text, finding));
}

export function warn(findings: Findings, finding: Finding): void {
  if (findings.warnings.length < MAX_PROBLEMS) findings.warnings.push(problemOf(findings.text, finding));
}

export function problemOf(text: string, { code, message, at, trace, found, hint }: Finding): Problem {
  return {
    code,
    message,
    ...(trace === undefined ? {} : { path: pathOf(trace) }),
    ...(found === undefined ? {} : { found }),
    ...(hint === undefined ? {} : { hint }),
    at: placeOf(text, at),
  };
}

function pathOf(trace: Trace | undefined): (string | number)[] {
  const path: (string | number)[] = [];
  for (let step = trace; step !== undefined; step = step.up) path.push(step.key);
  return path.reverse();
}

/** The source of a range, on one line and shortened. */
export function quote(text: string, { start, end }: Range): string {
  const source = text
    .slice(start, Math.min(end, start + 4 * MAX_FOUND))
    .replace(/\s+/g, " ")
    .trim();
  return source.length > MAX_FOUND ? `${source.slice(0, MAX_FOUND)}...` : source;
}

/** atoms[3].status; the whole frontmatter has no name. */
export function named(trace: Trace | undefined): string {
  if (trace === undefined) return "the frontmatter";
  if (trace.up === undefined) return String(trace.key);
  return typeof trace.key === "number" ? `${named(trace.up)}[${trace.key}]` : `${named(trace.up)}.${trace.key}`;
}
