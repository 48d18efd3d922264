/** Waiting for a rate limit: what ends the wait, and what the call behind it may still spend (SPEC sections 4, 7 and 8). */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createLoop, type Loop } from "../../src/core/loop.ts";
import type { Constraints } from "../../src/core/state.ts";
import { createCoordinator, type Coordinator } from "../../src/loop/coordinator.ts";
import { judge } from "../../src/core/verdict.ts";
import type { Agent, AgentAnswer, AgentRequest, Clock, Verifier } from "../../src/loop/ports.ts";
import type { RunSettings } from "../../src/core/event.ts";
import type { CallLimits, Ports } from "../../src/loop/perform.ts";
import { stateOf, type Sketch } from "../support/loops.ts";
import { createWorld, type World } from "./fake-world.ts";

const HOUR = 3_600_000;
const START = {
  type: "run_started",
  at: "2026-01-01T00:00:00.000Z",
  run: "r",
  from: "pending",
  memory: { cost_usd: 0, active_ms: 0, attempts: {}, nogoods: [], probed: {} },
} as const;

/** Time passes only by `pass`, so that a wait ends by itself only when a test says so. */
function handClock(): Clock & { pass(ms: number): void; readonly due: () => readonly number[] } {
  let ms = 0;
  const timers = new Map<object, { readonly at: number; readonly go: () => void }>();
  return {
    now: () => new Date(Date.parse(START.at) + ms).toISOString(),
    monotonic: () => ms,
    after: (wait, then) => {
      const key = {};
      timers.set(key, { at: ms + wait, go: then });
      return () => void timers.delete(key);
    },
    pass(more) {
      ms += more;
      for (const [key, timer] of timers) {
        if (timer.at > ms) continue;
        timers.delete(key);
        timer.go();
      }
    },
    due: () => [...timers.values()].map(({ at }) => at - ms).filter((left) => left > 1_000),
  };
}

interface UnattendedFlags {
  readonly world: World;
  readonly clock: ReturnType<typeof handClock>;
  readonly coordinator: Coordinator;
  readonly requests: readonly AgentRequest[];
  readonly end: Promise<Loop>;
  /** Lets everything happen that needs no time. */
  settle(): Promise<void>;
}

/** A world without chance or delay but for the clock; the agent answers from `script`, then with success. */
function unattended(
  sketch: Sketch,
  script: readonly AgentAnswer[],
  settings: Partial<RunSettings> = {},
  limits: Partial<CallLimits> = {},
  ports: Partial<Ports> = {},
): UnattendedFlags {
  const [scheduler] = fc.sample(fc.scheduler(), 1);
  if (scheduler === undefined) throw new Error("no scheduler");
  const world = createWorld(scheduler, [100]);
  const clock = handClock();
  const requests: AgentRequest[] = [];
  const agent: Agent = {
    ...world.ports.worker,
    call: (request, signal) => {
      const answer = script[requests.push(request) - 1];
      if (signal.aborted) return Promise.resolve({ kind: "aborted" });
      const good = request.role === "planner" ? { atoms: [{ description: "x" }], reason: "r" } : undefined;
      return Promise.resolve(
        answer ?? { kind: "answer", value: good ?? { success: true, summary: "did", artifacts: [] } },
      );
    },
  };
  const coordinator = createCoordinator(createLoop(stateOf(sketch)), {
    ports: { ...world.ports, worker: agent, probe: agent, planner: agent, clock, ...ports },
    limits: { timeout_ms: 10 * HOUR, max_wait_ms: 5 * HOUR, ...limits },
    watch: () => {},
  });
  const end = scheduler.waitFor(
    coordinator.run({ ...START, settings: { verify_each: false, confirmed: false, ...settings } }),
  );
  end.catch(() => {});
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 60; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  return { world, clock, coordinator, requests, end, settle };
}

const limited = (usage?: AgentAnswer["usage"]): AgentAnswer => ({
  kind: "unavailable",
  reason: "429",
  retry_after_ms: HOUR,
  ...(usage === undefined ? {} : { usage }),
});
const ONE: Sketch = { atoms: [{ id: "A1" }] };
const withLimits = (constraints: Partial<Constraints>): Sketch => ({ ...ONE, constraints });

