/** A run is held while a person edits its loop: nothing new starts, what is under way goes on (SPEC section 8). */
import { runnerOf } from "../adapters/store/run-lock.ts";
import { self } from "../host/liveness.ts";
import { askRunner } from "../project/ask-runner.ts";

export interface Hold {
  /** What to tell the person; null: nobody works the loop. */
  readonly note: string | null;
  /** Idempotent; whoever dies without it releases the run as well. */
  release(): Promise<void>;
}

/** A run that is being redirected answers when that is done. Milliseconds. */
const ANSWER_MS = 5_000;

export async function holdRun(stateFile: string): Promise<Hold> {
  const release = async (): Promise<void> => {
    if (runnerOf(stateFile) !== null) await askRunner(stateFile, { kind: "release", by: self() }, ANSWER_MS);
  };
  if (runnerOf(stateFile) === null) return { note: null, release };
  const answer = await askRunner(stateFile, { kind: "hold", by: self() }, ANSWER_MS);
  if (answer.kind === "answered") return { note: answer.message, release };
  const why = answer.kind === "refused" ? answer.problems.map(({ message }) => message).join("; ") : answer.message;
  return { note: `the run could not be held, it goes on while you edit: ${why}`, release };
}
