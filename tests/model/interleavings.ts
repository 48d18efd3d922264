/** One loop, played through several lives in an order that fast-check's scheduler chooses. */
import * as fc from "fast-check";
import type { Redirect } from "../../src/core/redirect.ts";
import type { State } from "../../src/core/state.ts";
import { createCoordinator } from "../../src/loop/coordinator.ts";
import { anyState } from "../support/loops.ts";
import { scheduledAgenda } from "./agenda.ts";
import { thrownFate } from "./dice.ts";
import { createDisk, type Disk } from "./disk.ts";
import { createLaws, type Laws } from "./laws.ts";
import type { LifeEnd } from "./terms.ts";
import { createWorld, type World } from "./world.ts";

/** What somebody does in the middle of a run. */
type LoopRequest = "stop" | "kill" | "crash" | "landing crash" | "stop by hand" | "edit by hand" | Redirect;

export interface Plan {
  readonly state: State;
  readonly rolls: readonly number[];
  readonly requests: readonly LoopRequest[];
  /** Between two lives. */
  readonly between: readonly Redirect[];
  readonly deaths: number;
  readonly verify_each: boolean;
  readonly planner: boolean;
  readonly waits: boolean;
}

const reason = "changed my mind";
const redirects = fc.constantFrom<Redirect>(
  { kind: "set", field: "goal", value: "another goal", reason },
  { kind: "limit", constraint: "max_stall_count", value: 5, reason },
  { kind: "limit", constraint: "max_iterations", value: 2, reason },
  { kind: "limit", constraint: "max_iterations", value: 9, reason },
  { kind: "limit", constraint: "max_parallel_agents", value: 1, reason },
  { kind: "add", id: "new", description: "new", depends_on: ["A1"], reason },
  { kind: "add", id: "way", description: "another way", depends_on: [], or_group: "g0", reason },
  { kind: "remove", id: "A2", reason },
  { kind: "redo", id: "A1", reason },
  { kind: "redo", id: "A2", reason },
  { kind: "choose", group: "g0", atom: "A1", reason },
  { kind: "choose", group: "g0", atom: "A2", reason },
  { kind: "rebind", id: "A1", binding: { summary: "by hand", artifacts: [] }, reason },
);
const requests = fc.oneof(
  { weight: 3, arbitrary: redirects },
  {
    weight: 4,
    arbitrary: fc.constantFrom<LoopRequest>("stop", "kill", "crash", "landing crash", "stop by hand", "edit by hand"),
  },
);
const marks = fc.constantFrom({}, {}, { probe: true }, { touches: ["a"] }, { touches: ["a", "b"] });
const states = fc
  .tuple(
    anyState(6, { max_iterations: 6 }),
    fc.array(marks, { minLength: 1, maxLength: 6 }),
    fc.record({
      max_parallel_agents: fc.integer({ min: 1, max: 3 }),
      limit: fc.constantFrom({}, {}, { max_attempts_per_atom: 2 }, { max_cost_usd: 0.1 }, { max_duration: "5s" }),
    }),
  )
  .map(([state, marked, { limit, max_parallel_agents }]): State => ({
    ...state,
    atoms: state.atoms.map((atom, i) => ({ ...atom, ...marked[i % marked.length] })),
    objective: { ...state.objective, constraints: { ...state.objective.constraints, max_parallel_agents, ...limit } },
  }));

export const plans: fc.Arbitrary<Plan> = fc.record({
  state: states,
  rolls: fc.array(fc.nat(100_000), { minLength: 30, maxLength: 120 }),
  requests: fc.array(requests, { maxLength: 4 }),
  between: fc.array(redirects, { maxLength: 2 }),
  deaths: fc.constantFrom(0, 0, 1, 2),
  verify_each: fc.boolean(),
  planner: fc.boolean(),
  waits: fc.boolean(),
});

export interface Played {
  readonly world: World;
  readonly disk: Disk;
  readonly laws: Laws;
  readonly ends: readonly LifeEnd[];
}

const MOST_LIVES = 12;

/** Plays a plan until its loop halted, and once more after a halt. */
export async function play(
  scheduler: fc.Scheduler,
  plan: Plan,
  create: typeof createCoordinator = createCoordinator,
  disk: Disk = createDisk(plan.state),
): Promise<Played> {
  const fate = thrownFate(plan.rolls, plan);
  const laws = createLaws({ punctual: false, planner: plan.planner });
  const agenda = scheduledAgenda(scheduler);
  const world = createWorld({
    disk,
    agenda,
    fate,
    laws,
    limits: { timeout_ms: 1_000, max_wait_ms: plan.waits ? 10_000 : 0 },
    planner: plan.planner,
    create,
    loose_timers: true,
  });
  for (const request of plan.requests)
    void agenda.turn(`person: ${inWords(request)}`).then(() => carryOut(world, disk, request));
  const ends: LifeEnd[] = [];
  let halts = 0;
  while (ends.length < MOST_LIVES && halts < 2 && laws.breaches.length === 0) {
    const end = await scheduler.waitFor(world.begin({ verify_each: plan.verify_each, confirmed: false }));
    ends.push(end);
    if (end.kind === "failed" || end.kind === "refused") break;
    if (end.kind === "halted") {
      halts++;
      for (const redirect of plan.between) world.redirect(redirect);
    }
  }
  return { world, disk, laws, ends };
}

function carryOut(world: World, disk: Disk, request: LoopRequest): void {
  if (typeof request === "object") return world.redirect(request);
  switch (request) {
    case "stop":
      return world.stop("enough");
    case "kill":
      return world.kill();
    case "crash":
      return world.crash(false);
    case "landing crash":
      return world.crash(true);
    case "stop by hand":
      return editWhileLive(world, disk, { stop_requested: true, stop_reason: "by hand" }, {});
    case "edit by hand":
      return editWhileLive(world, disk, {}, { goal: "not obeyed" });
  }
}

function editWhileLive(world: World, disk: Disk, control: object, objective: object): void {
  if (!world.isLive()) return;
  disk.edit((state) => ({
    ok: true,
    value: { ...state, control: { ...state.control, ...control }, objective: { ...state.objective, ...objective } },
  }));
}

export function inWords(request: LoopRequest): string {
  return typeof request === "string" ? request : Object.values(request).map(String).slice(0, 4).join(" ");
}
