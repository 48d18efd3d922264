/** The attempt that a person names: by its atom, by its atom and number, or by its own id. Pure. */
import { accepted, refused, type Result } from "../../core/problem.ts";
import type { AttemptPart } from "../../history/run-story.ts";

/** @param number of the attempt; absent: the newest */
export function attemptOf(
  attempts: readonly AttemptPart[],
  name: string,
  number: string | undefined,
): Result<AttemptPart> {
  const of = attempts.filter(({ atom, attempt }) => atom === name || (number === undefined && attempt === name));
  const found = number === undefined ? of.at(-1) : of.findLast(({ attempt }) => attempt === `${name}.${number}`);
  if (found !== undefined) return accepted(found);
  if (of.length > 0)
    return refused(
      `${name} has no attempt ${number ?? ""}`,
      `its attempts: ${[...new Set(of.map(({ attempt }) => attempt.slice(name.length + 1)))].join(", ")}`,
    );
  const worked = [...new Set(attempts.map(({ atom }) => atom))].slice(-20);
  return refused(
    `nothing has worked on ${name}`,
    worked.length === 0 ? "nothing was worked yet: `aot run`" : `atoms that were worked: ${worked.join(", ")}`,
  );
}
