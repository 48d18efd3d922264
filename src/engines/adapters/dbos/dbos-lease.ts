/**
 * That a worker is alive, and who takes over the tasks of those that are not.
 *
 * DBOS-LEASE-1 a worker that was not heard of for the length of a lease has lost what it had begun: any other worker has
 *    it begun again. Dead, hung or cut off is the same. Who was given up and is alive learns it at its next beat;
 * DBOS-LEASE-2 an outage of the database gives nobody up, nor do workers that were all suspended: whoever takes over has itself been
 *    heard of for a lease without a break, by the database's clock.
 */
import type { Database } from "./dbos-database.ts";
import { tryLock } from "./dbos-lock.ts";
import { DBOS_SCHEMA, SCHEMA } from "./dbos-names.ts";

/** How long a worker may be silent: a garbage collection or a busy host is no death, and dead work waits no longer. */
export const LEASE_MS = 20_000;
const BEATS_PER_LEASE = 5;

export interface LeaseOptions {
  readonly database: Database;
  /** Of this start of the worker. */
  readonly id: string;
  readonly name: string;
  readonly lease_ms: number;
  /** Has everything begun again that these had begun. Asked again if it rejects. */
  takeOver(ids: readonly string[]): Promise<void>;
  /** Called once: this one was given up. */
  lost(): void;
  warn(message: string): void;
}

export interface Lease {
  end(): void;
}

/** @throws DatabaseUnavailable */
export async function holdLease(options: LeaseOptions): Promise<Lease> {
  const { database, id, name, lease_ms } = options;
  await database.query(`INSERT INTO ${SCHEMA}.executors (id, name) VALUES ($1, $2)`, [id, name]);
  let over = false;
  /** DBOS-LEASE-2: since when no beat was late. */
  let heard = performance.now();
  let timer: NodeJS.Timeout;
  const beat = async (): Promise<void> => {
    try {
      const [beaten] = await database.query(BEAT, [id]);
      if (over) return;
      if (beaten === undefined) {
        over = true;
        return options.lost();
      }
      if (Number(beaten["late_ms"]) > lease_ms / 2) heard = performance.now();
      if (performance.now() - heard >= lease_ms) await replaceSilent(options);
    } catch {
      heard = performance.now();
    }
    if (!over) timer = setTimeout(() => void beat(), lease_ms / BEATS_PER_LEASE);
  };
  timer = setTimeout(() => void beat(), lease_ms / BEATS_PER_LEASE);
  return {
    end: () => {
      over = true;
      clearTimeout(timer);
    },
  };
}

/** A worker that ends by itself waits for no lease to run out. @throws DatabaseUnavailable */
export async function giveUpLease(database: Database, id: string): Promise<void> {
  await database.query(`UPDATE ${SCHEMA}.executors SET lost = true WHERE id = $1`, [id]);
}

const BEAT = `WITH before AS (SELECT seen FROM ${SCHEMA}.executors WHERE id = $1)
  UPDATE ${SCHEMA}.executors SET seen = clock_timestamp() WHERE id = $1 AND NOT lost
  RETURNING extract(epoch FROM clock_timestamp() - (SELECT seen FROM before)) * 1000 AS late_ms`;
const SILENT = `NOT lost AND seen < clock_timestamp() - $1 * interval '1 ms'`;
/** Whoever has tasks and no lease: given up here, or by one that died over it. */
const ORPHANED = `SELECT DISTINCT executor_id AS id FROM ${DBOS_SCHEMA}.workflow_status AS flow
  WHERE status = 'PENDING' AND NOT EXISTS (SELECT 1 FROM ${SCHEMA}.executors WHERE id = flow.executor_id AND NOT lost)`;
const FORGOTTEN = `DELETE FROM ${SCHEMA}.executors WHERE lost AND seen < clock_timestamp() - interval '1 day'`;

/** DBOS-LEASE-1, by one worker at a time: what was begun again is not taken over once more. */
async function replaceSilent({ database, lease_ms, takeOver, warn }: LeaseOptions): Promise<void> {
  const silent = await database.query(`SELECT id FROM ${SCHEMA}.executors WHERE ${SILENT} LIMIT 1`, [lease_ms]);
  if (silent.length + (await database.query(`${ORPHANED} LIMIT 1`)).length === 0) return;
  const turn = await tryLock(database, "take_over", DBOS_SCHEMA);
  if (turn === null) return;
  try {
    const text = `UPDATE ${SCHEMA}.executors SET lost = true WHERE ${SILENT} RETURNING name`;
    const gone = await database.query(text, [lease_ms]);
    for (const { name } of gone)
      warn(`nothing was heard of the worker ${String(name)} for ${lease_ms / 1_000} s: its tasks are begun again`);
    const orphaned = await database.query(ORPHANED);
    await takeOver(orphaned.map(({ id }) => String(id)));
    await database.query(FORGOTTEN);
  } finally {
    turn.release(true);
  }
}
