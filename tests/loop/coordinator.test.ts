/**
 * Laws of the one sequencer (COORDINATOR-1 to 3), whatever the order in which the world answers.
 * SEEDS=<n> tries more worlds; a failure prints its seed.
 */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createLoop, limitsIn, type Loop } from "../../src/core/loop.ts";
import type { Event } from "../../src/core/event.ts";
import type { Redirect } from "../../src/core/redirect.ts";
import type { State } from "../../src/core/state.ts";
import { judge } from "../../src/core/verdict.ts";
import { createCoordinator, type Coordinator } from "../../src/loop/coordinator.ts";
import type { Agent, Verifier } from "../../src/loop/ports.ts";
import { RunFailure } from "../../src/loop/run-failure.ts";
import { anyState, stateOf } from "../support/loops.ts";
import { createWorld, type Faults, type World } from "./fake-world.ts";

const SEEDS = Number(process.env["SEEDS"] ?? 300);
const dice = fc.array(fc.nat(100_000), { minLength: 30, maxLength: 120 });
const states = fc
  .tuple(anyState(6, { max_iterations: 6 }), fc.array(fc.boolean(), { minLength: 1, maxLength: 6 }))
  .map(([state, probes]): State => ({
    ...state,
    atoms: state.atoms.map((atom, i) => (probes[i % probes.length] === true ? { ...atom, probe: true } : atom)),
  }));

const REDIRECTS: readonly Redirect[] = [
  { kind: "limit", constraint: "max_stall_count", value: 5, reason: "" },
  { kind: "add", id: "new", description: "new", depends_on: [], reason: "" },
  { kind: "remove", id: "A1", reason: "" },
  { kind: "choose", group: "g0", atom: "A2", reason: "" },
  { kind: "set", field: "goal", value: "other", reason: "" },
];
/** What people do meanwhile, and which of the dice's numbers says so. */
const meddling = fc.array(fc.constantFrom("stop", "kill", 0, 1, 2, 3, 4), { maxLength: 2 });

const START = {
  type: "run_started",
  at: "2026-01-01T00:00:00.000Z",
  run: "r",
  from: "pending",
  memory: { cost_usd: 0, active_ms: 0, attempts: {}, nogoods: [], probed: {} },
  settings: { verify_each: false, confirmed: false },
} as const satisfies Event;

interface Played {
  readonly world: World;
  readonly end: Awaited<ReturnType<Coordinator["run"]>> | RunFailure;
}

async function play(
  scheduler: fc.Scheduler,
  state: State,
  rolls: readonly number[],
  requests: readonly (string | number)[],
  verifyEach: boolean,
  faults: Faults = {},
): Promise<Played> {
  const world = createWorld(scheduler, rolls, faults);
  const coordinator = createCoordinator(createLoop(state), {
    ports: world.ports,
    limits: { timeout_ms: 1_000, max_wait_ms: rolls.length % 2 === 0 ? 0 : 10_000 },
    watch: (line) => expect(world.lines, "told before it is on disk").toContain(line),
  });
  const meddle = async (request: string | number): Promise<void> => {
    await scheduler.schedule(Promise.resolve(), `person: ${request}`);
    const at = world.ports.clock.now();
    const redirect = typeof request === "number" ? REDIRECTS[request] : undefined;
    if (redirect !== undefined) return coordinator.send({ type: "redirect_requested", at, redirect });
    coordinator.send({ type: "stop_requested", at, reason: String(request) });
    if (request === "kill") coordinator.kill();
  };
  for (const request of requests) void meddle(request);
  const start = { ...START, settings: { ...START.settings, verify_each: verifyEach } };
  const run = coordinator.run(start).catch((error: unknown) => {
    if (error instanceof RunFailure) return error;
    throw error;
  });
  const end = await scheduler.waitFor(run);
  return { world, end };
}

/** COORDINATOR-3. */
function expectNothingLeft(world: World): void {
  expect([...world.busy]).toEqual([]);
  expect(world.timers.size, "timers left").toBe(0);
}

