// What an engine costs: loops of scripted agents that take no time, embedded and on a Restate server of this host.
//   npm run bench:engine                200 atoms in loops of 20
//   node benches/engine.mjs 1000 --json more, as JSON on stdout
// The work itself (git, agents, checks) is left out: what is measured is the way from a decision to a worker and back.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { registerWorker } from "../dist/lib/adapters/engines/restate-admin.js";
import { createRestateEngine } from "../dist/lib/adapters/engines/restate-engine.js";
import { loadRestateSdk } from "../dist/lib/adapters/engines/restate-sdk.js";
import { serveWorker } from "../dist/lib/adapters/engines/restate-worker.js";
import { systemClock } from "../dist/lib/app/clock.js";
import { findEngineServer } from "../dist/lib/app/engine/engine-server.js";
import { judge } from "../dist/lib/core/verdict.js";
import { createEmbeddedEngine } from "../dist/lib/loop/embedded-engine.js";
import { stateWith } from "./graphs.mjs";
import { sum } from "./statistics.mjs";

const { values, positionals } = parseArgs({ options: { json: { type: "boolean" } }, allowPositionals: true });
const ATOMS = Number(positionals[0] ?? 200);
const PER_LOOP = 20;
const LIMIT_MS = 300_000;
const TICKS_PER_S = 100;

const agent = {
  name: "scripted",
  available: async () => ({ ok: true }),
  close: async () => {},
  call: async () => ({ kind: "answer", value: { success: true, summary: "done", artifacts: [] } }),
};
const evidence = { kind: "judgement", reason: "scripted" };
const verifier = { verify: async (baseCase) => ({ verdict: judge(baseCase, () => ({ passed: true, evidence })) }) };
const workspace = {
  kind: "worktrees",
  slots: Infinity,
  start: async () => ({ dir: "." }),
  integrate: async ({ id }) => ({ kind: "integrated", commit: id, files: ["f"] }),
  checkout: async () => ({ dir: ".", commit: "c", release: async () => {} }),
  tampered: async () => [],
};
const store = { append: () => ({ ok: true, value: null }), save: () => ({ ok: true, value: {} }), look: () => ({}) };
const ports = { worker: agent, probe: agent, planner: null, verifier, workspace, store, clock: systemClock };
const open = async () => ({
  ports,
  limits: { timeout_ms: 60_000, max_wait_ms: 1_000 },
  deliver: async () => null,
  close: async () => {},
});

/** Layers of five; each atom needs two of the layer before. */
function loopSpec() {
  const dependencies = Array.from({ length: PER_LOOP }, (_, index) => {
    const above = Math.floor(index / 5) * 5 - 5;
    return above < 0 ? [] : [above + (index % 5), above + ((index + 1) % 5)];
  });
  const state = stateWith(dependencies, 5);
  const memory = { cost_usd: 0, active_ms: 0, attempts: {}, nogoods: [], probed: {} };
  return { state, memory, settings: { verify_each: false, confirmed: false }, terms: {} };
}

async function measure(name, engine, serverMs) {
  const names = Array.from({ length: Math.ceil(ATOMS / PER_LOOP) }, (_, index) => `bench-${index}`);
  const [cpu, server, from] = [process.cpuUsage(), serverMs(), performance.now()];
  await Promise.all(names.map((loop) => engine.start(loop, loopSpec())));
  for (const loop of names) await halted(engine, loop);
  const wall = performance.now() - from;
  const used = process.cpuUsage(cpu);
  const attempts = names.length * PER_LOOP;
  const latencies = (await Promise.all(names.map((loop) => latenciesOf(engine, loop)))).flat();
  const at = (part) => latencies.toSorted((a, b) => a - b)[Math.floor(latencies.length * part)] ?? Number.NaN;
  return {
    engine: name,
    attempts,
    attempts_per_s: attempts / (wall / 1_000),
    p50_ms: at(0.5),
    p95_ms: at(0.95),
    cpu_ms_per_attempt: (used.user + used.system) / 1_000 / attempts,
    server_cpu_ms_per_attempt: (serverMs() - server) / attempts,
  };
}

