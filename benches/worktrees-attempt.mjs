/** One attempt of a workspace, without an agent. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";

export async function opened(createGitWorkspace, root, loop, more = {}) {
  const dir = join(root, ".claude", "aot-loop");
  const stateFile = join(root, ".claude", "aot-loop-state.md");
  const options = { root, stateFile, dir, loop, run: "r1", protected: [], watched: false, ...more };
  const made = await createGitWorkspace(options);
  if (!made.ok) throw new Error(made.problem.message);
  await made.value.open();
  return made.value;
}

const attemptOf = (number) => ({
  id: `A${number}.1`,
  atom: `A${number}`,
  role: "worker",
  number: 1,
  iteration: number,
});

/** Milliseconds of starting and integrating, without the agent. @param look called while it works */
export async function attemptMs(workspace, number, look = () => undefined) {
  const attempt = attemptOf(number);
  const began = performance.now();
  const place = await workspace.start(attempt);
  const started = performance.now();
  writeFileSync(join(place.dir, `new-${number}.txt`), "x");
  look();
  // An agent works for a while, during which the folder before it is cleaned.
  await new Promise((resume) => setTimeout(resume, 1_000));
  const ended = performance.now();
  await workspace.integrate(attempt, { description: "x", summary: "x", artifacts: [] });
  return started - began + (performance.now() - ended);
}
