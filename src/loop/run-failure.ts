import { describeProblems, type Result } from "../core/problem.ts";

/** `hint`: what to do next. */
export class FailureWithHint extends Error {
  readonly hint: string;
  constructor(message: string, hint: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.hint = hint;
  }
}

/** The loop cannot be written to disk any more, or a port broke its contract. The run stops; the next one resumes. */
export class RunFailure extends FailureWithHint {}

export function orThrow<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throw new RunFailure(describeProblems(result.problems), result.problems[0]?.hint ?? "");
}

/** A later run of the task has begun, so the shared remote refuses this one's work; the refusal is to be recorded. */
export class RunReplaced extends Error {}
