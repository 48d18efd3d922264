/** `aot stop` (SPEC section 8): the runner is asked; without one, or when it does not answer, the flag is set in the file. */
import { ownerOf } from "../adapters/store/owner.ts";
import { editStateFile, readStateFile } from "../adapters/store/state-file.ts";
import { runnerOf } from "../adapters/store/run-lock.ts";
import { requestStop } from "../core/operations.ts";
import { accepted, type Result } from "../core/problem.ts";
import type { State } from "../core/state.ts";
import type { Engines } from "../history/extensions.ts";
import { agentRefusal } from "../project/agent-restrictions.ts";
import { sessionOwnerOf } from "../project/session-owner.ts";

export interface StopAsked {
  readonly message: string;
  /**
   * `runner`: a live run answered; `file`: the flag is in the state file; `engine`: the engine that works the loop has
   * it.
   */
  readonly via: "runner" | "file" | "engine";
}

function isWorked(stateFile: string, state: State): boolean {
  const standing = sessionOwnerOf(stateFile, state)?.standing;
  return runnerOf(stateFile) !== null || standing === "at_work" || standing === "untold";
}

/** How long the runner may take to answer, in milliseconds. */
const ANSWER_MS = 5_000;

/** @param now agents are ended at once, instead of finishing their attempts */
export async function stopLoop(
  stateFile: string,
  reason: string,
  engines: Engines,
  now = false,
): Promise<Result<StopAsked>> {
  const own = agentRefusal(stateFile);
  if (own !== null) return own;
  if (runnerOf(stateFile) !== null) {
    const { askRunner } = await import("../project/ask-runner.ts");
    const answer = await askRunner(stateFile, { kind: "stop", reason, ...(now && { now }) }, ANSWER_MS);
    if (answer.kind === "answered") return accepted({ message: answer.message, via: "runner" });
    if (answer.kind === "refused") return { ok: false, problems: answer.problems };
  }
  const read = await readStateFile(stateFile);
  const owner = read.ok ? ownerOf(read.value.state) : null;
  if (owner !== null) {
    const reported = await engines.steer(owner, { kind: now ? "cancel" : "stop", reason });
    return reported.ok ? accepted({ message: reported.value, via: "engine" }) : reported;
  }
  const edited = await editStateFile(
    stateFile,
    (document) => {
      const done = requestStop(document.state, reason);
      return done.ok ? accepted(done.value.state) : done;
    },
    { what: "stop" },
  );
  if (!edited.ok) return edited;
  const next =
    read.ok && isWorked(stateFile, read.value.state)
      ? "attempts in flight are finished, then the loop stops with its state kept"
      : "nothing runs the loop now; the next run stops first, with its state kept";
  return accepted({ message: `the stop is requested: ${next}`, via: "file" });
}
