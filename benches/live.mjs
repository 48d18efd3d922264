/** The same operations in a process that lives on: what the library, the MCP server and the runner pay. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadStateFile } from "../dist/lib/adapters/store/state-file.js";
import { updateAtom } from "../dist/lib/core/operations.js";
import { createLoop } from "../dist/lib/core/loop.js";
import { writeFileAtomicSync } from "../dist/lib/host/atomic-write.js";
import { step } from "../dist/lib/core/step.js";
import { runStarted, stateOf } from "./graphs.mjs";
import { atWork, stateText } from "./states.mjs";
import { median } from "./statistics.mjs";

const AT = "2026-01-01T00:00:00.000Z";
const PARALLEL = 8;

export async function liveRows({ quick, folder }) {
  const rows = [];
  for (const count of quick ? [100, 1_000] : [100, 1_000, 10_000]) {
    const { updates, writes } = await durableUpdate(count, join(folder, "live.md"), quick ? 30 : 60);
    rows.push({
      what: `durable update, ${count} atoms`,
      figure: median(updates),
      unit: "ms",
      most: count === 1_000 ? 5 : null,
      note: `best ${Math.min(...updates).toFixed(1)}; of it writing aside, sync and rename: ${median(writes).toFixed(1)}, best ${Math.min(...writes).toFixed(1)}`,
    });
  }
  for (const count of quick ? [100, 1_000] : [100, 1_000, 10_000])
    rows.push({
      what: `one atom resolved, what may run kept up to date, ${count} atoms`,
      figure: stepCost(count),
      unit: "us",
      note: "two events through `step`",
    });
  return rows;
}

async function durableUpdate(count, path, runs) {
  const file = await loadStateFile();
  const text = stateText(count);
  const updates = [];
  const writes = [];
  for (let run = 0; run < runs + 10; run++) {
    writeFileSync(path, text);
    const start = performance.now();
    const edited = file.edit(path, ({ state }) => {
      const done = updateAtom(state, atWork(count), "resolved");
      return done.ok ? { ok: true, value: done.value.state } : done;
    });
    const took = performance.now() - start;
    if (!edited.ok || !edited.value.changed) throw new Error(JSON.stringify(edited));
    const written = performance.now();
    writeFileAtomicSync(path, edited.value.text);
    if (run < 10) continue;
    updates.push(took);
    writes.push(performance.now() - written);
  }
  rmSync(path, { force: true });
  return { updates, writes };
}

/** Microseconds for an attempt's two answers, in the middle of a layered graph. */
function stepCost(count) {
  let { loop, effects } = step(createLoop(stateOf("layered", count, PARALLEL)), runStarted(AT, PARALLEL));
  const times = [];
  for (let done = 0; done < Math.min(count, 2_000); done++) {
    const { attempt } = effects.shift();
    const start = performance.now();
    const worked = step(loop, { type: "work_succeeded", at: AT, attempt: attempt.id, summary: "", artifacts: [] });
    const next = step(worked.loop, {
      type: "attempt_integrated",
      at: AT,
      attempt: attempt.id,
      commit: null,
      artifacts: [],
    });
    times.push((performance.now() - start) * 1000);
    loop = next.loop;
    effects = [...effects, ...worked.effects, ...next.effects].filter((effect) => effect.type === "start_attempt");
  }
  return median(times);
}
