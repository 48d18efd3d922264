// A PostgreSQL and DBOS workers on this host, as processes whose time can be read (Linux).
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDbosEngine } from "../dist/lib/engines/adapters/dbos/dbos-engine.js";
import { bundled, startWorkers } from "./engine-site.mjs";

const POSTGRES = join(import.meta.dirname, "../tests/support/engines/dbos-postgres.ts");

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
    const { pids } = await startWorkers(workers, { ...settings, database: postgres.url }, ends);
    const engine = createDbosEngine(postgres.url);
    ends.push(() => engine.close());
    const port = new URL(postgres.url).port;
    return { engine, database: postgres.url, workers: pids, close, server: () => treeOf(serverAt(port)) };
  } catch (error) {
    await close();
    throw error;
  }
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