test("SPEC 8: what is asked for before the run has begun comes behind its beginning: no stop is lost, nothing is started twice", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      states,
      dice,
      fc.constantFrom("pending" as const, "halted" as const, "crashed" as const),
      fc.constantFrom("stop" as const, 0 as const, 1 as const),
      async (scheduler, state, rolls, from, request) => {
        const world = createWorld(scheduler, rolls, {});
        const limits = { timeout_ms: 1_000, max_wait_ms: 0 };
        const coordinator = createCoordinator(createLoop(state), {
          ports: world.ports,
          limits,
          watch: () => undefined,
        });
        const [redirect] = request === "stop" ? [] : REDIRECTS.slice(request);
        const { at } = START;
        coordinator.send(
          redirect === undefined
            ? { type: "stop_requested", at, reason: "lunch" }
            : { type: "redirect_requested", at, redirect },
        );
        const end = await scheduler.waitFor(coordinator.run({ ...START, from }));
        expect(world.lines[0]).toMatchObject({ event: "run_started", run: START.run });
        const started = world.lines.flatMap((line) => (line.event === "attempt_started" ? [line.attempt] : []));
        const halts = world.lines.filter(({ event }) => event === "halted");
        expect(halts).toHaveLength(1);
        // A loop that could not go on at all has halted as it began.
        if (redirect === undefined && (started.length > 0 || end.run.halted === "stop_requested"))
          expect(halts).toMatchObject([{ outcome: "stop_requested", message: "stopped on request: lunch" }]);
        expect(new Set(started).size).toBe(started.length);
        expect(world.peak()).toBeLessThanOrEqual(limitsIn(end).parallel);
        expectNothingLeft(world);
      },
    ),
    { numRuns: SEEDS },
  );
}, 120_000);

test(
  `SPEC 4, 8: COORDINATOR-1 to 3, slots, fuel and halting in any order of answers (${SEEDS} worlds)`,
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        states,
        dice,
        meddling,
        fc.boolean(),
        async (scheduler, state, rolls, requests, each) => {
          const { world, end } = await play(scheduler, state, rolls, requests, each);
          if (end instanceof RunFailure) throw end;
          const { parallel } = limitsIn(end);
          expect(end.run.halted).not.toBe(null);
          expect(world.peak()).toBeLessThanOrEqual(parallel);
          const started = world.lines.flatMap((line) => (line.event === "attempt_started" ? [line.attempt] : []));
          expect(new Set(started).size).toBe(started.length);
          expect(started.length).toBeLessThanOrEqual(end.state.objective.constraints.max_iterations * parallel);
          expect(end.run.attempts, "every attempt settled").toEqual([]);
          expect(new Set(world.integrated).size, "integrated once").toBe(world.integrated.length);
          expect(world.lines.filter((line) => line.event === "halted")).toHaveLength(1);
          expect(world.saved.at(-1), "the final state is written").toBe(end.state);
          expect(end.state.control.status).toBe(end.run.halted === "verified" ? "completed" : "stopped");
          expectNothingLeft(world);
        },
      ),
      { numRuns: SEEDS },
    );
  },
  60_000 + SEEDS * 200,
);

