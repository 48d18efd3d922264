/**
 * Long unattended runs in virtual time (SPEC sections 4, 7, 8 and 9): hundreds of attempts with rate limits, an agent
 * that crashes and comes back, a disk that fills up, and a person who runs the loop again in the morning. SEEDS=<n>
 * tries more unattended runs.
 */
import { expect, test } from "vitest";
import { createRecall, type JournalLine, type Recollection } from "../../src/core/journal.ts";
import { createLoop, limitsIn, tokensOf, type Loop } from "../../src/core/loop.ts";
import type { Event, RunSettings } from "../../src/core/event.ts";
import { accepted } from "../../src/core/problem.ts";
import type { State } from "../../src/core/state.ts";
import { judge } from "../../src/core/verdict.ts";
import { createCoordinator } from "../../src/loop/coordinator.ts";
import type { Ports } from "../../src/loop/perform.ts";
import type { Agent, AgentAnswer, AgentRequest, Clock, Workspace } from "../../src/loop/ports.ts";
import { chance } from "../support/bundle.ts";
import { stateOf } from "../support/loops.ts";

const NIGHTS = Number(process.env["SEEDS"] ?? 6);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const ATOMS = 120;
const MAX_WAIT_MS = 4 * HOUR;
const BREAKER = 4;
/** What every third night has. */
const FEW_TOKENS = 80_000;

interface VirtualClock extends Clock {
  /** Goes to the next thing that is due. False: nothing is. */
  next(): boolean;
  readonly pending: () => number;
}

function virtualClock(): VirtualClock {
  let ms = 0;
  const timers = new Map<object, { readonly due: number; readonly go: () => void }>();
  return {
    now: () => new Date(Date.UTC(2026, 0, 1, 22) + ms).toISOString(),
    monotonic: () => ms,
    after: (wait, go) => {
      const key = {};
      timers.set(key, { due: ms + wait, go });
      return () => void timers.delete(key);
    },
    pending: () => timers.size,
    next() {
      let first: [object, { readonly due: number; readonly go: () => void }] | undefined;
      for (const entry of timers) if (first === undefined || entry[1].due < first[1].due) first = entry;
      if (first === undefined) return false;
      timers.delete(first[0]);
      ms = Math.max(ms, first[1].due);
      first[1].go();
      return true;
    },
  };
}

/** What the long run is like from minute to minute. */
interface Weather {
  /** Until then every call crashes. */
  crashing: number;
  /** From then on the disk is full, until it is cleaned up. */
  full: number;
}

interface UnattendedWorld {
  readonly ports: Ports;
  readonly clock: VirtualClock;
  readonly lines: JournalLine[];
  state: State;
  readonly weather: Weather;
  readonly calls: AgentRequest[];
  working: number;
  peak: number;
}

function createScene(seed: number, state: State): UnattendedWorld {
  const roll = chance(seed);
  const clock = virtualClock();
  const weather: Weather = { crashing: 0, full: Infinity };
  const lasting = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const cancel = clock.after(ms, resolve);
      signal.addEventListener("abort", () => (cancel(), resolve()), { once: true });
    });
  const agent: Agent = {
    name: "fake",
    available: () => Promise.resolve({ ok: true }),
    close: () => Promise.resolve(),
    call: async (request, signal) => {
      world.calls.push(request);
      world.peak = Math.max(world.peak, ++world.working);
      const { took, answer } = call(request, roll, clock, weather);
      await lasting(Math.min(took, request.timeout_ms), signal);
      world.working--;
      if (signal.aborted) return { kind: "aborted" };
      return took > request.timeout_ms ? { kind: "failed", reason: "too long", timed_out: true } : answer;
    },
  };
  const world: UnattendedWorld = {
    clock,
    weather,
    state,
    lines: [],
    calls: [],
    working: 0,
    peak: 0,
    ports: {
      worker: agent,
      probe: agent,
      planner: agent,
      clock,
      workspace: workspaceOf(roll),
      verifier: {
        verify: (baseCase) =>
          Promise.resolve({
            verdict: judge(baseCase, () => ({ passed: true, evidence: { kind: "judgement", reason: "" } })),
          }),
      },
      store: {
        append: (lines) => (world.lines.push(...lines), accepted(null)),
        save: (saved) => ((world.state = saved), accepted({})),
        look: () => ({}),
      },
      room: () => (clock.monotonic() >= weather.full ? "only 3 MB are free" : null),
    },
  };
  return world;
}

