/** The one formatter of problems, for people and for machines (SPEC section 2: file, line, field, found, right). */
import type { Problem } from "../core/problem.ts";
import type { Answer } from "./spec.ts";

export interface ProblemJson {
  readonly code: string;
  readonly message: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  /** `atoms[3].status` */
  readonly field?: string;
  readonly found?: string;
  readonly hint?: string;
}

export function fieldText(path: readonly (string | number)[]): string {
  return path.map((step, index) => (typeof step === "number" ? `[${step}]` : index === 0 ? step : `.${step}`)).join("");
}

/** @param file as the person knows it; left out for problems that have no place in it */
export function problemJson(problem: Problem, file?: string): ProblemJson {
  const { code, message, path, found, hint, at } = problem;
  return {
    code,
    message,
    ...(file === undefined || (at === undefined && path === undefined) ? {} : { file }),
    ...at,
    ...(path === undefined || path.length === 0 ? {} : { field: fieldText(path) }),
    ...(found === undefined ? {} : { found }),
    ...(hint === undefined ? {} : { hint }),
  };
}

/**
 * `path/file.md:12:5: atoms[3].status: "pendng" is not a status`, what would be right below it. The field and what
 * stood there are only added where the message does not say them.
 */
export function problemText(problem: ProblemJson): string {
  const { file, line, column, field, message, found, hint } = problem;
  const place = file === undefined ? "" : `${[file, line, column].filter((part) => part !== undefined).join(":")}: `;
  const named = field === undefined || message.includes(field) ? "" : `${field}: `;
  const quoted = found === undefined || found === "" || message.includes(found) ? "" : ` (found ${found})`;
  return `${place}${named}${message}${quoted}${hint === undefined ? "" : `\n  ${hint}`}`;
}

/** Codes of problems that are the input's fault; anything else is an operation that was refused. */
const REFUSALS: ReadonlySet<string> = new Set(["refused", "file_locked", "file_unwritable"]);

/** The answer of an operation that did not succeed: exit 1 when it was refused, 2 when the input is not valid. */
export function failure(problems: readonly Problem[], file?: string): Answer {
  const errors = problems.map((problem) => problemJson(problem, file));
  return {
    exit: problems.every((problem) => REFUSALS.has(problem.code)) ? 1 : 2,
    json: { success: false, errors },
    text: "",
    trouble: problemsText(problems, file),
  };
}

/** Problems as lines for a person. @param file as `problemJson` takes it */
export function problemsText(problems: readonly Problem[], file?: string): string {
  return problems.map((problem) => problemText(problemJson(problem, file))).join("\n");
}
