import { describeProblems, type Result } from "../core/problem.ts";

/** Thrown with what to do next. */
export class FailureWithHint extends Error {
  readonly hint: string;
  constructor(message: string, hint: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.hint = hint;
  }
}

/** The loop cannot be kept on disk any more, or a port broke its contract. Everything is stopped; the next run resumes. */
export class RunFailure extends FailureWithHint {}

/** The value, or the failure of the whole run. */
export function orThrow<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throw new RunFailure(describeProblems(result.problems), result.problems[0]?.hint ?? "");
}

/** The shared remote takes nothing of this run any more: a later one has begun. What it did is refused, and to be recorded. */
export class RunReplaced extends Error {}
