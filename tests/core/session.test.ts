/** Laws of the in-session loop (SPEC sections 4, 6, 8 and 10). */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { checkInvariants } from "../../src/core/invariants.ts";
import { createRecall, type JournalLine } from "../../src/core/journal.ts";
import { markFailed, requestStop } from "../../src/core/operations.ts";
import {
  afterCheck,
  endIteration,
  enterSession,
  type SessionContext,
  type SessionStep,
} from "../../src/core/session.ts";
import type { State } from "../../src/core/state.ts";
import { updateAtom } from "../../src/core/operations.ts";
import { anyState, NOW, stateOf } from "../support/loops.ts";
import { MEMORY, verdictOf } from "../support/walk.ts";

const rolls = fc.array(fc.nat(10_000), { minLength: 20, maxLength: 200 });
const CONTEXT = { run: "s1", memory: MEMORY, now: NOW };

interface Played {
  readonly state: State;
  readonly steps: readonly SessionStep[];
  readonly attempts: number;
  readonly verified: boolean;
  readonly halts: number;
}

/** A coordinator that reports, fails, forgets and claims as the dice say, across sessions that die and are entered again. */
function play(start: State, dice: readonly number[], look: (step: SessionStep, before: State) => void): Played {
  let next = 0;
  let clock = Date.parse(NOW);
  const roll = (): number => dice[next++ % dice.length] ?? 1;
  const now = (): string => new Date((clock += 1_000)).toISOString();
  const lines: JournalLine[] = [];
  const steps: SessionStep[] = [];
  let state = start;
  let attempts = 0;
  let verified = false;
  let halts = 0;
  let resumes = 2;
  const context = (): SessionContext => {
    const recall = createRecall();
    for (const line of lines) recall.read(JSON.parse(JSON.stringify(line)) as JournalLine);
    return { run: "s1", memory: recall.now().memory, now: now() };
  };
  const take = (step: SessionStep): void => {
    look(step, state);
    steps.push(step);
    state = step.state;
    lines.push(...step.lines);
    if (step.turn.kind === "work") attempts += step.turn.attempts.length;
    if (step.turn.kind === "halt") halts++;
    if (step.turn.kind !== "verify") return;
    const passed = roll() % 3 !== 0;
    const verdict = verdictOf(passed);
    verified = passed;
    take(afterCheck(step.turn.loop, { type: "base_case_checked", at: now(), verdict, commit: null }, state));
  };
  const report = (step: SessionStep): void => {
    if (step.turn.kind !== "work") return;
    for (const { attempt } of step.turn.attempts) {
      const dice = roll() % 4;
      const done =
        dice === 0
          ? markFailed(state, attempt.atom, { reason: "red", attempts: attempt.number, now: now() })
          : dice === 1
            ? updateAtom(state, attempt.atom, "pending")
            : updateAtom(state, attempt.atom, "resolved");
      if (done.ok) ({ state } = done.value);
    }
    if (roll() % 29 === 0) {
      const asked = requestStop(state, "enough");
      if (asked.ok) ({ state } = asked.value);
    }
    // A liar.
    if (roll() % 7 === 0) state = { ...state, control: { ...state.control, status: "completed", outcome: "verified" } };
  };
  take(enterSession(state, "S", "pending", context()));
  for (let turns = 0; turns < 500; turns++) {
    const last = steps.at(-1);
    if (last === undefined || last.turn.kind === "halt") {
      if (state.control.status === "completed" || resumes-- === 0) break;
      take(enterSession(state, "S", "halted", context()));
      continue;
    }
    report(last);
    if (roll() % 11 === 0) take(enterSession(state, "T", "crashed", context()));
    else take(endIteration(state, context()));
  }
  return { state, steps, attempts, verified, halts };
}

const loops = anyState(7, { max_iterations: 6 });

test("SPEC 4: an in-session loop halts within its fuel, whatever the coordinator reports or claims, across sessions", () => {
  fc.assert(
    fc.property(loops, rolls, (start, dice) => {
      const { state, steps, attempts } = play(start, dice, () => {});
      expect(steps.at(-1)?.turn.kind).toBe("halt");
      expect(state.control.iteration).toBeLessThanOrEqual(6);
      expect(attempts).toBeLessThanOrEqual(6 * state.objective.constraints.max_parallel_agents);
    }),
    { numRuns: 1_000 },
  );
});

