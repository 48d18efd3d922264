/**
 * Loops worked by the real coordinator with the real store on disk; prints what an attempt took, in microseconds.
 * Arguments: shape, atoms, slots, spawns, and "cold" to stop after the first loop.
 */
import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createLoopStore } from "../dist/lib/adapters/store/loop-store.js";
import { openJournal } from "../dist/lib/adapters/store/journal.js";
import { readStateFile } from "../dist/lib/adapters/store/state-file.js";
import { systemClock } from "../dist/lib/project/clock.js";
import { createLoop } from "../dist/lib/core/loop.js";
import { loopPaths } from "../dist/lib/host/loop-paths.js";
import { createCoordinator } from "../dist/lib/loop/coordinator.js";
import { appendBatches } from "./floors/append-batches.mjs";
import { runStarted, VERIFIED } from "./graphs.mjs";

const [shape, count, slots, spawns] = [process.argv[2], ...process.argv.slice(3, 6).map(Number)];
const onlyCold = process.argv[6] === "cold";
/** Attempts until the compiler is done. */
const WARM_UP = 20_000;
/** Attempts of the loops that are measured then. */
const STEADY = 4_000;
const AGENT = {
  name: "nothing",
  call: async () => ({ kind: "answer", value: { success: true, summary: "nothing to do", artifacts: [] } }),
  available: async () => ({ ok: true }),
  close: async () => {},
};
const WORKSPACE = {
  open: async () => ({ base: null, tip: null, integrated: [], notes: [] }),
  start: async () => ({ dir: folder }),
  integrate: async () => ({ kind: "integrated", commit: null, files: [] }),
  shelve: async () => ({ kept: null }),
  revert: async () => ({ commit: null, lost: [] }),
  checkout: async () => ({ dir: folder, commit: null, release: async () => {} }),
  tampered: async () => [],
  finish: async () => ({ message: "", merged: false }),
  close: async () => {},
};
const folder = mkdtempSync(join(tmpdir(), "aot-bench-"));
try {
  const fresh = join(folder, "fresh.md");
  writeState(fresh);
  const cold = await workThrough(fresh);
  const peak = peakBytes();
  const { rss } = process.memoryUsage();
  const spawn_ms = await spawnTimes(spawns);
  const steady = onlyCold ? null : await steadily(fresh, cold);
  process.stdout.write(
    JSON.stringify({
      syncs: cold.batches.length / count,
      cold: perAttempt([cold]),
      ...steady,
      peak_mb: peak / 2 ** 20,
      rss_mb: rss / 2 ** 20,
      spawn_ms,
    }),
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** In a process of its own: what it leaves behind in memory is not the runner's. */
function writeState(file) {
  const script = fileURLToPath(new URL("./write-loop.mjs", import.meta.url));
  const ran = spawnSync(process.execPath, [script, file, shape, String(count), String(slots)], { encoding: "utf8" });
  if (ran.status !== 0) throw new Error(ran.stderr);
}

/** Loops in compiled code, and the same journal written by a loop that does nothing else. */
async function steadily(fresh, cold) {
  for (let done = count; done < WARM_UP; done += count) await workThrough(fresh);
  const loops = [];
  for (let done = 0; done < STEADY; done += count) loops.push(await workThrough(fresh));
  await appendBatches(join(folder, "floor.jsonl"), cold.batches);
  const floors = [];
  for (let done = 0; done < STEADY; done += count)
    floors.push(await appendBatches(join(folder, "floor.jsonl"), loops[floors.length].batches));
  return { steady: perAttempt(loops), disk: perAttempt(floors) };
}

function perAttempt(loops) {
  const us = (key) => (loops.reduce((total, loop) => total + loop[key], 0) * 1000) / (loops.length * count);
  return { user: us("user_ms"), system: us("system_ms"), cpu: us("user_ms") + us("system_ms"), wall: us("wall_ms") };
}

/** Works a loop of its own to its end. */
async function workThrough(fresh) {
  const dir = mkdtempSync(join(folder, "loop-"));
  const stateFile = join(dir, "state.md");
  copyFileSync(fresh, stateFile);
  const read = await readStateFile(stateFile);
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  const { journal: path } = loopPaths(stateFile);
  const journal = openJournal(path);
  if (!journal.ok) throw new Error(JSON.stringify(journal.problems));

  const cpu = process.cpuUsage();
  const start = performance.now();
  const sizes = [];
  const counted = {
    ...journal.value,
    append: (lines) => {
      sizes.push(lines.length);
      return journal.value.append(lines);
    },
  };
  const store = createLoopStore({ stateFile, document: read.value, journal: counted, run: "bench" });
  const coordinator = createCoordinator(createLoop(read.value.state), {
    ports: {
      worker: AGENT,
      probe: AGENT,
      planner: null,
      verifier: { verify: async () => ({ verdict: VERIFIED }) },
      workspace: WORKSPACE,
      store,
      clock: systemClock,
    },
    limits: { timeout_ms: 60_000, max_wait_ms: 0 },
    watch: () => {},
  });
  const end = await coordinator.run(runStarted(systemClock.now(), slots));
  const wall_ms = performance.now() - start;
  const used = process.cpuUsage(cpu);
  journal.value.close();
  if (end.run.halted !== "verified") throw new Error(`halted as ${end.run.halted}`);
  const batches = onlyCold ? sizes : batchesOf(path, sizes);
  rmSync(dir, { recursive: true, force: true });
  return { wall_ms, user_ms: used.user / 1000, system_ms: used.system / 1000, batches };
}

/** What each append wrote, without its last line end. */
function batchesOf(path, sizes) {
  const lines = readFileSync(path, "utf8").split("\n");
  let from = 0;
  return sizes.map((size) => lines.slice(from, (from += size)).join("\n"));
}

/** What the process took at most. Where the kernel tells of this program alone: `maxRSS` begins with what it was forked from. */
function peakBytes() {
  try {
    return 1024 * Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync("/proc/self/status", "utf8"))[1]);
  } catch {
    return 1024 * process.resourceUsage().maxRSS;
  }
}

/** How long `spawn` keeps the event loop, in a process of this size. */
async function spawnTimes(times) {
  const taken = [];
  for (let time = 0; time < times; time++) {
    const start = performance.now();
    const child = spawn(
      process.platform === "win32" ? "cmd.exe" : "true",
      process.platform === "win32" ? ["/c", "exit"] : [],
      { stdio: "ignore" },
    );
    taken.push(performance.now() - start);
    await new Promise((resolve) => child.once("exit", resolve));
  }
  return taken;
}
