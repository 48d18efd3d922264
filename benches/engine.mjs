// What the engine costs: loops of scripted agents, embedded, and on DBOS with a PostgreSQL of this host, with 1 to 4 workers,
// beside the same tasks on bare DBOS.
//   npm run bench:engine                     loops of 20 and of 200 atoms, and how workers add up
//   node benches/engine.mjs --atoms 1000     so many attempts a row; --json: as JSON on stdout
// The work itself (git, agents, checks) is left out: what is measured is the way from a decision to a worker and back.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { bundleSource } from "../scripts/bundle-source.mjs";
import { systemClock } from "../dist/lib/project/clock.js";
import { bareRate } from "./engine-bare.mjs";
import { cpuOf, startDatabaseSite } from "./engine-database.mjs";
import { layered, placesWith, wide } from "./engine-world.mjs";

const { values } = parseArgs({
  options: {
    json: { type: "boolean" },
    atoms: { type: "string", default: "400" },
  },
});
const ATOMS = Number(values.atoms);
const LIMIT_MS = 600_000;
const SLOTS = 20;
/** Agents that take a while, a few per worker: what more workers bring. */
const GROWTH = { agent_ms: 500, slots: 4, attempts: 60 };

async function measure(name, { engine, server, workers }, loops) {
  const names = loops.map((_, index) => `bench-${index}`);
  const serverCpu = () => cpuOf(server());
  const own = { time: process.cpuUsage(), server: serverCpu(), workers: cpuOf(workers), from: performance.now() };
  await Promise.all(names.map((loop, index) => engine.start(loop, loops[index])));
  for (const loop of names) await halted(engine, loop);
  const wall = performance.now() - own.from;
  const used = process.cpuUsage(own.time);
  const attempts = loops.reduce((sum, { state }) => sum + state.atoms.length, 0);
  const latencies = (await Promise.all(names.map((loop) => latenciesOf(engine, loop)))).flat();
  const at = (part) => latencies.toSorted((a, b) => a - b)[Math.floor(latencies.length * part)] ?? Number.NaN;
  const worked = workers.length === 0 ? (used.user + used.system) / 1_000 : cpuOf(workers) - own.workers;
  return reported({
    engine: name,
    attempts,
    attempts_per_s: attempts / (wall / 1_000),
    p50_ms: at(0.5),
    p95_ms: at(0.95),
    worker_cpu_ms: worked / attempts,
    server_cpu_ms: (serverCpu() - own.server) / attempts,
  });
}

/** Said as soon as it is known: a row that fails later takes none with it. */
function reported(row) {
  const { engine, ...figures } = row;
  const words = Object.entries(figures).map(([name, figure]) => `${name} ${Number(figure.toFixed(2))}`);
  if (!values.json) console.log(`${engine}: ${words.join(", ")}`);
  return row;
}

async function halted(engine, loop) {
  for (const end = performance.now() + LIMIT_MS; performance.now() < end;) {
    const view = await engine.view(loop);
    const outcome = view?.state.control.outcome ?? null;
    if (outcome === "verified") return;
    if (outcome !== null) throw new Error(`${loop} ended as ${outcome}`);
    await new Promise((resume) => setTimeout(resume, 250));
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

const shapes = [20, 200].map((size) => ({
  size,
  loops: Array.from({ length: Math.max(1, Math.round(ATOMS / size)) }, () => layered(size)),
}));

async function embeddedRows() {
  const folder = mkdtempSync(join(tmpdir(), "aot-bench-"));
  const file = join(folder, "engine.mjs");
  await bundleSource("world/embedded-engine.ts", file);
  const { createEmbeddedEngine } = await import(pathToFileURL(file).href);
  rmSync(folder, { recursive: true });
  const rows = [];
  for (const { size, loops } of shapes) {
    const engine = createEmbeddedEngine({ clock: systemClock, open: placesWith(0) });
    rows.push(await measure(`embedded, loops of ${size}`, { engine, server: () => [], workers: [] }, loops));
    await engine.close();
  }
  return rows;
}

async function onSite(settings, work) {
  const site = await startDatabaseSite(settings);
  if (site === null) return null;
  try {
    return await work(site);
  } finally {
    await site.close();
  }
}

async function databaseRows() {
  const rows = [];
  for (const { size, loops } of shapes) {
    const settings = { workers: 1, slots: SLOTS, agent_ms: 0 };
    rows.push(await onSite(settings, (site) => measure(`dbos, loops of ${size}`, site, loops)));
  }
  for (const workers of [1, 2, 4]) {
    const { agent_ms, slots, attempts } = GROWTH;
    // Four loops that together fill the slots.
    const loops = Array.from({ length: 4 }, () => wide(attempts, (slots * workers) / 4));
    const name = `dbos, ${workers} x ${slots} slots, agents of ${agent_ms} ms`;
    const settings = { workers, slots, agent_ms };
    rows.push(await onSite(settings, (site) => measure(name, site, loops)));
    const bare = async (site) =>
      reported({ engine: `bare ${name}`, attempts_per_s: await bareRate(site, 4 * attempts) });
    rows.push(await onSite({ ...settings, bare: true }, bare));
  }
  return rows.filter((row) => row !== null);
}

const rows = [...(await embeddedRows()), ...(await databaseRows())];
if (values.json) console.log(JSON.stringify(rows));