test("SPEC 8: a stop during a rate limit's wait ends the wait at once, and the atom is not blamed", async () => {
  const { world, clock, coordinator, requests, end, settle } = unattended(ONE, [limited()]);
  await settle();
  expect(clock.due(), "it waits").toContain(HOUR);
  coordinator.send({ type: "stop_requested", at: clock.now(), reason: "enough" });
  expect((await end).run.halted).toBe("stop_requested");
  expect(clock.monotonic(), "no time has passed").toBe(0);
  expect(requests).toHaveLength(1);
  expect(world.lines.map((line) => line.event)).toContain("attempt_aborted");
  expect(world.lines.map((line) => line.event)).not.toContain("attempt_failed");
  expect(clock.due(), "no timer is left").toEqual([]);
});

test("SPEC 8: a stop that came during the call itself lets no wait begin", async () => {
  const { world, clock, coordinator, end } = unattended(ONE, [limited()]);
  coordinator.send({ type: "stop_requested", at: START.at, reason: "" });
  expect((await end).run.halted).toBe("stop_requested");
  expect(world.lines.some((line) => line.event === "waiting")).toBe(false);
  expect(clock.monotonic()).toBe(0);
});

test("SPEC 9: when the agent turns out to be gone, what waits for it waits no longer", async () => {
  const two: Sketch = { atoms: [{ id: "A1" }, { id: "A2" }] };
  const { clock, end } = unattended(two, [limited(), { kind: "unavailable", reason: "not logged in" }]);
  const done = await end;
  expect([done.run.halted, done.run.unavailable, clock.monotonic()]).toEqual(["agent_unavailable", "not logged in", 0]);
});

test("SPEC 4: the call behind a wait gets what is left by then, of money and of time", async () => {
  const { clock, requests, end, settle } = unattended(
    withLimits({ max_cost_usd: 5, max_duration: "3h" }),
    [limited({ cost_usd: 2 }), limited({ cost_usd: 1 })],
    {},
    { max_call_usd: 4 },
  );
  await settle();
  clock.pass(HOUR);
  await settle();
  clock.pass(HOUR);
  expect((await end).run.halted).toBe("verified");
  expect(
    requests.map((request) => request.budget_usd),
    "of 4 USD for one attempt",
  ).toEqual([4, 2, 1]);
  expect(requests.map((request) => request.timeout_ms)).toEqual([3 * HOUR, 2 * HOUR, HOUR]);
});

test("SPEC 4: when the time is up during a wait the loop halts then, and nobody is called", async () => {
  const { clock, requests, end, settle } = unattended(withLimits({ max_duration: "30m" }), [limited()]);
  await settle();
  clock.pass(HOUR / 2);
  expect((await end).run.halted).toBe("budget");
  expect(requests).toHaveLength(1);
  expect(clock.monotonic()).toBe(HOUR / 2);
});

test.each([
  ["an hour each", HOUR, 2 * HOUR, [HOUR, HOUR]],
  ["at once, which is a second each", 0, 2_500, [1_000, 1_000]],
])("SPEC 7, 9: waits of one call are bounded together: %s", async (_, retry_after_ms, max_wait_ms, waits) => {
  const script = [1, 2, 3].map(() => ({ ...limited(), retry_after_ms }));
  const { world, clock, end, settle } = unattended(ONE, script, {}, { max_wait_ms });
  for (const wait of waits) {
    await settle();
    clock.pass(wait);
  }
  expect((await end).run.halted).toBe("agent_unavailable");
  expect(world.lines.flatMap((line) => (line.event === "waiting" ? [line.wait_ms] : []))).toEqual(waits);
});

test("SPEC 4, 9: a budget that ends the wait for the judge ends the run: not the judge's absence, nor a human's decision", async () => {
  const verifier: Verifier = {
    verify: (baseCase) => {
      const verdict = judge(baseCase, () => undefined);
      return Promise.resolve({ verdict, asked: true, unavailable: "429", retry_after_ms: HOUR });
    },
  };
  const { clock, end, settle } = unattended(withLimits({ max_duration: "30m" }), [], {}, {}, { verifier });
  await settle();
  expect(clock.due(), "it waits").toContain(HOUR);
  clock.pass(HOUR / 2);
  const done = await end;
  expect([done.run.halted, done.state.control.stop_reason]).toEqual(["budget", expect.stringMatching(/max_duration/)]);
});