/** A call takes minutes; some are limited, some crash, some fail; crashes come in bouts. */
function call(
  request: AgentRequest,
  roll: () => number,
  clock: Clock,
  weather: Weather,
): { readonly took: number; readonly answer: AgentAnswer } {
  const usage = { cost_usd: 0.1, input_tokens: 900, output_tokens: 100 };
  const luck = roll();
  if (clock.monotonic() < weather.crashing || luck < 0.08)
    return { took: 500, answer: { kind: "failed", reason: "exit code 139" } };
  if (luck < 0.09) weather.crashing = clock.monotonic() + HOUR;
  if (luck < 0.2)
    return {
      took: 2_000,
      answer: { kind: "unavailable", reason: "429", retry_after_ms: Math.floor(roll() * 2 * HOUR) },
    };
  const took = MINUTE + Math.floor(roll() * 20 * MINUTE);
  if (luck < 0.25) return { took: 90 * MINUTE, answer: { kind: "aborted" } };
  if (luck < 0.3) return { took, answer: { kind: "unreadable", text: "", problem: "empty", usage } };
  const success = luck > 0.4;
  const value =
    request.role === "planner"
      ? { atoms: [], reason: "none" }
      : { success, summary: success ? "did" : "red", artifacts: [] };
  return { took, answer: { kind: "answer", value, usage } };
}

function workspaceOf(roll: () => number): Workspace {
  return {
    open: () => Promise.resolve({ base: "b", tip: "t", integrated: [], reverts: [], notes: [] }),
    start: (attempt) => Promise.resolve({ dir: `/${attempt.id}` }),
    integrate: (attempt) =>
      Promise.resolve(
        roll() < 0.03 ? { kind: "conflict", files: ["f"] } : { kind: "integrated", commit: attempt.id, files: ["f"] },
      ),
    shelve: () => Promise.resolve({ kept: null }),
    revert: () => Promise.resolve({ commit: "r", lost: [] }),
    checkout: () => Promise.resolve({ dir: "/c", commit: "c", release: () => Promise.resolve() }),
    finish: () => Promise.resolve({ message: "", merged: false }),
    close: () => Promise.resolve(),
  };
}

function remembered(world: UnattendedWorld): Recollection {
  const recall = createRecall();
  for (const line of world.lines) recall.read(line);
  return recall.now();
}

const MOST_TICKS = 400_000;

/** One run, to its halt: time goes from one thing that is due to the next. */
async function run(world: UnattendedWorld, settings: Partial<RunSettings>, number: number): Promise<Loop> {
  const coordinator = createCoordinator(createLoop(world.state), {
    ports: world.ports,
    limits: { timeout_ms: 60 * MINUTE, max_wait_ms: MAX_WAIT_MS },
    watch: () => {},
  });
  const start: Event = {
    type: "run_started",
    at: world.clock.now(),
    run: `r${number}`,
    from: number === 1 ? "pending" : "halted",
    memory: remembered(world).memory,
    settings: { verify_each: false, confirmed: false, max_deaths: BREAKER, ...settings },
  };
  const running = coordinator.run(start);
  let over = false;
  void running.then(
    () => (over = true),
    () => (over = true),
  );
  const isOver = (): boolean => over;
  for (let ticks = 0; !isOver(); ticks++) {
    if (ticks > MOST_TICKS) throw new Error("the night does not end");
    await new Promise((resolve) => setImmediate(resolve));
    if (!isOver()) world.clock.next();
  }
  world.lines.push({
    time: world.clock.now(),
    run: `r${number}`,
    iteration: 0,
    event: "run_ended",
    message: "",
    cost_usd: 0,
    active_ms: 0,
  });
  return await running;
}

/** Deaths in a row at the end of a run's lines, and over all of them the most. */
function deathsIn(lines: readonly JournalLine[]): { readonly most: number; readonly last: number } {
  let [most, row] = [0, 0];
  for (const line of lines) {
    if (line.event === "work_succeeded") row = 0;
    if (line.event === "attempt_failed" && line.kind !== "timeout" && line.kind !== "conflict")
      row = line.died === true ? row + 1 : 0;
    most = Math.max(most, row);
  }
  return { most, last: row };
}

