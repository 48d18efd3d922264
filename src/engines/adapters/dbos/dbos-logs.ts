/**
 * What agents and checks of a task printed, in the database (SPEC section 13).
 *
 * DBOS-LOGS-1 of a log the end is kept, and of a run so many logs; they are forgotten with their loop;
 * DBOS-LOGS-2 what was begun again has logs of its own.
 */
import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { KeptLog } from "../../../loop/engine.ts";
import type { Database } from "./dbos-database.ts";
import { SCHEMA } from "./dbos-names.ts";

/** Bytes of one log, and logs of one run. */
const LARGEST_LOG = 64 * 1024;
const MOST = 20;

/** A log's end, on its way. */
export type LogEnd = Pick<KeptLog, "file" | "text" | "bytes">;

/** DBOS-LOGS-1. @param folder where a run's logs were written; it may be missing */
export async function logEnds(folder: string): Promise<readonly LogEnd[]> {
  const files = await readdir(folder).catch((): string[] => []);
  return await Promise.all(files.slice(0, MOST).map(async (file) => ({ file, ...(await endOf(join(folder, file))) })));
}

export async function keepLogs(
  database: Database,
  { loop, task, run }: { readonly loop: string; readonly task: string; readonly run: number },
  logs: readonly LogEnd[],
): Promise<void> {
  const text = `INSERT INTO ${SCHEMA}.logs VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`;
  for (const log of logs) await database.query(text, [loop, task, run, log.file, log.text, log.bytes]);
}

/** Of an atom's attempts, of one attempt or of another task (`check_base_case#3`), in the order in which they were kept. */
export async function logsIn(database: Database, loop: string, of: string): Promise<readonly KeptLog[]> {
  const rows = await database.query(
    `SELECT task, run, file, log, bytes, kept FROM ${SCHEMA}.logs
     WHERE loop = $1 AND (task = $2 OR (starts_with(task, $2 || '.') AND substr(task, length($2) + 2) ~ '^[0-9]+$'))
     ORDER BY kept, file`,
    [loop, of],
  );
  return rows.map(({ task, run, file, log, bytes, kept }) => ({
    task: String(task),
    run: Number(run),
    file: String(file),
    text: String(log),
    bytes: Number(bytes),
    at: kept instanceof Date ? kept.toISOString() : String(kept),
  }));
}

async function endOf(path: string): Promise<{ readonly text: string; readonly bytes: number }> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const from = Math.max(0, size - LARGEST_LOG);
    const buffer = Buffer.alloc(size - from);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, from);
    // The database takes no NUL.
    return { text: buffer.subarray(0, bytesRead).toString().replaceAll("\0", "\u{FFFD}"), bytes: size };
  } finally {
    await file.close();
  }
}