async function halted(engine, loop) {
  for (const end = performance.now() + LIMIT_MS; performance.now() < end;) {
    const view = await engine.view(loop);
    const outcome = view?.state.control.outcome ?? null;
    if (outcome === "verified") return;
    if (outcome !== null) throw new Error(`${loop} ended as ${outcome}`);
    await new Promise((resume) => setTimeout(resume, 100));
  }
  throw new Error(`${loop} did not halt`);
}

/** From the decision that an attempt starts to its work being integrated, by the journal. */
async function latenciesOf(engine, loop) {
  const lines = [];
  for (let part = await engine.journal(loop, 0); part.length > 0; part = await engine.journal(loop, lines.length))
    lines.push(...part);
  const started = new Map();
  return lines.flatMap(({ event, attempt, time }) => {
    if (event === "attempt_started") started.set(attempt, Date.parse(time));
    return event === "attempt_integrated" ? [Date.parse(time) - started.get(attempt)] : [];
  });
}

async function freePorts(count) {
  const servers = Array.from({ length: count }, () => createServer());
  await Promise.all(servers.map((server) => new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))));
  const ports = servers.map((server) => server.address().port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

/** User and system time of a process so far; Linux only. */
function cpuOf(pid) {
  if (!existsSync(`/proc/${pid}/stat`)) return Number.NaN;
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (sum([Number(fields[11]), Number(fields[12])]) / TICKS_PER_S) * 1_000;
}

async function onRestate(program) {
  const dir = mkdtempSync(join(tmpdir(), "aot-bench-engine-"));
  const [ingress, admin, node] = await freePorts(3);
  const address = ["--listen-mode", "tcp", "--bind-ip", "127.0.0.1", "--advertised-host", "127.0.0.1"];
  const server = spawn(program, ["--no-logo", ...address, "--bind-port", String(node), "--base-dir", dir], {
    env: {
      PATH: process.env["PATH"],
      RESTATE_INGRESS__BIND_PORT: String(ingress),
      RESTATE_ADMIN__BIND_PORT: String(admin),
      RESTATE_LOG_FILTER: "error",
      RESTATE_DISABLE_TELEMETRY: "true",
    },
    stdio: "ignore",
  });
  const gone = new Promise((resolve) => server.once("exit", resolve));
  const url = `http://127.0.0.1:${ingress}`;
  let worker = null;
  try {
    const { sdk } = await loadRestateSdk();
    worker = await serveWorker(sdk, { name: "bench", ingress: { url }, slots: 20, host: "127.0.0.1", port: 0, open });
    for (const end = performance.now() + 60_000; ;) {
      try {
        await registerWorker({ url: `http://127.0.0.1:${admin}` }, `http://127.0.0.1:${worker.port}`);
        break;
      } catch (error) {
        if (performance.now() > end) throw error;
        await new Promise((resume) => setTimeout(resume, 200));
      }
    }
    return await measure("restate, one worker", createRestateEngine({ url }), () => cpuOf(server.pid));
  } finally {
    await worker?.close();
    server.kill("SIGTERM");
    await gone;
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
  }
}

const embedded = createEmbeddedEngine({ clock: systemClock, open });
const rows = [await measure("embedded", embedded, () => 0)];
await embedded.close();
const program = findEngineServer(process.env, join(import.meta.dirname, "../node_modules/.cache/aot-engines"));
if (program.ok) rows.push(await onRestate(program.value));
else console.error(`restate is left out: ${program.problems[0].message}; node scripts/install-engines.mjs installs it`);
if (values.json) console.log(JSON.stringify(rows));
else
  for (const { engine, ...figures } of rows) {
    const told = Object.entries(figures).map(([name, figure]) => `${name} ${Number(figure.toFixed(2))}`);
    console.log(`${engine}: ${told.join(", ")}`);
  }
