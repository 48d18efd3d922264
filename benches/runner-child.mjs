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
const folder = mkdtempSync(join(tmpdir(), "aot-bench-"));
try {
  const stateFile = join(folder, "state.md");
  writeFileSync(stateFile, createStateText(stateOf(shape, count, slots), "Do the steps."));
  const read = await readStateFile(stateFile);
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  const journal = openJournal(loopPaths(stateFile).journal);
  if (!journal.ok) throw new Error(JSON.stringify(journal.problems));

  const cpu = process.cpuUsage();
  const start = performance.now();
  const store = createLoopStore({ stateFile, document: read.value, journal: journal.value });
  let syncs = 0;
  const counted = { ...store, append: (lines) => (syncs++, store.append(lines)) };
  const agent = {
    name: "nothing",
    call: async () => ({ kind: "answer", value: { success: true, summary: "nothing to do", artifacts: [] } }),
    available: async () => ({ ok: true }),
    close: async () => {},
  };
  const workspace = {
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
  const coordinator = createCoordinator(createLoop(read.value.state), {
    ports: {
      worker: agent,
      probe: agent,
      planner: null,
      verifier: { verify: async () => ({ verdict: VERIFIED }) },
      workspace,
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
  const spawned = await spawnTimes(spawns);
  process.stdout.write(
    JSON.stringify({
      wall_ms: wall,
      user_ms: used.user / 1000,
      system_ms: used.system / 1000,
      syncs,
      peak_mb: process.resourceUsage().maxRSS / 1024,
      rss_mb: process.memoryUsage().rss / 2 ** 20,
      spawn_ms: spawned,
    }),
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
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
