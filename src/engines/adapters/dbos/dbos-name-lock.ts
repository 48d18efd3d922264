/** That of one name one worker works at a time: it holds a lock of the database's. */
import type { Database } from "./dbos-database.ts";
import { tryLock } from "./dbos-lock.ts";
import type { Connection } from "./dbos-sdk.ts";

export interface HeldName {
  release(): Promise<void>;
}

const PATIENCE_MS = 20_000;
const AGAIN_MS = 500;

const pause = (ms: number): Promise<void> => new Promise((resume) => setTimeout(resume, ms));

/**
 * Null: a worker of that name is at work, and was for a while. After an outage of the database the lock is taken anew.
 * @param taken told when, after an outage, another worker has come meanwhile and stays
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

  /** The database was away, and this worker's tasks are its own until somebody begins them again (H2). */
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
