/** The same operations in a process that lives on: what the library, the MCP server and the runner pay. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { stateFile } from "../dist/lib/adapters/store/state-file.js";
import { updateAtom } from "../dist/lib/core/operations.js";
import { createLoop } from "../dist/lib/core/loop.js";
import { writeFileAtomicSync } from "../dist/lib/host/atomic-write.js";
import { step } from "../dist/lib/core/step.js";
import { runStarted, stateOf } from "./graphs.mjs";
import { atWork, stateText } from "./states.mjs";
import { median } from "./statistics.mjs";

const AT = "2026-01-01T00:00:00.000Z";
const PARALLEL = 8;
const bin = fileURLToPath(new URL("../dist/bin.cjs", import.meta.url));

export async function liveRows({ quick, folder }) {
  const rows = [];
  for (const count of [100, 1_000]) {
    const { updates, writes } = await durableUpdate(count, join(folder, "live.md"), quick ? 30 : 60);
    rows.push({
      what: `durable update, ${count} atoms`,
      figure: median(updates),
      unit: "ms",
      most: count === 1_000 ? 5 : null,
      note: `best ${Math.min(...updates).toFixed(1)}; of it writing aside, sync and rename: ${median(writes).toFixed(1)}, best ${Math.min(...writes).toFixed(1)}`,
    });
  }
  for (const count of [100, 1_000]) {
    const { calls, writes } = await roundTrips(count, folder, quick ? 30 : 60);
    rows.push({
      what: `MCP round trip: an update, ${count} atoms`,
      figure: median(calls) / median(writes),
      unit: "x the write",
      note: `${median(calls).toFixed(1)} ms, best ${Math.min(...calls).toFixed(1)}; of it writing aside, sync and rename: ${median(writes).toFixed(1)}, best ${Math.min(...writes).toFixed(1)}`,
    });
  }
  for (const count of [100, 1_000])
    rows.push({
      what: `one atom resolved, what may run kept up to date, ${count} atoms`,
      figure: stepCost(count),
      unit: "us",
      note: "two events through `step`",
    });
  return rows;
}

async function durableUpdate(count, path, runs) {
  const text = stateText(count);
  const updates = [];
  const writes = [];
  for (let run = 0; run < runs + 10; run++) {
    writeFileSync(path, text);
    const start = performance.now();
    const edited = stateFile.edit(path, ({ state }) => {
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

/** The official client calls the built server, turn by turn with the write that no update can do without. */
async function roundTrips(count, folder, runs) {
  const path = join(folder, "mcp.md");
  const text = stateText(count);
  writeFileSync(path, text);
  const client = new Client({ name: "bench", version: "1" });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [bin, "mcp", "--state-file", path], cwd: folder }),
  );
  const calls = [];
  const writes = [];
  for (let run = 0; run < runs + 10; run++) {
    const status = run % 2 === 0 ? "pending" : "in_progress";
    const start = performance.now();
    const { isError } = await client.callTool({ name: "aot_atom_update", arguments: { id: atWork(count), status } });
    const took = performance.now() - start;
    if (isError === true) throw new Error(`the update of ${atWork(count)} was refused`);
    const called = performance.now();
    writeFileAtomicSync(join(folder, "beside.md"), text);
    if (run < 10) continue;
    calls.push(took);
    writes.push(performance.now() - called);
  }
  await client.close();
  rmSync(path, { force: true });
  rmSync(join(folder, "beside.md"), { force: true });
  return { calls, writes };
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
