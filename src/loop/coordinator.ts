/**
 * The only place where events are put in order: each goes through `step`, is written to disk, then its effects are performed.
 *
 * COORDINATOR-1 an event and its facts are in the journal, synced, before any of their effects is performed;
 * COORDINATOR-2 a change of structure, selection or loop status is in the state file before its effects are performed;
 *    atom statuses and counters follow within MOST_LAG_MS (saver.ts; the journal has them already);
 * COORDINATOR-3 when the promise of `run` settles, no agent, check or timer of the loop is left.
 */
import type { Effect } from "../core/effect.ts";
import type { Event } from "../core/event.ts";
import { isUrgent } from "../core/state-changes.ts";
import type { JournalLine, Mark } from "../core/journal-line.ts";
import type { Loop } from "../core/loop.ts";
import { moved } from "../core/step.ts";
import { createPerformer, type CallLimits, type Performer, type Ports } from "./perform.ts";
import { orThrow, RunFailure } from "./run-failure.ts";
import { createSpareReds } from "./spare-reds.ts";
import { createSaver, type Saver } from "./saver.ts";

export interface CoordinatorOptions {
  readonly ports: Ports;
  readonly limits: CallLimits;
  /** Sees each line once it is on disk. Must not throw. */
  readonly watch: (line: JournalLine) => void;
}

export interface Coordinator {
  /** Runs the loop until it halts; `notes` are journaled at the start. Rejects with RunFailure only. */
  run(start: Event, notes?: readonly string[]): Promise<Loop>;
  /** Queues an outside event, or a note for the journal. */
  send(entry: Event | Mark): void;
  /** Kills every agent at once; the loop then halts by itself. */
  kill(): void;
}

export function createCoordinator(loop: Loop, options: CoordinatorOptions): Coordinator {
  const { ports, watch } = options;
  const queue: (Event | Mark)[] = [];
  let current = loop;
  let wake: () => void = () => {};
  let broken: unknown = null;
  const put = (entry: Event | Mark): void => {
    queue.push(entry);
    wake();
  };
  const fail = (error: unknown): void => {
    broken ??= error;
    wake();
  };
  const performer = createPerformer({ ...options, spare: createSpareReds(), stateNow: () => current, send: put, fail });
  const saver = createSaver({ store: ports.store, clock: ports.clock, stateNow: () => current.state, send: put, fail });

  /** COORDINATOR-1, COORDINATOR-2: one sync for the whole batch. */
  const commit = (batch: readonly (Event | Mark)[]): void => {
    const before = current.state;
    const lines: JournalLine[] = [];
    const effects: Effect[] = [];
    for (const entry of batch) {
      const next = moved(current, entry, ports.clock.now());
      current = next.loop;
      lines.push(...next.lines);
      effects.push(...next.effects);
    }
    orThrow(ports.store.append(lines));
    orThrow(saver.offer(isUrgent(before, current.state)));
    for (const line of lines) watch(line);
    for (const effect of effects) performer.perform(effect);
    performer.look();
  };

  const work = async (): Promise<void> => {
    while (current.run.halted === null || queue.length > 0) {
      if (broken !== null) throw broken;
      if (queue.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      else commit(queue.splice(0));
    }
  };

  return {
    send: put,
    kill: () => performer.kill(),
    run: async (start, notes = []) => {
      // Events that came early go behind `start`, which would reset what they changed.
      const early = queue.splice(0);
      put(start);
      for (const entry of early) put("event" in entry ? entry : { ...entry, at: start.at });
      for (const message of notes) put({ event: "note", message });
      try {
        await work();
      } catch (error) {
        throw asFailure(error);
      } finally {
        await close(performer, saver);
      }
      // Sent while everything came to rest; a halted loop takes only notes.
      if (queue.length > 0) commit(queue.splice(0));
      orThrow(saver.flush());
      return current;
    },
  };
}

async function close(performer: Performer, saver: Saver): Promise<void> {
  saver.close();
  performer.kill();
  await performer.settled();
}

function asFailure(error: unknown): RunFailure {
  if (error instanceof RunFailure) return error;
  const hint =
    error instanceof Error && "hint" in error && typeof error.hint === "string"
      ? error.hint
      : "the state is kept: `aot run` goes on from here";
  return new RunFailure(error instanceof Error ? error.message : String(error), hint, { cause: error });
}
