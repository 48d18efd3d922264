/**
 * The world of a loop, made of promises that fast-check's scheduler settles in any order, a clock that jumps
 * as it likes, and dice. It looks at every call that the coordinator's laws hold.
 */
import type { Scheduler } from "fast-check";
import { expect } from "vitest";
import type { JournalLine } from "../../src/core/journal.ts";
import { accepted, refused } from "../../src/core/problem.ts";
import type { State } from "../../src/core/state.ts";
import { judge } from "../../src/core/verdict.ts";
import type { Ports } from "../../src/loop/perform.ts";
import type { Clock, Store } from "../../src/loop/ports.ts";
import { createPorts, emptySite, type Call, type CarryOut, type Fate } from "../../world/ports.ts";
import { verdictOf } from "../../world/world.ts";
import { thrownFate } from "../model/dice.ts";

export interface World {
  readonly ports: Ports;
  readonly lines: JournalLine[];
  readonly saved: State[];
  /** What is under way now. */
  readonly busy: Set<string>;
  /** Timers that nobody cancelled. */
  readonly timers: Set<object>;
  readonly peak: () => number;
  readonly integrated: string[];
}

export interface Faults {
  /** From this append on the disk is full. */
  readonly full_at?: number;
  /** This call of the workspace rejects. */
  readonly broken_at?: number;
}

/** After these nothing may be done before the state file has it (COORDINATOR-2). */
const STRUCTURAL = new Set(
  "run_started choice_selected choice_given_up atom_decomposed atoms_added redirected halted".split(" "),
);

/** Asking again for what is asked for already changes nothing. */
function isStructural(line: JournalLine, state: State | undefined): boolean {
  if (line.event === "stop_requested") return state?.control.stop_requested !== true;
  if (line.event === "redirect_requested") return state?.control.redirect_requested !== true;
  return STRUCTURAL.has(line.event);
}

export function createWorld(scheduler: Scheduler, dice: readonly number[], faults: Faults = {}): World {
  let rolled = 0;
  const roll = (sides: number): number => (dice[rolled++ % dice.length] ?? 0) % sides;
  const lines: JournalLine[] = [];
  const saved: State[] = [];
  const busy = new Set<string>();
  const begun = new Set<string>();
  const timers = new Set<object>();
  const integrated: string[] = [];
  let working = 0;
  let peak = 0;
  let unsaved: string[] = [];
  let appends = 0;
  let calls = 0;

  const reported = (event: JournalLine["event"], attempt?: string): boolean =>
    lines.some(
      (line) => line.event === event && (attempt === undefined || ("attempt" in line && line.attempt === attempt)),
    );
  /** COORDINATOR-1 and COORDINATOR-2, looked at whenever something is done; null: it is nobody's. */
  const isReported = ({ port, attempt }: Call): boolean | null => {
    switch (port) {
      case "start":
      case "agent":
      case "shelve":
        return reported("attempt_started", attempt);
      case "integrate":
        return reported("work_succeeded", attempt);
      case "revert":
        return (["choice_given_up", "choice_selected", "redirected", "atom_reset"] as const).some((event) =>
          reported(event),
        );
      default:
        return null;
    }
  };
  const lawful = (call: Call): void => {
    const isTold = isReported(call);
    if (isTold === null) return;
    expect(isTold, `${call.label} before its journal line (L1)`).toBe(true);
    expect(unsaved, `${call.label} before the state file (L2)`).toEqual([]);
  };
  const carryOut: CarryOut = async (call, value, before) => {
    lawful(call);
    if (call.port === "start") {
      expect(begun.has(call.label), `${call.label} is done once`).toBe(false);
      begun.add(call.label);
    }
    // Integrations and reverts alone wait for what is before.
    if (before !== undefined && ++calls === faults.broken_at) throw new Error("the workspace broke");
    busy.add(call.label);
    peak = Math.max(peak, call.port === "agent" ? ++working : working);
    try {
      await before;
      await scheduler.schedule(Promise.resolve(), call.label);
    } finally {
      busy.delete(call.label);
      if (call.port === "agent") working--;
    }
    return value();
  };

  const clock = fakeClock(scheduler, timers);
  const store: Store = {
    append: (more) => {
      if (++appends >= (faults.full_at ?? Infinity)) return refused("no space left", "free some");
      lines.push(...more);
      unsaved.push(...more.flatMap((line) => (isStructural(line, saved.at(-1)) ? [line.event] : [])));
      // What the state refuses is refused at once, and nothing has changed.
      for (const line of more)
        if (line.event === "redirect_refused" && unsaved.includes("redirect_requested"))
          unsaved.splice(unsaved.indexOf("redirect_requested"), 1);
      return accepted(null);
    },
    save: (state) => {
      saved.push(state);
      unsaved = [];
      // Writing takes a while, so that the saver holds back what can wait.
      clock.pass(roll(40));
      return accepted(roll(60) === 1 ? { note: "somebody wrote" } : {});
    },
    look: () => (roll(150) === 1 ? { stop: "by hand" } : {}),
  };

  const thrown = thrownFate(dice, { deaths: 0 });
  const fate: Fate = {
    ...thrown,
    integration: (attempt) => {
      const end = thrown.integration(attempt);
      if (end.kind === "integrated") integrated.push(attempt.id);
      return end;
    },
    verification: (baseCase) =>
      roll(12) === 1
        ? { verdict: judge(baseCase, () => undefined), unavailable: "429", retry_after_ms: 50 }
        : { verdict: verdictOf(baseCase, roll(3) > 0) },
  };
  const ports: Ports = { ...createPorts(fate, emptySite(), carryOut), store, clock };
  return { ports, lines, saved, busy, timers, peak: () => peak, integrated };
}

/** The state file is looked at for ever: a loop that waits for nothing else would never end. */
const MOST_TIMERS = 5_000;

/** Time passes when a timer is let go, by as much as it asked for; never backwards. */
function fakeClock(scheduler: Scheduler, timers: Set<object>): Clock & { pass(ms: number): void } {
  let ms = 0;
  let asked = 0;
  return {
    now: () => new Date(Date.UTC(2026, 0, 1) + ms).toISOString(),
    monotonic: () => ms,
    pass: (more) => void (ms += more),
    after: (wait, then) => {
      if (++asked > MOST_TIMERS) throw new Error("the loop does not come to its end");
      const timer = {};
      const due = ms + wait;
      timers.add(timer);
      const fire = async (): Promise<void> => {
        await scheduler.schedule(Promise.resolve(), `timer ${wait}`);
        if (!timers.delete(timer)) return;
        ms = Math.max(ms, due);
        then();
      };
      void fire();
      return () => void timers.delete(timer);
    },
  };
}
