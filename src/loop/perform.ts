/**
 * Carries out what `step` asks for: one small function per effect, each answering with one event.
 *
 * P1 each effect that awaits an answer gets exactly one event, whatever the port does;
 * P2 effects on the workspace start in the order they were asked for (the workspace keeps that order);
 * P3 a rejected promise of a port is a defect: it fails the run and is never taken for a result.
 */
import type { Effect } from "../core/effect.ts";
import { isCallWanted } from "../core/patience.ts";
import { checkBaseCase, replan } from "./check-base-case.ts";
import { createDesk, type Desk, type PerformerOptions } from "./desk.ts";
import { integrate, revert, shelve } from "./integrate.ts";
import { workAttempt } from "./work-attempt.ts";

export type { CallLimits, Ports } from "./desk.ts";

export interface Performer {
  perform(effect: Effect): void;
  /** The loop is another one: what waits for an agent that nobody wants any more waits no longer. */
  look(): void;
  /** Aborts every agent and check that is at work. */
  kill(): void;
  /** Everything that was started has ended. */
  settled(): Promise<void>;
}

const BACKGROUND = "background";

export function createPerformer(options: PerformerOptions): Performer {
  const open = new Set<Promise<void>>();
  const desk = createDesk(options);
  return {
    perform: (effect) => {
      const task = performing(desk, effect);
      if (task === null) return;
      const ended = (): void => void open.delete(tracked);
      const tracked = task.then(ended, (error: unknown) => {
        options.fail(error);
        ended();
      });
      open.add(tracked);
    },
    look: () => {
      if (desk.waits.size === 0 || isCallWanted(desk.stateNow(), desk.ports.clock.now())) return;
      for (const end of desk.waits) end();
    },
    kill: () => {
      for (const controller of desk.controllers.values()) controller.abort();
      for (const cancel of desk.timers) cancel();
      desk.timers.clear();
    },
    settled: async () => {
      while (open.size > 0) await Promise.all(open);
    },
  };
}

function performing(desk: Desk, effect: Effect): Promise<void> | null {
  switch (effect.type) {
    case "start_attempt":
      return underControl(desk, effect.attempt.id, (signal) => workAttempt(desk, effect, signal));
    case "integrate":
      return integrate(desk, effect);
    case "shelve":
      return shelve(desk, effect.attempt, effect.reason);
    case "revert":
      return revert(desk, effect.atoms, effect.reason);
    case "check_base_case":
      return underControl(desk, BACKGROUND, (signal) => checkBaseCase(desk, signal));
    case "replan":
      return underControl(desk, BACKGROUND, (signal) => replan(desk, effect.failing, signal));
    case "abort_attempt":
      desk.controllers.get(effect.attempt.id)?.abort();
      return null;
    case "abort_background":
      desk.controllers.get(BACKGROUND)?.abort();
      return null;
    case "wake_in":
      desk.timers.add(desk.ports.clock.after(effect.ms, () => desk.answer({ type: "time_passed" })));
      return null;
    case "halt":
      return null;
  }
}

async function underControl(desk: Desk, name: string, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const controller = new AbortController();
  desk.controllers.set(name, controller);
  try {
    await work(controller.signal);
  } finally {
    // The next check may have begun while this one's checkout was released: it keeps its own controller.
    if (desk.controllers.get(name) === controller) desk.controllers.delete(name);
  }
}