test(
  "SPEC 8: a disk that fills up, or a port that breaks, ends the run as a failure with nothing left",
  async () => {
    const faults = fc.oneof(
      fc.record({ full_at: fc.integer({ min: 1, max: 12 }) }),
      fc.record({ broken_at: fc.integer({ min: 1, max: 3 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), states, dice, faults, async (scheduler, state, rolls, fault) => {
        const { world, end } = await play(scheduler, state, rolls, [], false, fault);
        if (end instanceof RunFailure) {
          expect(end.message).toMatch(/no space left|the workspace broke/);
          expect(end.hint).not.toBe("");
          // It may have halted, and only the telling of what came after it failed.
          const halted = world.lines.some((line) => line.event === "halted");
          if (halted) expect(world.saved.at(-1)?.control.status).not.toBe("running");
        }
        expectNothingLeft(world);
      }),
      { numRuns: Math.ceil(SEEDS / 3) },
    );
  },
  60_000 + SEEDS * 200,
);

test("SPEC 4, 7: a rate limit that ends within the bound is waited for, informed of, paid for, and no failure of the atom", async () => {
  const scheduler = fc.sample(fc.scheduler(), 1)[0];
  if (scheduler === undefined) throw new Error("no scheduler");
  // Dice that bring no bad luck.
  const world = createWorld(scheduler, [100]);
  let calls = 0;
  const waiting = {
    ...world.ports.worker,
    call: async (...args: Parameters<typeof world.ports.worker.call>) =>
      ++calls < 3
        ? { kind: "unavailable" as const, reason: "429", retry_after_ms: 60_000, usage: { cost_usd: 1 } }
        : await world.ports.worker.call(...args),
  };
  const coordinator = createCoordinator(createLoop(stateOf({ atoms: [{ id: "A1" }] })), {
    ports: { ...world.ports, worker: waiting },
    limits: { timeout_ms: 1_000, max_wait_ms: 150_000 },
    watch: () => {},
  });
  const end = await scheduler.waitFor(coordinator.run(START));
  expect(end.run.halted).toBe("verified");
  expect(calls).toBe(3);
  expect(end.run.cost_usd, "what the calls before it cost is not forgotten").toBeGreaterThan(2);
  const waits = world.lines.filter((line) => line.event === "waiting");
  expect(waits).toMatchObject([1, 2].map(() => ({ who: "A1.1", wait_ms: 60_000, reason: "429" })));
  for (const wait of waits) expect(Date.parse(wait.until) - Date.parse(START.at)).toBeGreaterThanOrEqual(60_000);
  expect(world.lines.some((line) => line.event === "attempt_failed")).toBe(false);
  expect(world.ports.clock.monotonic()).toBeGreaterThanOrEqual(120_000);
});

test("SPEC 7: a judge that is rate limited is waited for; past the bound the run stops, and nothing is called failed", async () => {
  const scheduler = fc.sample(fc.scheduler(), 1)[0];
  if (scheduler === undefined) throw new Error("no scheduler");
  const run = async (busy: number): Promise<{ readonly world: World; readonly end: Loop; readonly checks: number }> => {
    const world = createWorld(scheduler, [100]);
    let checks = 0;
    const verifier: Verifier = {
      verify: (baseCase) => {
        const usage = { cost_usd: 1 };
        if (++checks > busy)
          return Promise.resolve({
            verdict: judge(baseCase, () => ({ passed: true, evidence: { kind: "judgement", reason: "" } })),
            usage,
          });
        const verdict = judge(baseCase, () => undefined);
        return Promise.resolve({ verdict, usage, unavailable: "429", retry_after_ms: 60_000 });
      },
    };
    const coordinator = createCoordinator(createLoop(stateOf({ atoms: [{ id: "A1" }] })), {
      ports: { ...world.ports, verifier },
      limits: { timeout_ms: 1_000, max_wait_ms: 150_000 },
      watch: () => {},
    });
    return { world, end: await scheduler.waitFor(coordinator.run(START)), checks };
  };
  const patient = await run(2);
  expect(patient.end.run.halted).toBe("verified");
  expect(patient.end.run.cost_usd).toBeGreaterThan(3);
  const waits = patient.world.lines.filter((line) => line.event === "waiting");
  expect(waits).toMatchObject([1, 2].map(() => ({ who: "the judge", wait_ms: 60_000, reason: "429" })));
  const past = await run(9);
  expect(past.end.run.halted).toBe("agent_unavailable");
  expect(past.checks).toBe(3);
});

test("SPEC 4: what an interrupted check, or planner, has cost is paid for", async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), async (scheduler) => {
      const world = createWorld(scheduler, [100]);
      let goals = 0;
      const another = (): Redirect => ({ kind: "set", field: "goal", value: `goal ${++goals}`, reason: "" });
      /** Asks for a redirect in the middle of the call, and answers once it is aborted. */
      const interrupted = (signal: AbortSignal): Promise<void> =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () => resolve(), { once: true });
          coordinator.send({ type: "redirect_requested", at: START.at, redirect: another() });
        });
      const usage = { cost_usd: 5 };
      let checks = 0;
      const verifier: Verifier = {
        verify: async (baseCase, _dir, signal) => {
          const passed = ++checks > 2;
          if (checks === 1) await interrupted(signal);
          return { verdict: judge(baseCase, () => ({ passed, evidence: { kind: "judgement", reason: "" } })), usage };
        },
      };
      const planner: Agent = {
        ...world.ports.worker,
        call: async (_request, signal) => {
          await interrupted(signal);
          return { kind: "aborted", usage };
        },
      };
      const coordinator = createCoordinator(createLoop(stateOf({ atoms: [{ id: "A1" }] })), {
        ports: { ...world.ports, verifier, planner },
        limits: { timeout_ms: 1_000, max_wait_ms: 0 },
        watch: () => {},
      });
      const end = await scheduler.waitFor(coordinator.run(START));
      expect(end.run.halted).toBe("verified");
      expect(world.lines.filter((line) => line.event === "background_aborted")).toHaveLength(2);
      expect(end.run.cost_usd).toBeGreaterThan(20);
    }),
    { numRuns: 50, timeout: 10_000 },
  );
});
