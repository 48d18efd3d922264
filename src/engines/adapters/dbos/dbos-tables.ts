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
  CREATE INDEX IF NOT EXISTS runs_to_end ON ${SCHEMA}.runs (worker) WHERE aborted AND ended IS NULL;
  CREATE TABLE IF NOT EXISTS ${SCHEMA}.tenants (name text PRIMARY KEY, tenant text NOT NULL);
  CREATE TABLE IF NOT EXISTS ${SCHEMA}.workers (
    name text PRIMARY KEY, epoch integer NOT NULL, told text, seen timestamptz NOT NULL DEFAULT clock_timestamp());`;

/** To use them takes no right to make any. */
export async function makeTables(database: Database): Promise<void> {
  const [row] = await database.query("SELECT to_regclass($1) AS last", [`${SCHEMA}.workers`]);
  if (row?.["last"] !== null) return;
  await database.transaction(async (connection) => {
    await connection.query("SELECT pg_advisory_xact_lock(hashtext($1))", [`${SCHEMA} tables`]);
    await connection.query(TABLES);
  });
}

/** A worker's start: whatever bore its name before it is refused from now on. */
export async function nextEpoch(database: Database, name: string): Promise<number> {
  const text = `INSERT INTO ${SCHEMA}.workers AS worker (name, epoch) VALUES ($1, 1)
    ON CONFLICT (name) DO UPDATE SET epoch = worker.epoch + 1 RETURNING epoch`;
  const [row] = await database.query(text, [name]);
  return Number(row?.["epoch"]);
}

/** What others are shown of a worker. Nothing is decided by it. */
export async function tellOf(database: Database, beat: Beat): Promise<void> {
  const text = `UPDATE ${SCHEMA}.workers SET told = $2, seen = clock_timestamp() WHERE name = $1`;
  await database.query(text, [beat.name, JSON.stringify(beat)]);
}

/** Those that were heard of within a day, by name. */
export async function workersIn(database: Database): Promise<readonly WorkerView[]> {
  const text = `SELECT told, seen FROM ${SCHEMA}.workers
    WHERE told IS NOT NULL AND seen > clock_timestamp() - interval '1 day' ORDER BY name LIMIT 1000`;
  const rows = await database.query(text);
  return rows.map(({ told, seen }) => ({
    ...(JSON.parse(String(told)) as Beat),
    seen_at: seen instanceof Date ? seen.toISOString() : String(seen),
  }));
}
