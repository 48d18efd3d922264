/** Loops hosted by DBOS on PostgreSQL, as people and commands speak to it (contract E1-E3 of the port). */
import type { Engine, Retention } from "../../../loop/engine.ts";
import { viewOfHosted } from "../../../loop/hosted-loop.ts";
import { enqueuer } from "./dbos-client.ts";
import { openDatabase, type Database } from "./dbos-database.ts";
import { openLoops, type Loops } from "./dbos-loops.ts";
import { databaseName } from "./dbos-names.ts";
import { createRetention } from "./dbos-retention.ts";
import { createLoopRows } from "./dbos-rows.ts";
import { loadDbosSdk } from "./dbos-sdk.ts";
import { workersIn } from "./dbos-tables.ts";
import { EngineUnreachable } from "../engine-unreachable.ts";

const CONNECTIONS = 4;

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
    const database = openDatabase(loaded.sdk, url, CONNECTIONS);
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
    workers: async () => await workersIn(open().database),
    labels: true,
    tenants: {
      limit: async (tenant, limits) => await open().loops.limitTenant(tenant, limits),
      view: async (tenant) => await open().loops.tenant(tenant),
    },
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
