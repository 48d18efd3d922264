/** The core alone: events fed straight into `step`, no-op atoms, nothing on disk. */
import { createLoop } from "../dist/lib/core/loop.js";
import { step } from "../dist/lib/core/step.js";
import { runStarted, SHAPES, stateOf, VERIFIED } from "./graphs.mjs";
import { median } from "./statistics.mjs";

const AT = "2026-01-01T00:00:00.000Z";
const PARALLEL = 16;
const ATOMS_PER_SECOND = 20_000;

export function coreRows({ quick }) {
  const rows = [];
  for (const shape of SHAPES) {
    const rates = new Map();
    for (const count of [100, 1_000]) {
      const rate = rateOf(shape, count, quick ? 10_000 : 30_000);
      rates.set(count, rate);
      rows.push({
        what: `${shape}, ${count} atoms`,
        figure: Math.round(rate),
        unit: "atoms per CPU s",
        least: ATOMS_PER_SECOND,
        note: `${(1e6 / rate).toFixed(1)} us per atom, graph and order included`,
      });
    }
    rows.push({
      what: `${shape}: time per atom at 1,000 against 100`,
      figure: rates.get(100) / rates.get(1_000),
      unit: "x",
      most: 2,
    });
  }
  return rows;
}

/** Atoms per second of CPU time, median of several loops of together about `atoms` atoms, after a warm-up. */
function rateOf(shape, count, atoms) {
  const runs = Math.max(3, Math.round(atoms / count));
  const rates = [];
  for (let run = -Math.min(runs, 5); run < runs; run++) {
    // CPU time, the collector's and the compiler's threads included: a busy machine does not lengthen it much.
    const before = process.cpuUsage();
    runThrough(shape, count);
    const { user, system } = process.cpuUsage(before);
    if (run >= 0) rates.push((count * 1e6) / (user + system));
  }
  return median(rates);
}

function runThrough(shape, count) {
  let { loop, effects } = step(createLoop(stateOf(shape, count, PARALLEL)), runStarted(AT, PARALLEL));
  const queue = [...effects];
  for (let next = 0; next < queue.length; next++) {
    const event = answerTo(queue[next]);
    queue[next] = null;
    if (event === null) continue;
    ({ loop, effects } = step(loop, event));
    queue.push(...effects);
  }
  if (loop.run.halted !== "verified") throw new Error(`${shape} ${count} halted as ${loop.run.halted}`);
}

/** What a world in which everything succeeds at once answers. */
function answerTo(effect) {
  switch (effect.type) {
    case "start_attempt":
      return { type: "work_succeeded", at: AT, attempt: effect.attempt.id, summary: "", artifacts: [] };
    case "integrate":
      return { type: "attempt_integrated", at: AT, attempt: effect.attempt.id, commit: null, artifacts: [] };
    case "check_base_case":
      return { type: "base_case_checked", at: AT, verdict: VERIFIED, commit: null };
    default:
      return null;
  }
}
