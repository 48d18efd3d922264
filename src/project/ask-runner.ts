/** Asking the run that works a loop, by the files of `adapters/store/requests.ts`. */
import { runnerOf } from "../adapters/store/run-lock.ts";
import { submitRequest } from "../adapters/store/requests.ts";
import type { Problem } from "../core/problem.ts";
import { targetOf } from "../host/atomic-write.ts";
import { loopPaths } from "../host/loop-paths.ts";
import { objectIn } from "../core/reading.ts";

export type RunnerAnswer =
  | { readonly kind: "answered"; readonly message: string }
  | { readonly kind: "refused"; readonly problems: readonly Problem[] }
  /** Nobody took the request, and nobody will: it is safe to go another way. */
  | { readonly kind: "withdrawn"; readonly message: string; readonly hint: string }
  /** It was taken, and may have been carried out. */
  | { readonly kind: "unanswered"; readonly message: string; readonly hint: string };

/** @param timeout_ms how long to wait for the answer */
export async function askRunner(stateFile: string, body: object, timeout_ms: number): Promise<RunnerAnswer> {
  const dir = loopPaths(targetOf(stateFile)).requests;
  const answer = await submitRequest(dir, body, { timeout_ms, runnerAlive: () => runnerOf(stateFile) !== null });
  if (answer.ok) return readReply(answer.value);
  const { code, message, hint } = answer;
  if (code === "withdrawn" || code === "unanswered") return { kind: code, message, hint };
  return { kind: "refused", problems: [{ code: "refused", message, hint }] };
}

/** The runner answers `{ok, message}`, and perhaps `problems`. */
function readReply(value: unknown): RunnerAnswer {
  const reply = (objectIn(value) ?? {}) as {
    readonly ok?: unknown;
    readonly message?: unknown;
    readonly problems?: unknown;
  };
  const message = typeof reply.message === "string" ? reply.message : undefined;
  if (reply.ok === true) return { kind: "answered", message: message ?? "done" };
  const problems = Array.isArray(reply.problems) ? reply.problems.filter(isProblem) : [];
  const said: Problem = { code: "refused", message: message ?? "the run gave no reason", hint: "look at `aot logs`" };
  return { kind: "refused", problems: problems.length === 0 ? [said] : problems };
}

/** Its message is all that is shown as it came. */
function isProblem(value: unknown): value is Problem {
  const given = objectIn(value);
  return typeof given?.["message"] === "string" && ["undefined", "string"].includes(typeof given["hint"]);
}
