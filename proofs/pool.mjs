// Threads that explore, each with one job at a time.
import { Worker } from "node:worker_threads";

/** How many loops one job holds. */
const PART = 8;

/**
 * @param file the bundled worker
 * @returns `ask(job)` waits for a free thread; `close()` ends all
 */
export function createPool(file, threads) {
  const idle = [];
  const waiting = [];
  const workers = Array.from({ length: threads }, () => {
    const worker = new Worker(file, { resourceLimits: { maxOldGenerationSizeMb: 3_000 } });
    worker.unref();
    idle.push(worker);
    return worker;
  });
  const next = () => {
    if (idle.length === 0 || waiting.length === 0) return;
    const worker = idle.pop();
    const { job, resolve, reject } = waiting.shift();
    const settled = (settle) => (value) => {
      worker.off("message", onMessage);
      worker.off("error", onError);
      worker.unref();
      idle.push(worker);
      settle(value);
      next();
    };
    const onMessage = settled(resolve);
    const onError = settled(reject);
    worker.ref();
    worker.on("message", onMessage);
    worker.on("error", onError);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, no window
    worker.postMessage(job);
  };
  return {
    ask: (job) =>
      new Promise((resolve, reject) => {
        waiting.push({ job, resolve, reject });
        next();
      }),
    close: () => Promise.all(workers.map((worker) => worker.terminate())),
  };
}

/** Explores a whole sweep, in parts; after the first breach no further part is begun. */
export async function exploreSweep(pool, { id, loops }, state = { broken: false }) {
  const parts = [];
  for (let from = 0; from < loops; from += PART)
    parts.push(
      Promise.resolve().then(async () => {
        if (state.broken) return null;
        const part = await pool.ask({ kind: "explore", sweep: id, from, to: Math.min(loops, from + PART) });
        if (part.counterexample !== null) state.broken = true;
        return part;
      }),
    );
  return (await Promise.all(parts)).filter((part) => part !== null).reduce(addUp, NOTHING);
}

export const NOTHING = {
  loops: 0,
  states: 0,
  transitions: 0,
  depth: 0,
  largest: 0,
  checked: {},
  outcomes: {},
  counterexample: null,
};

export function addUp(left, right) {
  const sums = (one, other) => {
    const all = { ...one };
    for (const [key, count] of Object.entries(other)) all[key] = (all[key] ?? 0) + count;
    return all;
  };
  return {
    loops: left.loops + right.loops,
    states: left.states + right.states,
    transitions: left.transitions + right.transitions,
    depth: Math.max(left.depth, right.depth),
    largest: Math.max(left.largest, right.largest),
    checked: sums(left.checked, right.checked),
    outcomes: sums(left.outcomes, right.outcomes),
    counterexample: shorter(left.counterexample, right.counterexample),
  };
}

function shorter(left, right) {
  if (left === null || right === null) return left ?? right;
  return right.history.length < left.history.length ? right : left;
}
