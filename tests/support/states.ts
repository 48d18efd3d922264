/** States of any size for tests of the store. */
import { DEFAULT_CONSTRAINTS, INITIAL_CONTROL, type Atom, type State } from "../../src/core/state.ts";

/** `count` atoms A1, A2, ... in layers of ten; the first half is resolved. */
export function stateOfAtoms(count: number): State {
  const atoms = Array.from({ length: count }, (_, index): Atom => {
    const id = `A${index + 1}`;
    const depends_on = index < 10 ? [] : [`A${index - 9}`];
    const description = `Step ${index + 1} of the work, in a few words`;
    const resolved = index < count / 2;
    const binding = { summary: `Did step ${index + 1}`, artifacts: [`src/step-${index + 1}.ts`] };
    return { id, description, status: resolved ? "resolved" : "pending", depends_on, ...(resolved ? { binding } : {}) };
  });
  return {
    objective: {
      goal: "The steps are done",
      base_case: { type: "command", value: "npm test" },
      background_intent: "A test",
      deliverables: "Steps",
      definition_of_done: "All of them",
      constraints: DEFAULT_CONSTRAINTS,
    },
    control: INITIAL_CONTROL,
    atoms,
    decompositions: [],
    or_groups: [],
    trail: [],
    corrections: [],
  };
}
