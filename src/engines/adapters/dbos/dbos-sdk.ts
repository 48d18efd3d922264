/**
 * DBOS's library and the PostgreSQL client that comes with it, loaded when an engine on PostgreSQL is named and not
 * before: it is an optional peer dependency. Of the client no types are installed, so what is used of it is said here.
 */
import { createRequire } from "node:module";
import { join } from "node:path";

type Library = typeof import("@dbos-inc/dbos-sdk");
type Receivers = typeof import("@dbos-inc/dbos-sdk/eventreceiver");

export interface Rows {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly rowCount: number | null;
}

export interface Connection {
  query(text: string, values?: readonly unknown[]): Promise<Rows>;
  /** Gives it back to its pool; with `true` it is closed. */
  release(broken?: boolean): void;
  on(event: "error", listener: (error: Error) => void): void;
}

export interface Pool {
  connect(): Promise<Connection>;
  query(text: string, values?: readonly unknown[]): Promise<Rows>;
  on(event: "error", listener: (error: Error) => void): void;
  on(event: "connect", listener: (connection: Connection) => void): void;
  end(): Promise<void>;
}

export interface PoolOptions {
  readonly connectionString: string;
  readonly max: number;
  readonly connectionTimeoutMillis: number;
  readonly idle_in_transaction_session_timeout: number;
  readonly query_timeout: number;
  readonly keepAlive: true;
  /** A command ends though its connections are open. */
  readonly allowExitOnIdle: true;
  readonly application_name: string;
}

export interface DbosSdk extends Pick<Library, "DBOS" | "DBOSClient">, Pick<Receivers, "registerInternalQueue"> {
  createPool(options: PoolOptions): Pool;
}

export type LoadedDbos =
  | { readonly ok: true; readonly sdk: DbosSdk }
  | { readonly ok: false; readonly message: string; readonly hint: string };

const NAME = "@dbos-inc/dbos-sdk";

/** @param folders where the library is looked for: beside this package, or else where the program was started */
export function loadDbosSdk(
  folders: readonly string[] = [import.meta.url, join(process.cwd(), "package.json")],
): LoadedDbos {
  const found = folders.map(libraryFrom).find((path) => path !== null);
  if (found === undefined || found === null) return missing("it is not installed");
  try {
    const load = createRequire(found);
    const { DBOS, DBOSClient } = load(NAME) as Library;
    const { registerInternalQueue } = load(`${NAME}/eventreceiver`) as Partial<Receivers>;
    const { Pool } = load("pg") as { readonly Pool: new (options: PoolOptions) => Pool };
    // What a worker's own number of slots takes; the library gives it to packages beside it, from 5.0 on.
    if (typeof registerInternalQueue !== "function") return missing("it is of a version that is not supported");
    return { ok: true, sdk: { DBOS, DBOSClient, registerInternalQueue, createPool: (options) => new Pool(options) } };
  } catch (error) {
    return missing(error instanceof Error ? error.message : String(error));
  }
}

function missing(why: string): LoadedDbos {
  return {
    ok: false,
    message: `DBOS's library, which an engine on PostgreSQL needs, cannot be loaded: ${why}`,
    hint: `install it beside aot-loop: npm install ${NAME}@5`,
  };
}

function libraryFrom(folder: string): string | null {
  try {
    return createRequire(folder).resolve(NAME);
  } catch {
    return null;
  }
}
