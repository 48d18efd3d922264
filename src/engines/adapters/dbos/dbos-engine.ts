/** Loops hosted by DBOS on PostgreSQL, as people and commands speak to it (contract ENGINE-1 to 3 of the port). */
import type { Engine, Retention, OverLoop } from "../../../loop/engine.ts";
import { viewOfHosted, type HostedLoop } from "../../../loop/hosted-loop.ts";
import { enqueuer, createClient } from "./dbos-client.ts";
import { openDatabase, timeOf, type Database } from "./dbos-database.ts";
import { openLoops, type Loops } from "./dbos-loops.ts";
import { logsIn } from "./dbos-logs.ts";
import { databaseName, DBOS_SCHEMA, ENDED, SCHEMA } from "./dbos-names.ts";
import { createLoopRows, type LoopRows } from "./dbos-rows.ts";
import { loadDbosSdk, type Connection, type DbosSdk } from "./dbos-sdk.ts";
import { workersIn } from "./dbos-tables.ts";
import { EngineUnreachable } from "../engine-unreachable.ts";

const MOST_CONNECTIONS = 4;

interface Opened {
  readonly database: Database;
  readonly loops: Loops;
  readonly retention: Retention;
}

/**
 * The library is loaded, and the database asked, when the first method is called. All of them reject with
 * `EngineUnreachable`.
 * @param url postgres://user@host:port/database
 */
export function createDbosEngine(url: string): Engine {
  const name = databaseName(url) ?? url;
  let opened: Opened | null = null;
  const open = (): Opened => {
    if (opened !== null) return opened;
    const loaded = loadDbosSdk();
    if (!loaded.ok) throw new EngineUnreachable(loaded.message, loaded.hint);
    const database = openDatabase(loaded.sdk, url, MOST_CONNECTIONS);
    const options = { database, enqueue: enqueuer(loaded.sdk, database.pool) };
    const rows = createLoopRows(options);
    const loops = openLoops(options, rows);
    opened = { database, loops, retention: createRetention({ sdk: loaded.sdk, database, rows, loops }) };
    return opened;
  };
  return {
    name,
    start: async (loop, spec) => await open().loops.start(loop, spec),
    signal: async (loop, signal) => await open().loops.signal(loop, signal),
    view: async (loop) => {
      const hosted = await open().loops.read(loop);
      return hosted === null ? null : viewOfHosted(hosted, name);
    },
    loops: async () => await open().loops.names(),
    journal: async (loop, from) => await open().loops.journal(loop, from),
    logs: async (loop, of) => await logsIn(open().database, loop, of),
    workers: async () => await workersIn(open().database),
    retention: {
      over: async (days) => await open().retention.over(days),
      forget: async (loop, days) => await open().retention.forget(loop, days),
    },
    close: async () => {
      await opened?.database.close();
      opened = null;
    },
  };
}

// Loops that were completed a while ago, and what PostgreSQL keeps of them: their rows, journals, runs and logs, and DBOS's own
// rows of their tasks.
//
// DBOS-ENGINE-1 what is forgotten is over: completed, with no task of it open and no workflow that DBOS has still to run;
// DBOS-ENGINE-2 a name is used once: of a forgotten loop an empty row stays, so that no other begins under its name;
// DBOS-ENGINE-3 what breaks off in the middle is done by the next one: the loop's own row goes last.

const DAY_MS = 24 * 3_600_000;
/** Of one loop's workflows at a time. */
const AT_ONCE = 1_000;

interface RetentionOptions {
  readonly sdk: DbosSdk;
  readonly database: Database;
  readonly rows: LoopRows;
  readonly loops: Pick<Loops, "names">;
}

function createRetention({ sdk, database, rows, loops }: RetentionOptions): Retention {
  const isOver = (hosted: HostedLoop, days: number, now: string): boolean =>
    hosted.loop.state.control.status === "completed" &&
    hosted.tasks.length === 0 &&
    Date.parse(now) - Date.parse(hosted.loop.run.now) >= days * DAY_MS;
  return {
    over: async (days) => {
      const now = await database.transaction(timeOf);
      const busy = await busyLoops(database);
      const found: OverLoop[] = [];
      for (const loop of await loops.names()) {
        const hosted = busy.has(loop) ? null : (await rows.read(loop, null))?.hosted;
        if (hosted == null || !isOver(hosted, days, now)) continue;
        found.push({ loop, since: hosted.loop.run.now, lines: hosted.lines });
      }
      return found.toSorted((a, b) => (a.since < b.since ? -1 : 1));
    },
    forget: async (loop, days) => {
      const client = await createClient(sdk, database.pool);
      return await database.transaction(async (connection) => {
        // Until the end nobody else changes it.
        const hosted = (await rows.read(loop, connection))?.hosted;
        if (hosted === undefined || !isOver(hosted, days, await timeOf(connection))) return false;
        const ids = await endedWorkflows(connection, loop);
        if (ids === null) return false;
        for (let from = 0; from < ids.length; from += AT_ONCE)
          await client.deleteWorkflows(ids.slice(from, from + AT_ONCE));
        for (const table of ["lines", "runs", "logs"])
          await connection.query(`DELETE FROM ${SCHEMA}.${table} WHERE loop = $1`, [loop]);
        await connection.query(`UPDATE ${SCHEMA}.loops SET version = version + 1, hosted = '' WHERE name = $1`, [loop]);
        return true;
      });
    },
  };
}

/** Loops of which DBOS has something still to run. */
async function busyLoops(database: Database): Promise<ReadonlySet<string>> {
  const text = `SELECT DISTINCT split_part(workflow_uuid, '/', 1) AS loop FROM ${DBOS_SCHEMA}.workflow_status
    WHERE status NOT IN ${ENDED}`;
  return new Set((await database.query(text)).map(({ loop }) => String(loop)));
}

/** Null: some have not ended. */
async function endedWorkflows(connection: Connection, loop: string): Promise<string[] | null> {
  const text = `SELECT workflow_uuid AS id, status IN ${ENDED} AS ended FROM ${DBOS_SCHEMA}.workflow_status
    WHERE starts_with(workflow_uuid, $1)`;
  const { rows } = await connection.query(text, [`${loop}/`]);
  return rows.every(({ ended }) => ended === true) ? rows.map(({ id }) => String(id)) : null;
}
