/** One loop worked by the real coordinator with the real store on disk; prints what it took. Arguments: shape, count, slots, spawns. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLoopStore } from "../dist/lib/adapters/store/loop-store.js";
import { openJournal } from "../dist/lib/adapters/store/journal.js";
import { readStateFile } from "../dist/lib/adapters/store/state-file.js";
import { systemClock } from "../dist/lib/app/clock.js";
import { createLoop } from "../dist/lib/core/loop.js";
import { loopPaths } from "../dist/lib/host/loop-paths.js";
import { createCoordinator } from "../dist/lib/loop/coordinator.js";
import { createStateText } from "../dist/lib/statefile/create.js";
import { runStarted, stateOf, VERIFIED } from "./graphs.mjs";

const [shape, count, slots, spawns] = [process.argv[2], ...process.argv.slice(3).map(Number)];
const AGENT = {
  name: "nothing",
  call: async () => ({ kind: "answer", value: { success: true, summary: "nothing to do", artifacts: [] } }),
  available: async () => ({ ok: true }),
  close: async () => {},
};
const WORKSPACE = {
  kind: "in_place",
  slots: Infinity,
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
  const first = await workThrough("first");
  const { maxRSS } = process.resourceUsage();
  const { rss } = process.memoryUsage();
  const second = await workThrough("second");
  process.stdout.write(
    JSON.stringify({
      first,
      second,
      peak_mb: maxRSS / 1024,
      rss_mb: rss / 2 ** 20,
      spawn_ms: await spawnTimes(spawns),
    }),
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Works a loop of its own to its end. */
async function workThrough(name) {
  const stateFile = join(folder, `${name}.md`);
  writeFileSync(stateFile, createStateText(stateOf(shape, count, slots), "Do the steps."));
  const read = await readStateFile(stateFile);
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  const journal = openJournal(loopPaths(stateFile).journal);
  if (!journal.ok) throw new Error(JSON.stringify(journal.problems));

  const cpu = process.cpuUsage();
  const start = performance.now();
  const store = createLoopStore({ stateFile, document: read.value, journal: journal.value });
  let syncs = 0;
  const counted = {
    ...store,
    append: (lines) => {
      syncs++;
      return store.append(lines);
    },
  };
  const coordinator = createCoordinator(createLoop(read.value.state), {
    ports: {
      worker: AGENT,
      probe: AGENT,
      planner: null,
      verifier: { verify: async () => ({ verdict: VERIFIED }) },
      workspace: WORKSPACE,
      store: counted,
      clock: systemClock,
    },
    limits: { timeout_ms: 60_000, max_wait_ms: 0 },
    watch: () => {},
  });
  const end = await coordinator.run(runStarted(systemClock.now(), slots));
  const wall = performance.now() - start;
  const used = process.cpuUsage(cpu);
  journal.value.close();
  if (end.run.halted !== "verified") throw new Error(`halted as ${end.run.halted}`);
  return { wall_ms: wall, user_ms: used.user / 1000, system_ms: used.system / 1000, syncs };
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
