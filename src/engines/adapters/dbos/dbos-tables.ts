/** The loops' own tables, beside those of DBOS. Workers make them; nothing that stands is touched. */
import type { WorkerView } from "../../../loop/engine.ts";
import type { Database } from "./dbos-database.ts";
import { SCHEMA } from "./dbos-names.ts";
import type { Beat } from "../worker-figures.ts";

/** A loop's row is rewritten at every event: packing it would cost more than it saves. */
const TABLES = `
  CREATE SCHEMA IF NOT EXISTS ${SCHEMA};
  CREATE TABLE IF NOT EXISTS ${SCHEMA}.loops (
    name text PRIMARY KEY, version integer NOT NULL, hosted text NOT NULL);
  ALTER TABLE ${SCHEMA}.loops ALTER COLUMN hosted SET STORAGE EXTERNAL;
  CREATE TABLE IF NOT EXISTS ${SCHEMA}.lines (
    loop text, number integer, line text NOT NULL, PRIMARY KEY (loop, number));
  CREATE TABLE IF NOT EXISTS ${SCHEMA}.runs (
    loop text, task text, run integer, worker text NOT NULL, begun timestamptz NOT NULL DEFAULT clock_timestamp(),
    ended timestamptz, aborted boolean NOT NULL DEFAULT false, PRIMARY KEY (loop, task, run));
  CREATE TABLE IF NOT EXISTS ${SCHEMA}.logs (
    loop text, task text, run integer, file text, log text NOT NULL, bytes bigint NOT NULL,
    kept timestamptz NOT NULL DEFAULT clock_timestamp(), PRIMARY KEY (loop, task, run, file));
  CREATE INDEX IF NOT EXISTS runs_to_end ON ${SCHEMA}.runs (worker) WHERE aborted AND ended IS NULL;
  CREATE TABLE IF NOT EXISTS ${SCHEMA}.executors (
    id text PRIMARY KEY, name text NOT NULL, told text, lost boolean NOT NULL DEFAULT false,
    seen timestamptz NOT NULL DEFAULT clock_timestamp());`;

/** To use them takes no right to make any. */
export async function makeTables(database: Database): Promise<void> {
  const [row] = await database.query("SELECT to_regclass($1) AS last", [`${SCHEMA}.logs`]);
  if (row?.["last"] !== null) return;
  await database.transaction(async (connection) => {
    await connection.query("SELECT pg_advisory_xact_lock(hashtext($1))", [`${SCHEMA} tables`]);
    await connection.query(TABLES);
  });
}

/** What others are shown of a worker. Nothing is decided by it. @param id of this start of it */
export async function tellOf(database: Database, id: string, beat: Beat): Promise<void> {
  await database.query(`UPDATE ${SCHEMA}.executors SET told = $2 WHERE id = $1`, [id, JSON.stringify(beat)]);
}

/** Those that were heard of within a day, by name; of several starts under one name those that are alive, or the last. */
export async function workersIn(database: Database): Promise<readonly WorkerView[]> {
  const text = `SELECT told, seen FROM ${SCHEMA}.executors AS one
    WHERE told IS NOT NULL AND seen > clock_timestamp() - interval '1 day' AND NOT (lost AND EXISTS (
      SELECT 1 FROM ${SCHEMA}.executors AS other WHERE other.name = one.name AND other.seen > one.seen))
    ORDER BY name LIMIT 1000`;
  const rows = await database.query(text);
  return rows.map(({ told, seen }) => ({
    ...(JSON.parse(String(told)) as Beat),
    seen_at: seen instanceof Date ? seen.toISOString() : String(seen),
  }));
}