test("SPEC 4, 6: completed is set by a verdict of true alone; a halted loop belongs to no session", () => {
  fc.assert(
    fc.property(loops, rolls, (start, dice) => {
      const { state, verified } = play(start, dice, ({ turn, state: after }) => {
        if (turn.kind === "halt") expect(after.control.session_id).toBe(null);
        if (turn.kind === "halt") expect(after.control.outcome).toBe(turn.outcome);
      });
      if (state.control.status === "completed") expect(verified).toBe(true);
    }),
    { numRuns: 1_000 },
  );
});

test("SPEC 2, 4: the next iteration is debited with its attempts handed out, and no step leaves an invalid state", () => {
  fc.assert(
    fc.property(loops, rolls, (start, dice) => {
      play(start, dice, ({ turn, state, lines }, before) => {
        expect(checkInvariants(state)).toEqual([]);
        if (turn.kind !== "work") return;
        const { iteration } = state.control;
        expect([turn.iteration, iteration]).toEqual([before.control.iteration + 1, before.control.iteration + 1]);
        expect(turn.attempts.map(({ attempt }) => attempt.iteration)).toEqual(turn.attempts.map(() => iteration));
        const working = state.atoms.filter((atom) => atom.status === "in_progress");
        expect(working.map((atom) => atom.id).sort()).toEqual(turn.attempts.map(({ attempt }) => attempt.atom).sort());
        expect(lines.filter((line) => line.event === "attempt_started")).toHaveLength(turn.attempts.length);
      });
    }),
    { numRuns: 500 },
  );
});

test("SPEC 4: an iteration is judged as a run judges it: M against prev_pending_count", () => {
  const start = stateOf({ atoms: [{ id: "A1" }, { id: "A2", depends_on: ["A1"] }] });
  const first = enterSession(start, "S", "pending", CONTEXT);
  expect(first.turn).toMatchObject({ kind: "work", iteration: 1, attempts: [{ attempt: { id: "A1.1" } }] });
  const idle = endIteration(first.state, CONTEXT);
  expect(idle.lines[0]).toMatchObject({ event: "iteration_judged", iteration: 1, measure: 2, movement: "first" });
  const stalled = endIteration(idle.state, CONTEXT);
  expect(stalled.lines[0]).toMatchObject({ movement: "stall", stall_count: 1 });
  const done = updateAtom(stalled.state, "A1", "resolved");
  if (!done.ok) throw new Error("refused");
  const progress = endIteration(done.value.state, CONTEXT);
  expect(progress.lines[0]).toMatchObject({ movement: "progress", stall_count: 0 });
  expect(progress.turn).toMatchObject({ kind: "work", iteration: 4, attempts: [{ attempt: { atom: "A2" } }] });
});

test("SPEC 6: a base case that fails becomes work, as one atom for each leaf", () => {
  const start = stateOf({ atoms: [{ id: "A1" }] });
  const entered = enterSession(start, "S", "pending", CONTEXT);
  const done = updateAtom(entered.state, "A1", "resolved");
  if (!done.ok) throw new Error("refused");
  const due = endIteration(done.value.state, CONTEXT);
  if (due.turn.kind !== "verify") throw new Error(`not verified: ${due.turn.kind}`);
  const verdict = verdictOf(false);
  const next = afterCheck(
    due.turn.loop,
    { type: "base_case_checked", at: NOW, verdict, commit: null },
    done.value.state,
  );
  expect(next.turn).toMatchObject({ kind: "work", iteration: 2 });
  expect(next.state.atoms.map((atom) => atom.description)).toContain("Make pass: it");
});

test("SPEC 7: alternatives do not race in one folder, and the group stays marked", () => {
  const start = stateOf({
    atoms: [{ id: "A1" }, { id: "A2" }],
    groups: [{ name: "way", choices: ["A1", "A2"], speculative: true }],
  });
  const entered = enterSession(start, "S", "pending", CONTEXT);
  expect(entered.turn).toMatchObject({ kind: "work", attempts: [{ attempt: { atom: "A1" } }] });
  expect(entered.state.or_groups[0]).toMatchObject({ speculative: true, selected: "A1" });
});
