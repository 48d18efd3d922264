/**
 * Waiting for a remote that is away (SPEC section 13): a remote may be gone for minutes, and what needs it goes on when it
 * is back.
 *
 * REMOTE-PATIENCE-1 the wait is bounded, and ends when nobody wants the work any more;
 * REMOTE-PATIENCE-2 whoever waits says for what, and since when.
 */
import { setTimeout } from "node:timers/promises";
import { WorkspaceError } from "./problem.ts";

export interface RemotePatience {
  /** Aborts when nobody wants the work any more. */
  readonly signal?: AbortSignal;
  /** Called with what is waited for, in words, and with null when it is over. */
  waiting?(wait: string | null): void;
}

const AWAY_MS = 3_600_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 20_000;

/**
 * Asks again while the remote is away (`remote_away`), ever more rarely, for an hour.
 * @param refused_ms for how long it asks again, too, where the remote answers with no, or nobody wants the work any more
 * @throws whatever `ask` threw last
 */
export async function patientWithRemote<T>(
  ask: () => Promise<T>,
  { signal, waiting }: RemotePatience,
  refused_ms = 0,
): Promise<T> {
  const from = performance.now();
  const since = new Date().toISOString().slice(0, 19);
  for (let rest = FIRST_PAUSE_MS; ; rest = Math.min(rest * 2, LONGEST_PAUSE_MS)) {
    try {
      const answer = await ask();
      if (rest > FIRST_PAUSE_MS) waiting?.(null);
      return answer;
    } catch (error) {
      const isAway = error instanceof WorkspaceError && error.problem.code === "remote_away";
      const longest = isAway && signal?.aborted !== true ? AWAY_MS : refused_ms;
      if (!(error instanceof WorkspaceError) || performance.now() - from + rest > longest) {
        waiting?.(null);
        throw error;
      }
      waiting?.(`the remote, since ${since}Z: ${error.problem.message}`);
      // One that has aborted before shortens nothing: what is asked then is bounded by `refused_ms`.
      await setTimeout(rest, null, signal?.aborted === false ? { signal } : {}).catch(() => undefined);
    }
  }
}
