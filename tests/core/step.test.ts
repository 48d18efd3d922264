import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Effect } from "../../src/core/effect.ts";
import type { Event } from "../../src/core/event.ts";
import { checkInvariants } from "../../src/core/invariants.ts";
import { createLoop, type Loop } from "../../src/core/loop.ts";
import { step } from "../../src/core/step.ts";
import type { ChecklistVerdict } from "../../src/core/verdict.ts";
import { viewOf } from "../../src/core/view.ts";
import { toArray } from "../../src/core/vec.ts";
import { anyState, NOW } from "../support/loops.ts";

const MEMORY = { cost_usd: 0, active_ms: 0, attempts: {}, nogoods: [], probed: {} };
const verdict = (passed: boolean | null): ChecklistVerdict => ({
  passed,
  checklist: [
    {
      item: "it",
      check: { type: "command", value: "true" },
      passed,
      evidence: { kind: "judgement", reason: "" },
    },
  ],
  skipped: passed === null ? ["it"] : [],
  requires_user_confirmation: false,
});

/** Answers one open effect as the dice say. */
function answer(effect: Effect, roll: number): Event | null {
  switch (effect.type) {
    case "start_attempt": {
      const attempt = effect.attempt.id;
      if (effect.attempt.role === "probe")
        return roll % 3 === 0
          ? { type: "attempt_failed", at: NOW, attempt, kind: "infeasible", reason: "no" }
          : { type: "probe_feasible", at: NOW, attempt, findings: "yes" };
      if (roll % 7 === 0) return { type: "attempt_failed", at: NOW, attempt, kind: "failed", reason: "red" };
      if (roll % 11 === 0)
        return {
          type: "work_split",
          at: NOW,
          attempt,
          children: [{ description: "x" }, { description: "y" }],
          reason: "large",
        };
      if (roll % 13 === 0) return { type: "attempt_aborted", at: NOW, attempt };
      if (roll % 97 === 0) return { type: "agent_unavailable", at: NOW, attempt, reason: "429" };
      return {
        type: "work_succeeded",
        at: NOW,
        attempt,
        summary: "done",
        artifacts: [`${attempt}.txt`],
      };
    }
    case "integrate":
      return roll % 5 === 0
        ? {
            type: "attempt_failed",
            at: NOW,
            attempt: effect.attempt.id,
            kind: "conflict",
            reason: "conflict",
          }
        : {
            type: "attempt_integrated",
            at: NOW,
            attempt: effect.attempt.id,
            commit: "c",
            artifacts: effect.artifacts,
          };
    case "abort_attempt":
      return { type: "attempt_aborted", at: NOW, attempt: effect.attempt.id };
    case "revert":
      return { type: "work_reverted", at: NOW, commit: "r", lost: [] };
    case "check_base_case":
      return {
        type: "base_case_checked",
        at: NOW,
        verdict: verdict(roll % 3 !== 0),
        commit: "c",
      };
    case "replan":
      return {
        type: "replanned",
        at: NOW,
        atoms: roll % 2 === 0 ? [] : [{ description: "fix" }],
        reason: "red",
      };
    default:
      return null;
  }
}

interface Trace {
  readonly loop: Loop;
  readonly attempts: number;
  readonly events: number;
}

function play(
  loop: Loop,
  rolls: readonly number[],
  watch: (before: Loop, after: Loop, effects: readonly Effect[], event: Event) => void,
): Trace {
  let next = 0;
  const roll = (): number => rolls[next++ % rolls.length] ?? 1;
  let current = loop;
  let open: Effect[] = [];
  let attempts = 0;
  let events = 0;
  const feed = (event: Event): void => {
    const taken = step(current, event);
    watch(current, taken.loop, taken.effects, event);
    current = taken.loop;
    attempts += taken.effects.filter((effect) => effect.type === "start_attempt").length;
    open.push(...taken.effects);
    events++;
  };
  feed({
    type: "run_started",
    at: NOW,
    run: "r1",
    from: "pending",
    memory: MEMORY,
    settings: { verify_each: roll() % 2 === 0, confirmed: false },
  });
  while (open.length > 0 && events < 5_000) {
    const pick = roll() % open.length;
    const effect = open[pick] as Effect;
    open = open.filter((other) => other !== effect);
    const event = answer(effect, roll());
    if (event !== null) feed(event);
  }
  return { loop: current, attempts, events };
}

const rolls = fc.array(fc.nat(10_000), { minLength: 5, maxLength: 200 });

test("SPEC 4: every loop halts, within its fuel, with exactly one outcome", () => {
  fc.assert(
    fc.property(anyState(7, { max_iterations: 6 }), rolls, (state, dice) => {
      const { loop, attempts } = play(createLoop(state), dice, () => {});
      expect(loop.run.halted).not.toBeNull();
      expect(loop.state.control.outcome).toBe(loop.run.halted);
      expect(loop.state.control.status).toBe(loop.run.halted === "verified" ? "completed" : "stopped");
      expect(attempts).toBeLessThanOrEqual(6 * 3);
      expect(toArray(loop.state.atoms).filter((atom) => atom.status === "in_progress")).toEqual([]);
      if (loop.run.halted === "verified") expect(loop.run.checked?.verdict.passed).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

test("SPEC 2-5: no step leaves an invalid state, a stale view, or more attempts than slots", () => {
  fc.assert(
    fc.property(anyState(7, { max_iterations: 6 }), rolls, (state, dice) => {
      play(createLoop(state), dice, (before, after) => {
        expect(checkInvariants(after.state)).toEqual([]);
        const fresh = viewOf(after.state, after.view.graph);
        expect(after.view.measure).toBe(fresh.measure);
        expect(toArray(after.view.waits)).toEqual(toArray(fresh.waits));
        expect(toArray(after.view.met)).toEqual(toArray(fresh.met));
        expect(toArray(after.view.open)).toEqual(toArray(fresh.open));
        expect(after.run.attempts.filter((running) => running.phase === "working").length).toBeLessThanOrEqual(3);
        expect(after.state.control.iteration).toBeGreaterThanOrEqual(before.state.control.iteration);
        expect(after.state.trail.length).toBeGreaterThanOrEqual(before.state.trail.length);
      });
    }),
    { numRuns: 1_000 },
  );
});
