/** Locks of the database's: each ends with the connection that holds it, and so with its holder. */
import type { Database } from "./dbos-database.ts";
import type { Connection } from "./dbos-sdk.ts";

/** What our locks are known by among others: "aou" and "aov". */
const KINDS = { launch: 0x616f75, take_over: 0x616f76 } as const;
/** What a holder whose host vanished is missed after: idle, then two probes. */
const KEEPALIVE = "SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 2";

/**
 * Tries once. Nobody waits for a lock inside of PostgreSQL: a statement that waits keeps what it could see alive, and DBOS
 * makes indexes that wait for the end of all that.
 * @returns the connection that holds it until it is closed; null: somebody else does
 * @throws DatabaseUnavailable
 */
export async function tryLock(database: Database, kind: keyof typeof KINDS, name: string): Promise<Connection | null> {
  const connection = await database.connect();
  let held = false;
  try {
    const text = "SELECT pg_try_advisory_lock($1, hashtext($2)) AS held";
    const { rows } = await database.asking(async () => {
      await connection.query(KEEPALIVE);
      return await connection.query(text, [KINDS[kind], name]);
    });
    held = rows[0]?.["held"] === true;
    return held ? connection : null;
  } finally {
    if (!held) connection.release(true);
  }
}
