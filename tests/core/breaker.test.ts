/** The circuit breaker and the budget of tokens, as the reducer keeps them (SPEC sections 4 and 9). */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Event, RunSettings } from "../../src/core/event.ts";
import { createLoop, type Loop } from "../../src/core/loop.ts";
import { step } from "../../src/core/step.ts";
import { NOW, stateOf, type Sketch } from "../support/loops.ts";
import { MEMORY, SETTINGS } from "../support/walk.ts";

const LONG: Sketch = {
  atoms: [{ id: "A1" }],
  constraints: { max_iterations: 200, max_parallel_agents: 1, max_stall_count: 200 },
};

/** One attempt after the other, each with the next of these ends, until the loop halts or they are used up. */
function play(ends: readonly End[], settings: Partial<RunSettings>, tokens = 0): Loop {
  const start: Event = {
    type: "run_started",
    at: NOW,
    run: "r",
    from: "pending",
    memory: { ...MEMORY, tokens },
    settings: { ...SETTINGS, ...settings },
  };
  let { loop } = step(createLoop(stateOf(LONG)), start);
  for (const end of ends) {
    const attempt = loop.run.attempts[0]?.attempt.id;
    if (loop.run.halted !== null || attempt === undefined) break;
    ({ loop } = step(loop, eventOf(end, attempt)));
  }
  return loop;
}

const ENDS = ["died", "failed", "time-out", "nonsense", "aborted"] as const;
type End = (typeof ENDS)[number];

function eventOf(end: End, attempt: string): Event {
  const failed = { type: "attempt_failed", at: NOW, attempt, reason: end } as const;
  const usage = { input_tokens: 30, output_tokens: 10 };
  switch (end) {
    case "died":
      return { ...failed, kind: "failed", died: true };
    case "failed":
      return { ...failed, kind: "failed", usage };
    case "time-out":
      return { ...failed, kind: "timeout" };
    case "nonsense":
      return { ...failed, kind: "unreadable" };
    case "aborted":
      return { type: "attempt_aborted", at: NOW, attempt };
  }
}

test("SPEC 9: an agent that dies N times in a row stops the run, and exactly then; any answer begins the count anew", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...ENDS), { maxLength: 60 }), fc.integer({ min: 1, max: 6 }), (ends, most) => {
      let row = 0;
      const broken = ends.findIndex((end) => {
        row = end === "died" ? row + 1 : end === "failed" || end === "nonsense" ? 0 : row;
        return row >= most;
      });
      const { run, state } = play(ends, { max_deaths: most });
      expect(run.halted).toBe(broken < 0 ? null : "agent_unavailable");
      expect(state.control.iteration, "nothing is started behind it").toBe((broken < 0 ? ends.length : broken) + 1);
      if (broken >= 0)
        expect(state.control.stop_reason).toMatch(/without an answer, the last time: died; try it by hand/);
    }),
    { numRuns: 500 },
  );
});

test("SPEC 9: without the breaker an agent may die until the fuel is spent", () => {
  expect(
    play(
      Array.from({ length: 300 }, () => "died" as const),
      {},
    ).run.halted,
  ).toBe("max_iterations");
});

test("SPEC 4: a spent budget of tokens stops the loop, named; those of earlier runs count", () => {
  const ends = Array.from({ length: 20 }, () => "failed" as const);
  const { run, state } = play(ends, { max_tokens: 100 });
  expect([run.halted, run.tokens, state.control.iteration]).toEqual(["budget", 120, 3]);
  expect(state.control.stop_reason).toBe("budget spent: max_tokens, 120 of 100 tokens");
  expect(play(ends, { max_tokens: 100 }, 70).state.control.iteration).toBe(1);
  expect(play(ends, {}).run.halted, "no limit: none is kept").toBe(null);
});
