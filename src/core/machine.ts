/**
 * The machine of a loop: something comes in; the loop, the lines of its journal and what the world has to do come out.
 * Local files (`loop/coordinator.ts`), a client's session (`session.ts`) and an engine (`loop/hosted-loop.ts`) are its
 * hosts: none of them decides anything.
 */
import type { Effect } from "./effect.ts";
import type { Event } from "./event.ts";
import { linesOf, type JournalLine, type Mark } from "./journal-line.ts";
import type { Loop } from "./loop.ts";
import { step } from "./step.ts";

export interface Moved {
  readonly loop: Loop;
  readonly lines: readonly JournalLine[];
  readonly effects: readonly Effect[];
}

/**
 * Takes in an event, or a mark for the journal.
 * @param at time of a mark, ISO 8601; an event has its own
 */
export function moved(loop: Loop, entry: Event | Mark, at: string): Moved {
  if ("event" in entry) {
    const line = { time: at, run: loop.run.id, iteration: loop.state.control.iteration, ...entry };
    return { loop, lines: [line], effects: [] };
  }
  const next = step(loop, entry);
  return { loop: next.loop, lines: linesOf(loop, entry, next), effects: next.effects };
}
