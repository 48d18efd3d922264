/** State files and graphs of any size, always the same ones. */

/** Atoms of one layer of a state file. */
const WIDTH = 10;

/**
 * A canonical state file of `count` atoms in layers of ten: each depends on two of the layer before; the first half is
 * resolved and bound, the atom behind it is running, the rest is pending. About 170 bytes per atom.
 */
export function stateText(count) {
  const done = Math.floor(count / 2);
  const atoms = [];
  const bindings = [];
  for (let index = 0; index < count; index++) {
    const status = index < done ? "resolved" : index === done ? "in_progress" : "pending";
    const before = index - (index % WIDTH) - WIDTH;
    const names = before < 0 ? [] : [before + (index % WIDTH), before + ((index + 3) % WIDTH)];
    atoms.push(
      `  - id: A${index + 1}\n    description: "Step ${index + 1} of the work, in a few words"\n    status: ${status}\n` +
        `    depends_on: [${names.map((name) => `A${name + 1}`).join(", ")}]\n`,
    );
    if (index < done)
      bindings.push(
        `  A${index + 1}:\n    summary: "Did step ${index + 1}"\n    artifacts: ["src/step-${index + 1}.ts"]\n`,
      );
  }
  return `---
objective:
  goal: "The steps are done"
  base_case:
    type: command
    value: "npm test"
  background_intent: "A benchmark"
  deliverables: "Steps"
  definition_of_done: "All of them"
  constraints:
    max_iterations: 20
    max_parallel_agents: 3
    max_stall_count: 3

control:
  status: running
  iteration: 5
  stall_count: 0
  prev_pending_count: ${count - done}
  stop_requested: false
  stop_reason: null
  redirect_requested: false

atoms:
${atoms.join("")}
decompositions: []
or_groups: {}
bindings:${bindings.length === 0 ? " {}\n" : `\n${bindings.join("")}`}
trail: []
corrections: []
---

# Original Prompt

Do the steps.
`;
}

/** The atom of `stateText` that is running. */
export function atWork(count) {
  return `A${Math.floor(count / 2) + 1}`;
}

/** A pending atom of `stateText` that may start; `other`: so many behind the first one. */
export function startable(count, other = 0) {
  return `A${Math.floor(count / 2) + 2 + other}`;
}
