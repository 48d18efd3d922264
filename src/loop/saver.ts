/**
 * Decides when the state file is written: at once at the pace of real agents. If events come faster, writing takes at most
 * one part in PAUSE_FACTOR of the time, as long as the file lags by no more than MOST_LAG_MS; the journal has everything.
 */
import type { Event } from "../core/event.ts";
import type { Mark } from "../core/journal.ts";
import type { Result } from "../core/problem.ts";
import type { State } from "../core/state.ts";
import type { Clock, Foreign, Store } from "./ports.ts";
import { orThrow } from "./run-failure.ts";

export interface Saver {
  /** The state may have changed. `urgent`: write it before returning. */
  offer(urgent: boolean): Result<null>;
  /** Writes the state if the file is not up to date. */
  flush(): Result<null>;
  close(): void;
}

const MOST_LAG_MS = 250;
const PAUSE_FACTOR = 50;
/** How often to look for changes by others, such as a stop written into the state file. */
const LOOK_EVERY_MS = 500;

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
  /** The file is not as the run wrote it: someone else changed or removed it. */
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
    notBefore = from + took + Math.min(MOST_LAG_MS, took * PAUSE_FACTOR);
    heed(saved.value);
    return { ok: true, value: null };
  };
  /** For timers, whose exceptions nobody would catch. */
  const guarded = (work: () => void) => (): void => {
    try {
      work();
    } catch (error) {
      fail(error);
    }
  };
  const flushOrFail = guarded(() => orThrow(flush()));
  /**
   * Writes the run's state over the change of another: after a crash the next run would take that for the loop's state. A failure
   * is ignored and tried again later; the next necessary write reports it.
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
      // Written back one look later, when the other is no longer in the middle of writing.
      if (foreign.note !== undefined || foreign.gone === true) overwritten = true;
      else if (overwritten) putBack();
      lookAgain();
    });
    stopLooking = clock.after(LOOK_EVERY_MS, look);
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
