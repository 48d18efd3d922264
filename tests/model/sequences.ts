/** One loop, played command by command beside its model. */
import * as fc from "fast-check";
import type { State } from "../../src/core/state.ts";
import { createCoordinator } from "../../src/loop/coordinator.ts";
import { anyState } from "../support/loops.ts";
import { integrationOf } from "../../world/ports.ts";
import { verdictOf } from "../../world/world.ts";
import { listedAgenda } from "./agenda.ts";
import { ALL, finish, MAX_WAIT_MS, start, type Command, type Luck, type Real } from "./commands.ts";
import { createDisk, storyOf } from "./disk.ts";
import { createLaws } from "./laws.ts";
import { modelOf, type Model } from "./model.ts";
import { REPLAY } from "./seeds.ts";
import { createWorld } from "./world.ts";

const states = fc
  .tuple(anyState(4, { max_iterations: 6, max_stall_count: 50 }), fc.integer({ min: 1, max: 3 }), fc.boolean())
  .map(([state, max_parallel_agents, isJudged]): State => ({
    ...state,
    objective: {
      ...state.objective,
      constraints: { ...state.objective.constraints, max_parallel_agents },
      ...(isJudged ? { base_case: { type: "assertion", value: "it is sound" } } : {}),
    },
    // Races are played in `interleavings.test.ts`.
    or_groups: state.or_groups.map((group) => ({ ...group, speculative: false })),
  }));

function setup(state: State, verify_each: boolean, create: typeof createCoordinator): { model: Model; real: Real } {
  const disk = createDisk(state);
  const laws = createLaws({ punctual: true, planner: false });
  const agenda = listedAgenda();
  const luck: Luck = { answer: { kind: "aborted" }, integration: "integrated", passed: true, isTampered: false };
  const world = createWorld({
    disk,
    agenda,
    laws,
    fate: {
      agent: () => luck.answer,
      folder: ({ id }) => `/${id}`,
      integration: (attempt) => integrationOf(luck.integration, attempt),
      verification: (baseCase) => ({ verdict: verdictOf(baseCase, luck.passed), usage: { cost_usd: 0.001 } }),
      isTampered: () => luck.isTampered,
      lost: () => [],
      kept: () => "a branch",
      dies: () => false,
      writing_ms: () => 4,
      isFull: () => false,
    },
    limits: { timeout_ms: 60_000, max_wait_ms: MAX_WAIT_MS },
    planner: false,
    create,
    loose_timers: false,
  });
  return { model: modelOf(state), real: { world, disk, laws, agenda, luck, verify_each, end: null } };
}

export interface Sequence {
  readonly state: State;
  readonly verify_each: boolean;
  readonly isBegun: boolean;
  readonly commands: Iterable<Command>;
}

export const sequences: fc.Arbitrary<Sequence> = fc.record({
  state: states,
  verify_each: fc.boolean(),
  /** A run is active before the first command. */
  isBegun: fc.constantFrom(true, true, true, false),
  commands: fc.commands(ALL, { maxCommands: 40, size: "+1", ...REPLAY }),
});

/** @returns how the last run ended. @throws Error with what was wrong, and the journal */
export async function runSequence(sequence: Sequence, create = createCoordinator): Promise<string> {
  const { model, real } = setup(sequence.state, sequence.verify_each, create);
  try {
    if (sequence.isBegun) await start().run(model, real);
    await fc.asyncModelRun(() => ({ model, real }), sequence.commands);
    await finish(model, real);
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    throw new Error(`${what}\n${storyOf(real.disk)}`, { cause: error });
  }
  if (real.world.isLive()) throw new Error("a run is left at work");
  if (model.halted === null) throw new Error("it did not halt");
  return model.halted;
}
