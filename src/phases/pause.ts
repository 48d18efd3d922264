/** `aot phases pause` while a run works the loop: the run is asked (SPEC section 8). */
import { runnerOf } from "../adapters/store/run-lock.ts";
import { accepted, refused, type Result } from "../core/problem.ts";
import { askRunner } from "../project/ask-runner.ts";

/** How long the run may take to answer, in milliseconds. */
const ANSWER_MS = 10_000;

/** Null: nobody works it, or no longer: the loop itself can be paused. */
export async function pausePhases(stateFile: string): Promise<Result<string> | null> {
  if (runnerOf(stateFile) === null) return null;
  const answer = await askRunner(stateFile, { kind: "pause" }, ANSWER_MS);
  if (answer.kind === "answered") return accepted(answer.message);
  if (answer.kind === "refused") return { ok: false, problems: answer.problems };
  if (runnerOf(stateFile) === null) return null;
  return refused(answer.message, answer.hint);
}
