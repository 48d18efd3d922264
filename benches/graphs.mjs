/** States of no-op atoms in the shapes that schedulers are measured with. */
import { freshLoop } from "./fresh-loop.mjs";

/** Width of the layers of `layered`. */
const LAYER = 25;

const DEPENDENCIES = {
  chain: (index) => (index === 0 ? [] : [index - 1]),
  wide: () => [],
  layered: (index) => {
    const before = index - (index % LAYER) - LAYER;
    return before < 0 ? [] : [before + (index % LAYER), before + ((index + 7) % LAYER)];
  },
};

export const SHAPES = Object.keys(DEPENDENCIES);

/** A loop that has not started: `count` pending atoms, as many iterations as they can need. */
export function stateOf(shape, count, parallel) {
  const of = DEPENDENCIES[shape];
  return stateWith(
    Array.from({ length: count }, (_, index) => of(index)),
    parallel,
  );
}

/** @param dependencies of each atom, by index */
export function stateWith(dependencies, parallel) {
  const most = 10 * dependencies.length;
  return freshLoop({
    constraints: { max_iterations: most, max_parallel_agents: parallel, max_stall_count: most },
    atoms: dependencies.map((list, index) => ({
      id: `A${index + 1}`,
      description: `Step ${index + 1} of the work`,
      status: "pending",
      depends_on: list.map((other) => `A${other + 1}`),
    })),
    or_groups: [],
  });
}

export const VERIFIED = { passed: true, checklist: [], skipped: [], requires_user_confirmation: false };

export function runStarted(at, parallel) {
  return {
    type: "run_started",
    at,
    run: "bench",
    from: "pending",
    memory: { cost_usd: 0, active_ms: 0, attempts: {}, nogoods: [], probed: {} },
    settings: { parallel, verify_each: false, confirmed: false },
  };
}
