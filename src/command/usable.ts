import type { Result } from "../core/problem.ts";
import { Unusable } from "./unusable.ts";

/** The value that a flag or an argument was read as. @throws Unusable */
export function usable<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  const [problem] = result.problems;
  throw new Unusable(problem?.message ?? "this cannot be read", problem?.hint ?? "look at the help");
}
