// A PostgreSQL and DBOS workers on this host, as processes whose time can be read (Linux).
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import { createDbosEngine } from "../dist/lib/engines/adapters/dbos/dbos-engine.js";
import { sum } from "./statistics.mjs";

const TICK_MS = 10;
const WORKER = join(import.meta.dirname, "engine-worker.mjs");
const POSTGRES = join(import.meta.dirname, "../tests/support/engines/dbos-postgres.ts");

/** User and system time of processes so far, milliseconds. */
export function cpuOf(pids) {
  return sum(
    pids.map((pid) => {
      if (!existsSync(`/proc/${pid}/stat`)) return Number.NaN;
      const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
      // Its own, and that of its children that have ended.
      return sum(fields.slice(11, 15).map(Number)) * TICK_MS;
    }),
  );
}

/** Null: there is no PostgreSQL here. @param settings of the workers, and how many there are */
export async function startDatabaseSite({ workers, ...settings }) {
  const dir = mkdtempSync(join(tmpdir(), "aot-bench-engine-"));
  const ends = [async () => rmSync(dir, { recursive: true, force: true, maxRetries: 5 })];
  const close = async () => {
    for (const end of ends.toReversed()) await end();
  };
  try {
    const { postgresPrograms, startPostgres } = await bundled(POSTGRES, dir);
    const programs = postgresPrograms();
    if (programs === null) {
      await close();
      return null;
    }
    const postgres = await startPostgres(programs);
    ends.push(() => postgres.close());
    const pids = await startWorkers(workers, { ...settings, database: postgres.url }, ends);
    const engine = createDbosEngine(postgres.url);
    ends.push(() => engine.close());
    const port = new URL(postgres.url).port;
    return { engine, database: postgres.url, workers: pids, close, server: () => treeOf(serverAt(port)) };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startWorkers(count, settings, ends) {
  const children = Array.from({ length: count }, (_, index) => {
    const own = JSON.stringify({ ...settings, name: `w${index}` });
    return spawn(process.execPath, [WORKER, own], { stdio: ["pipe", "pipe", "inherit"] });
  });
  for (const child of children) ends.push(() => ended(child));
  await Promise.all(children.map(firstLine));
  return children.map(({ pid }) => pid);
}

async function firstLine(child) {
  for await (const line of createInterface({ input: child.stdout })) return line;
  throw new Error("a worker ended before it served");
}

async function ended(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.stdin.end();
  await gone;
}

/** A helper of the tests, which is TypeScript. */
async function bundled(input, dir) {
  const file = join(dir, `${basename(input, ".ts")}.mjs`);
  const bundle = await rolldown({ input, platform: "node", logLevel: "silent" });
  await bundle.write({ file, format: "esm", codeSplitting: false });
  await bundle.close();
  return await import(pathToFileURL(file).href);
}

const processes = () => readdirSync("/proc").filter((name) => /^\d+$/.test(name));

function textOf(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    // It has ended.
    return "";
  }
}

/** The server whose command line names the port; its children bear names of their own. */
function serverAt(port) {
  const pid = processes().find(
    (one) => /bin\/postgres\0/.test(textOf(one, "cmdline")) && textOf(one, "cmdline").includes(`port=${port}\0`),
  );
  return Number(pid);
}

function treeOf(pid) {
  const children = processes().filter((one) => new RegExp(`^PPid:\\s+${pid}$`, "m").test(textOf(one, "status")));
  return [pid, ...children.map(Number)];
}
