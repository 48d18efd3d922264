/** A loop that has not started, whose base case holds: the benches' subject. */

/** @param parts `constraints`, and `atoms` and `or_groups` as vectors */
export function freshLoop({ constraints, atoms, or_groups }) {
  return {
    objective: {
      goal: "The steps are done",
      base_case: { type: "command", value: "true" },
      background_intent: "A benchmark",
      deliverables: "Steps",
      definition_of_done: "All of them",
      constraints,
    },
    control: {
      status: "pending",
      iteration: 0,
      stall_count: 0,
      prev_pending_count: -1,
      stop_requested: false,
      stop_reason: null,
      redirect_requested: false,
    },
    atoms,
    decompositions: [],
    or_groups,
    trail: [],
    corrections: [],
  };
}
