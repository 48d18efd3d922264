/** Locks of the database's: each ends with the connection that holds it, and so with its holder. */
import type { Database } from "./dbos-database.ts";
import type { Connection } from "./dbos-sdk.ts";

/** What our locks are reported by among others: "aot" and "aou". */
const KINDS = { name: 0x616f74, launch: 0x616f75 } as const;
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

// That of one name one worker works at a time: it holds a lock of the database's.

export interface HeldName {
  release(): Promise<void>;
}

const PATIENCE_MS = 20_000;
const AGAIN_MS = 500;

const pause = (ms: number): Promise<void> => new Promise((resume) => setTimeout(resume, ms));

/**
 * Null: a worker of that name is running, and was for a while. After an outage of the database the lock is taken anew.
 * @param taken called when, after an outage, another worker has come meanwhile and stays
 * @param patience_ms how long a dead worker's connection may take to end
 * @throws DatabaseUnavailable
 */
export async function holdName(
  database: Database,
  name: string,
  warn: (message: string) => void,
  { taken = () => {}, patience_ms = PATIENCE_MS }: { readonly taken?: () => void; readonly patience_ms?: number } = {},
): Promise<HeldName | null> {
  let connection: Connection | null = null;
  let released = false;
  let again: Promise<void> = Promise.resolve();

  const tried = async (): Promise<boolean> => {
    const made = await tryLock(database, "name", name);
    if (made === null) return false;
    connection = made;
    made.on("error", () => {
      if (connection !== made) return;
      connection = null;
      made.release(true);
      again = retake();
    });
    return true;
  };

  /** The database was away, and this worker's tasks are its own until somebody begins them again (HOSTED-LOOP-2). */
  const retake = async (): Promise<void> => {
    warn(`the name ${name} is not held any more: the database is away, or another worker of that name has come`);
    let since: number | null = null;
    for (;;) {
      const held = await tried().catch(() => null);
      if (held === true || released) return;
      // For a while it may be our own connection of before that holds it.
      since = held === null ? null : (since ?? performance.now());
      if (since !== null && performance.now() - since > patience_ms) return taken();
      await pause(AGAIN_MS);
    }
  };

  for (const end = performance.now() + patience_ms; !(await tried()); await pause(AGAIN_MS))
    if (performance.now() > end) return null;
  return {
    release: async () => {
      released = true;
      await again;
      connection?.release(true);
      connection = null;
    },
  };
}
