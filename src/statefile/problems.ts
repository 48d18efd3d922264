/**
 * Collects what is wrong with a text, each with its place. Bounded: whoever reads fifty problems
 * will not read the fifty-first.
 */
import type { Problem, ProblemCode } from "../core/problem.ts";
import { placeOf } from "../core/json-tree.ts";
import type { Range } from "./node.ts";

export const MAX_PROBLEMS = 50;
const MAX_FOUND = 80;

/** Where a value stands: keys and indices from the root. */
export type Path = readonly (string | number)[];

export interface Finding {
  readonly code: ProblemCode;
  readonly message: string;
  readonly at: number;
  readonly path?: Path;
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
  readonly path: Path;
  readonly findings: Findings;
}

export function below({ path, findings }: Reader, key: string | number): Reader {
  return { path: [...path, key], findings };
}

export function reportAt({ path, findings }: Reader, at: number, finding: Omit<Finding, "at" | "path">): undefined {
  report(findings, { ...finding, at, path });
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

export function problemOf(text: string, { code, message, at, path = [], found, hint }: Finding): Problem {
  return {
    code,
    message,
    ...(path.length === 0 ? {} : { path }),
    ...(found === undefined ? {} : { found }),
    ...(hint === undefined ? {} : { hint }),
    at: placeOf(text, at),
  };
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
export function named(path: Path): string {
  const [first, ...rest] = path;
  if (first === undefined) return "the frontmatter";
  return rest.reduce<string>((so, key) => (typeof key === "number" ? `${so}[${key}]` : `${so}.${key}`), String(first));
}
