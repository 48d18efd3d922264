import type { Result } from "../core/problem.ts";

/** Thrown by a command for a value that only it can read: bad usage, exit 2, with the next step. */
export class Unusable extends Error {
  readonly hint: string;
  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

/** The document of bad usage, and of a defect of the program. */
export function failureJson(code: "usage" | "interrupted" | "defect", message: string, hint: string): object {
  return { success: false, errors: [{ code, message, hint }] };
}

export const DEFECT_HINT = "this is a defect of aot: run it again with AOT_DEBUG=1 and report what it prints";

/** The value that a flag or an argument was read as. @throws Unusable */
export function usable<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  const [problem] = result.problems;
  throw new Unusable(problem?.message ?? "this cannot be read", problem?.hint ?? "look at the help");
}
