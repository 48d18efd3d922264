// The world that the engine's bench works its loops in: agents without a model, a repository without files, a base case that
// holds. What is left is the way from a decision to a worker and back.
import { systemClock } from "../dist/lib/project/clock.js";
import { judge } from "../dist/lib/core/verdict.js";
import { stateWith } from "./graphs.mjs";

const evidence = { kind: "judgement", reason: "scripted" };
const store = { append: () => ({ ok: true, value: null }), save: () => ({ ok: true, value: {} }), look: () => ({}) };
const workspace = {
  start: async () => ({ dir: "." }),
  integrate: async ({ id }) => ({ kind: "integrated", commit: id, files: ["f"] }),
  checkout: async () => ({ dir: ".", commit: "c", release: async () => {} }),
  tampered: async () => [],
};

/** Opens the place of any task. @param agent_ms how long an agent takes */
export function placesWith(agent_ms) {
  const agent = {
    name: "scripted",
    available: async () => ({ ok: true }),
    close: async () => {},
    call: async () => {
      if (agent_ms > 0) await new Promise((resume) => setTimeout(resume, agent_ms));
      return { kind: "answer", value: { success: true, summary: "done", artifacts: ["src/file.ts"] } };
    },
  };
  const verifier = {
    verify: async (baseCase) => {
      const verdict = judge(baseCase, () => ({ passed: true, evidence }));
      return { verdict };
    },
  };
  const ports = { worker: agent, probe: agent, planner: null, verifier, workspace, store, clock: systemClock };
  return async () => ({
    ports,
    limits: { timeout_ms: 60_000, max_wait_ms: 1_000 },
    deliver: async ({ id }) => ({ branch: id, commit: id, base: "b" }),
    close: async () => {},
  });
}

/** Layers of five; each atom needs two of the layer before. @param parallel agents at a time */
export function layered(atoms, parallel = 5) {
  const dependencies = Array.from({ length: atoms }, (_, index) => {
    const above = Math.floor(index / 5) * 5 - 5;
    return above < 0 ? [] : [above + (index % 5), above + ((index + 1) % 5)];
  });
  return specOf(dependencies, parallel);
}

/** Nothing waits for anything. */
export function wide(atoms, parallel) {
  return specOf(
    Array.from({ length: atoms }, () => []),
    parallel,
  );
}

function specOf(dependencies, parallel) {
  const memory = { cost_usd: 0, active_ms: 0, attempts: {}, nogoods: [], probed: {} };
  const settings = { verify_each: false, confirmed: false };
  return { state: stateWith(dependencies, parallel), memory, settings, terms: {} };
}
