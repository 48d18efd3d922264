/**
 * When the state file is written. At the pace of real agents: at once. When events come faster than the
 * file can be written, at most a fiftieth of the time goes into writing, unless the file would lag by more than LAG_MS;
 * the journal has what the file has not.
 */
import type { Event } from "../core/event.ts";
import type { Mark } from "../core/journal.ts";
import type { Result } from "../core/problem.ts";
import type { State } from "../core/state.ts";
import type { Clock, Foreign, Store } from "./ports.ts";
import { orThrow } from "./run-failure.ts";

export interface Saver {
  /** The state may have changed. `urgent`: it is on disk when this answers ok. */
  offer(urgent: boolean): Result<null>;
  /** Writes what is not written yet. */
  flush(): Result<null>;
  close(): void;
}

const LAG_MS = 250;
const PAUSE_FACTOR = 50;
/** How often the state file is looked at for a stop that somebody wrote into it. */
const LOOK_MS = 500;

export function createSaver({
  store,
  clock,
  stateNow,
  send,
  fail,
}: {
  readonly store: Store;
  readonly clock: Clock;
  readonly stateNow: () => State;
  readonly send: (entry: Event | Mark) => void;
  readonly fail: (error: unknown) => void;
}): Saver {
  let written: State | null = null;
  /** The file does not hold what was written: somebody else wrote it, or it is gone. */
  let overwritten = false;
  let notBefore = 0;
  let cancel: (() => void) | null = null;
  let closed = false;

  const heed = (foreign: Foreign): void => {
    if (foreign.note !== undefined) send({ event: "note", message: foreign.note });
    if (foreign.stop !== undefined && !stateNow().control.stop_requested)
      send({ type: "stop_requested", at: clock.now(), reason: foreign.stop });
  };
  const flush = (): Result<null> => {
    cancel?.();
    cancel = null;
    const state = stateNow();
    if (state === written) return { ok: true, value: null };
    const from = clock.monotonic();
    const saved = store.save(state);
    if (!saved.ok) return saved;
    written = state;
    overwritten = false;
    const took = clock.monotonic() - from;
    notBefore = from + took + Math.min(LAG_MS, took * PAUSE_FACTOR);
    heed(saved.value);
    return { ok: true, value: null };
  };
  /** For timers, above which nobody would catch. */
  const guarded = (work: () => void) => (): void => {
    try {
      work();
    } catch (error) {
      fail(error);
    }
  };
  const flushOrFail = guarded(() => orThrow(flush()));
  /**
   * Until the next change nobody else would: a crash before it would make the run's successor obey what is there. Where it
   * cannot be done now it is tried again; what must be written says why it cannot.
   */
  const putBack = (): void => {
    written = null;
    overwritten = !flush().ok;
  };
  let stopLooking: () => void = () => {};
  const lookAgain = (): void => {
    const look = guarded(() => {
      if (closed) return;
      const foreign = store.look();
      heed(foreign);
      // Not while they are still at it: the run's own would end up in the middle of theirs.
      if (foreign.note !== undefined || foreign.gone === true) overwritten = true;
      else if (overwritten) putBack();
      lookAgain();
    });
    stopLooking = clock.after(LOOK_MS, look);
  };
  lookAgain();

  return {
    offer: (urgent) => {
      const wait = notBefore - clock.monotonic();
      if (urgent || wait <= 0) return flush();
      cancel ??= clock.after(wait, flushOrFail);
      return { ok: true, value: null };
    },
    flush,
    close: () => {
      closed = true;
      cancel?.();
      cancel = null;
      stopLooking();
    },
  };
}