test(
  `SPEC 4, 7-9: ${NIGHTS} unattended runs of hundreds of attempts end sane, each run with one outcome that says why`,
  async () => {
    const outcomes = new Map<string, number>();
    let [attempts, waits, hours] = [0, 0, 0];
    for (let seed = 1; seed <= NIGHTS; seed++) {
      const atoms = Array.from({ length: ATOMS }, (_, i) => ({
        id: `A${i}`,
        ...(i % 3 === 0 || i === 0 ? {} : { depends_on: [`A${i - 1}`] }),
      }));
      const constraints = { max_iterations: 400, max_parallel_agents: 3, max_stall_count: 400, max_cost_usd: 60 };
      const world = createScene(seed, stateOf({ atoms, constraints }));
      world.weather.full = 5 * HOUR;
      let halted: Loop | null = null;
      for (let number = 1; number <= 60 && halted?.run.halted !== "verified"; number++) {
        const from = world.lines.length;
        halted = await run(world, { max_tokens: seed % 3 === 0 ? FEW_TOKENS : 900_000 }, number);
        const lines = world.lines.slice(from);
        const { outcome, stop_reason } = halted.state.control;
        outcomes.set(outcome ?? "?", (outcomes.get(outcome ?? "?") ?? 0) + 1);
        expect(halted.run.attempts, "nothing is left at work").toEqual([]);
        expect([world.working, world.clock.pending()], "no agent, no timer").toEqual([0, 0]);
        expect(lines.filter((line) => line.event === "halted")).toHaveLength(1);
        const { most } = deathsIn(lines);
        if (outcome === "agent_unavailable" && /in a row/.test(stop_reason ?? "")) {
          expect(most).toBeGreaterThanOrEqual(BREAKER);
          // A person looks why, an hour later.
          world.weather.crashing = 0;
        } else expect(most, `no breaker: ${stop_reason}`).toBeLessThan(BREAKER);
        if (outcome === "stop_requested") {
          expect(stop_reason).toMatch(/only 3 MB are free$/);
          world.weather.full = Infinity;
        }
        if (outcome !== "budget") continue;
        expect(stop_reason).toMatch(/max_tokens, \d+ of 80000 tokens/);
        expect(halted.run.tokens, "what was in flight, and no more").toBeLessThan(FEW_TOKENS + 3 * 2 * 1_000);
        break;
      }
      if (halted === null) throw new Error("no run");
      const started = world.lines.filter((line) => line.event === "attempt_started");
      attempts += started.length;
      waits += world.lines.filter((line) => line.event === "waiting").length;
      hours += world.clock.monotonic() / HOUR;
      expect(["verified", "budget"]).toContain(halted.run.halted);
      expect(world.peak).toBeLessThanOrEqual(limitsIn(halted).parallel);
      expect(new Set(started.map((line) => line.event === "attempt_started" && line.attempt)).size).toBe(
        started.length,
      );
      const spent = world.lines.reduce((sum, line) => sum + ("usage" in line ? tokensOf(line.usage) : 0), 0);
      expect(halted.run.tokens, "nothing is refunded over all runs").toBe(spent);
      expect(remembered(world).memory.tokens).toBe(spent);
      if (halted.run.halted === "verified")
        expect(halted.state.atoms.every((atom) => atom.status === "resolved")).toBe(true);
      for (const line of world.lines)
        if (line.event === "waiting") expect(line.wait_ms).toBeLessThanOrEqual(MAX_WAIT_MS);
    }
    console.log(`${NIGHTS} nights, ${Math.round(hours)} hours: ${attempts} attempts, ${waits} waits`, outcomes);
    expect(attempts / NIGHTS).toBeGreaterThan(ATOMS);
    expect(outcomes.get("budget"), "tokens were spent in every third night").toBe(Math.floor(NIGHTS / 3));
    expect(outcomes.get("stop_requested"), "the disk was full in some night").toBeGreaterThan(0);
    expect(outcomes.get("agent_unavailable"), "the breaker opened in some night").toBeGreaterThan(0);
  },
  60_000 + NIGHTS * 20_000,
);
