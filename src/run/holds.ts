/**
 * Who holds a run: a person edits its loop, and nothing new is to start meanwhile (SPEC section 8).
 *
 * HOLDS-1 a hold ends when its process releases it or has died, and after `most_ms` at the latest.
 */
import { isAlive } from "../host/liveness.ts";

export interface Holds {
  /** @param by the process that holds the run, as in host/liveness.ts */
  hold(by: string): void;
  release(by: string): void;
  /** Nobody holds it any more, and nothing is reported. */
  close(): void;
}

const LOOK_EVERY_MS = 200;
/** An editor that is left open must not stop a loop for good. */
const MOST_MS = 30 * 60_000;

/** @param changed called when the first one holds it and when nobody does any more; `why` it ended, where nobody released it */
export function createHolds(changed: (held: boolean, why: string | null) => void, most_ms = MOST_MS): Holds {
  const since = new Map<string, number>();
  let timer: ReturnType<typeof setInterval> | undefined;
  const drop = (by: string, why: string | null): void => {
    if (!since.delete(by) || since.size > 0) return;
    clearInterval(timer);
    changed(false, why);
  };
  const look = (): void => {
    for (const [by, start] of since) {
      if (!isAlive(by)) drop(by, "who held the run is gone");
      else if (performance.now() - start >= most_ms) drop(by, "the run was held for too long");
    }
  };
  return {
    hold(by) {
      if (since.has(by)) return;
      since.set(by, performance.now());
      if (since.size > 1) return;
      timer = setInterval(look, LOOK_EVERY_MS);
      changed(true, null);
    },
    release: (by) => drop(by, null),
    close() {
      since.clear();
      clearInterval(timer);
    },
  };
}
