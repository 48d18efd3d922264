/**
 * The world of a loop, made of promises that fast-check's scheduler settles in any order, a clock that jumps
 * as it likes, and dice. It looks at every call that the coordinator's laws hold.
 */
import type { Scheduler } from "fast-check";
import { expect } from "vitest";
import type { Attempt } from "../../src/core/effect.ts";
import type { JournalLine } from "../../src/core/journal.ts";
import { accepted, refused } from "../../src/core/problem.ts";
import type { State } from "../../src/core/state.ts";
import { judge } from "../../src/core/verdict.ts";
import type { Ports } from "../../src/loop/perform.ts";
import type {
  Agent,
  AgentAnswer,
  AgentRequest,
  Clock,
  Integration,
  Store,
  Verifier,
  Workspace,
} from "../../src/loop/ports.ts";

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
const STRUCTURAL = new Set([
  "run_started",
  "choice_selected",
  "choice_given_up",
  "atom_decomposed",
  "atoms_added",
  "redirected",
  "halted",
]);

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
  /** COORDINATOR-1 and COORDINATOR-2, looked at whenever something is done. */
  const lawful = (what: string, isReported: boolean): void => {
    expect(isReported, `${what} before its journal line (L1)`).toBe(true);
    expect(unsaved, `${what} before the state file (L2)`).toEqual([]);
  };
  const later = async <T>(label: string, value: () => T): Promise<T> => {
    busy.add(label);
    await scheduler.schedule(Promise.resolve(), label);
    busy.delete(label);
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

  const agent: Agent = {
    name: "fake",
    available: () => Promise.resolve({ ok: true }),
    close: () => Promise.resolve(),
    call: async (request, signal) => {
      const isAttempt = request.role === "worker" || request.role === "probe";
      if (isAttempt) lawful(request.call, reported("attempt_started", request.call));
      peak = Math.max(peak, isAttempt ? ++working : working);
      const answer = await later(`call ${request.call}`, () => answerTo(request, roll));
      if (isAttempt) working--;
      return signal.aborted ? { kind: "aborted" } : answer;
    },
  };
  let queue: Promise<unknown> = Promise.resolve();
  const serial = <T>(label: string, value: () => T): Promise<T> => {
    if (++calls === faults.broken_at) return Promise.reject(new Error("the workspace broke"));
    const task = queue.then(() => later(label, value));
    queue = task;
    return task;
  };
  const workspace = fakeWorkspace({ lawful, reported, serial, later, roll, integrated });
  const verifier: Verifier = {
    verify: async (baseCase) =>
      later("verify", () =>
        roll(12) === 1
          ? { verdict: judge(baseCase, () => undefined), unavailable: "429", retry_after_ms: 50 }
          : {
              verdict: judge(baseCase, () => ({
                passed: roll(3) > 0,
                evidence: { kind: "judgement", reason: "dice" },
              })),
            },
      ),
  };
  const ports: Ports = { worker: agent, probe: agent, planner: agent, verifier, workspace, store, clock };
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

function answerTo(request: AgentRequest, roll: (sides: number) => number): AgentAnswer {
  const said = (value: object): AgentAnswer => ({ kind: "answer", value, usage: { cost_usd: 0.01 } });
  const luck = roll(40);
  if (luck === 1) return { kind: "unavailable", reason: "429", retry_after_ms: 50 };
  if (luck === 2) return { kind: "unreadable", text: "?", problem: "no JSON" };
  if (luck === 3) return { kind: "failed", reason: "boom", timed_out: true };
  if (request.role === "planner") return said({ atoms: [{ description: "more" }], reason: "red" });
  if (request.role === "probe") return said({ feasible: luck % 3 > 0, findings: "found" });
  if (luck < 7) return said({ success: false, summary: "no" });
  if (luck === 8)
    return said({
      split: [
        { id: "s", description: "x" },
        { description: "y", depends_on: ["s"] },
      ],
      reason: "large",
    });
  return said({ success: true, summary: "did", artifacts: ["f"] });
}

interface Wiring {
  lawful(what: string, isReported: boolean): void;
  reported(event: JournalLine["event"], attempt?: string): boolean;
  serial<T>(label: string, value: () => T): Promise<T>;
  later<T>(label: string, value: () => T): Promise<T>;
  roll(sides: number): number;
  readonly integrated: string[];
}

function fakeWorkspace({ lawful, reported, serial, later, roll, integrated }: Wiring): Workspace {
  const open = new Set<string>();
  const integrate = (attempt: Attempt): Integration => {
    const luck = roll(12);
    if (luck === 1) return { kind: "conflict", files: ["f"] };
    if (luck === 2) return { kind: "protected", files: ["t"] };
    if (luck === 3) return { kind: "failed", reason: "its folder is gone" };
    open.delete(attempt.id);
    integrated.push(attempt.id);
    return { kind: "integrated", commit: attempt.id, files: ["f"] };
  };
  return {
    kind: "worktrees",
    slots: Infinity,
    open: () => Promise.resolve({ base: "b", tip: "t", integrated: [], reverts: [], notes: [] }),
    start: async (attempt) => {
      lawful(`start ${attempt.id}`, reported("attempt_started", attempt.id));
      expect(open.has(attempt.id), `${attempt.id} is started once`).toBe(false);
      open.add(attempt.id);
      return await later(`start ${attempt.id}`, () => ({ dir: `/${attempt.id}` }));
    },
    integrate: (attempt) => {
      lawful(`integrate ${attempt.id}`, reported("work_succeeded", attempt.id));
      return serial(`integrate ${attempt.id}`, () => integrate(attempt));
    },
    shelve: (attempt) => {
      lawful(`shelve ${attempt.id}`, reported("attempt_started", attempt.id));
      open.delete(attempt.id);
      return later(`shelve ${attempt.id}`, () => ({ kept: roll(2) === 0 ? null : "branch" }));
    },
    revert: (atoms) => {
      lawful(
        `revert ${atoms.join()}`,
        reported("choice_given_up") || reported("choice_selected") || reported("redirected"),
      );
      return serial("revert", () => ({ commit: "r", lost: [] }));
    },
    checkout: () => later("checkout", () => ({ dir: "/c", commit: "c", release: () => later("release", () => {}) })),
    tampered: () => later("tampered", () => (roll(50) === 1 ? ["t"] : [])),
    finish: () => Promise.resolve({ message: "", merged: false }),
    close: () => Promise.resolve(),
  };
}
