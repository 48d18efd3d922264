/**
 * Loops as rows of PostgreSQL: what stands is read, and what follows is written together with the workflows that DBOS is
 * to run.
 *
 * DBOS-ROWS-1 one writer: a row that is read to be changed is locked until the transaction ends;
 * DBOS-ROWS-2 state, journal and orders appear together or not at all;
 * DBOS-ROWS-3 what is changed is what is in the database: what this process remembers of it only spares the reading.
 */
import type { HostedLoop, Move, Order } from "../../../loop/hosted-loop.ts";
import { hostedIn, keptText } from "../../../loop/loop-record.ts";
import type { Database } from "./dbos-database.ts";
import { CHANGE, CLOCK, LINES, OVERDUE, SCHEMA, WAKE, PERFORM, TASKS } from "./dbos-names.ts";
import type { Connection } from "./dbos-sdk.ts";

export interface RowsOptions {
  readonly database: Database;
  /** In the connection's transaction. */
  enqueue(connection: Connection, errand: Errand): Promise<void>;
  /** How long the worker of an aborted task may take to answer, milliseconds. */
  readonly overdue_ms?: number;
}

/** How a loop stood at one time: each change makes the next version. */
export interface Version {
  readonly version: number;
  readonly hosted: HostedLoop;
}

export interface LoopRows {
  /** @param connection locks the row (DBOS-ROWS-1); null: only looks */
  read(name: string, connection: Connection | null): Promise<Version | null>;
  write(connection: Connection, before: Version, move: Move<unknown>): Promise<Version>;
  remember(version: Version): void;
}

const OVERDUE_MS = 60_000;
const MOST_REMEMBERED = 100;

export function createLoopRows({ database, enqueue, overdue_ms = OVERDUE_MS }: RowsOptions): LoopRows {
  const known = new Map<string, Version>();
  return {
    read: async (name, connection) => {
      const last = known.get(name);
      const text = `SELECT version, CASE WHEN version = $2 THEN NULL ELSE hosted END AS hosted
        FROM ${SCHEMA}.loops WHERE name = $1${connection === null ? "" : " FOR UPDATE"}`;
      const values = [name, last?.version ?? -1];
      const [row] =
        connection === null ? await database.query(text, values) : (await connection.query(text, values)).rows;
      // Empty: it was forgotten.
      if (row === undefined || row["hosted"] === "") return null;
      if (row["hosted"] === null && last !== undefined) return last;
      return { version: Number(row["version"]), hosted: hostedIn(String(row["hosted"])) };
    },
    write: async (connection, before, { hosted, orders, lines }) => {
      const { name } = hosted;
      const version = before.version + 1;
      const values = [name, version, keptText(hosted)];
      await connection.query(`UPDATE ${SCHEMA}.loops SET version = $2, hosted = $3 WHERE name = $1`, values);
      if (lines.length > 0)
        await connection.query(
          `INSERT INTO ${SCHEMA}.lines SELECT $1, $2 + ordinal - 1, line
           FROM unnest($3::text[]) WITH ORDINALITY AS given (line, ordinal)`,
          [name, hosted.lines - lines.length, lines.map((line) => JSON.stringify(line))],
        );
      for (const errand of errandsOf(hosted, before, orders, overdue_ms)) await enqueue(connection, errand);
      const aborted = orders.flatMap((order) => (order.type === "abort" ? [order.task] : []));
      const abort = `UPDATE ${SCHEMA}.runs SET aborted = true WHERE loop = $1 AND task = ANY ($2)`;
      if (aborted.length > 0) await connection.query(abort, [name, aborted]);
      return { version, hosted };
    },
    remember: (version) => {
      const { name } = version.hosted;
      known.delete(name);
      known.set(name, version);
      for (const oldest of known.keys()) {
        if (known.size <= MOST_REMEMBERED) break;
        known.delete(oldest);
      }
    },
  };
}

function errandsOf({ name }: HostedLoop, before: Version, orders: readonly Order[], overdue_ms: number): Errand[] {
  // A task raises the count, which never falls: so does its place in the row.
  let place = before.hosted.count;
  return orders.flatMap((order, index): Errand[] => {
    const id = `${name}/${order.type}#${before.version + 1}.${index}`;
    if (order.type === "wake_in") return [{ id, workflow: WAKE, queue: CLOCK, args: [name], delay_ms: order.ms }];
    if (order.type === "abort")
      return [{ id, workflow: OVERDUE, queue: CLOCK, args: [name, order.task], delay_ms: overdue_ms }];
    const { task, serial } = order;
    const priority = place++;
    const errand = taskErrand(name, task.id);
    return [serial ? { ...errand, workflow: CHANGE, queue: LINES, partition: name, priority } : errand];
  });
}

interface Errand {
  readonly id: string;
  readonly workflow: string;
  readonly queue: string;
  readonly args: readonly string[];
  /** Of those with the same one only one runs at a time, the lowest priority first. */
  readonly partition?: string;
  readonly priority?: number;
  readonly delay_ms?: number;
}

/** A task that changes no integration branch. */
function taskErrand(loop: string, task: string): Errand {
  return { id: `${loop}/${task}`, args: [loop, task], workflow: PERFORM, queue: TASKS };
}
