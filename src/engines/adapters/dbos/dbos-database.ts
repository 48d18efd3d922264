/**
 * The database that loops live in: connections, transactions, and what is said when it cannot be reached. Nothing that is
 * said holds a password.
 */
import type { Connection, DbosSdk, Pool, Rows } from "./dbos-sdk.ts";
import { databaseName, SCHEMA } from "./dbos-names.ts";
import { EngineUnreachable } from "../engine-unreachable.ts";

/** PostgreSQL cannot be asked, or refuses. */
class DatabaseUnavailable extends EngineUnreachable {}

/** The methods reject with `DatabaseUnavailable`; what a transaction's own code threw comes as it is. */
export interface Database {
  readonly name: string;
  readonly pool: Pool;
  query(text: string, values?: readonly unknown[]): Promise<Rows["rows"]>;
  /** A connection of one's own: whoever has it releases it. What its queries reject with comes as it is, but in `asking`. */
  connect(): Promise<Connection>;
  asking<T>(ask: () => Promise<T>): Promise<T>;
  /** All of it or nothing; if the connection broke at the end, nobody knows which. */
  transaction<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

const CONNECT_MS = 10_000;
const QUERY_MS = 30_000;
/** A process that was stopped in the middle of a transaction holds a loop no longer than this. */
const IDLE_TRANSACTION_MS = 15_000;

/** Opens no connection yet. @param max most connections */
export function openDatabase(sdk: DbosSdk, url: string, max: number): Database {
  const name = databaseName(url) ?? "the database";
  const pool = sdk.createPool({
    connectionString: url,
    max,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: QUERY_MS,
    idle_in_transaction_session_timeout: IDLE_TRANSACTION_MS,
    keepAlive: true,
    allowExitOnIdle: true,
    application_name: "aot",
  });
  // A connection that the server ends says so as an event, and without a listener that would end this process, also in
  // the middle of what DBOS asks. Whoever asks next learns it.
  pool.on("error", () => {});
  pool.on("connect", (connection) => connection.on("error", () => {}));
  const reported = async <T>(ask: () => Promise<T>): Promise<T> => {
    try {
      return await ask();
    } catch (error) {
      // Whatever it was, the client said it.
      throw describe(error, name) ?? unreached(error, name);
    }
  };
  return {
    name,
    pool,
    query: async (text, values) => (await reported(() => pool.query(text, values))).rows,
    connect: () => reported(() => pool.connect()),
    asking: reported,
    transaction: async (work) => {
      const connection = await reported(() => pool.connect());
      let broken = true;
      try {
        await connection.query("BEGIN");
        const result = await work(connection);
        await connection.query("COMMIT");
        broken = false;
        return result;
      } catch (error) {
        broken = await connection.query("ROLLBACK").then(
          () => false,
          () => true,
        );
        throw describe(error, name) ?? error;
      } finally {
        connection.release(broken);
      }
    },
    close: () => pool.end(),
  };
}

/** The database's time, ISO 8601. */
export async function timeOf(connection: Connection): Promise<string> {
  const { rows } = await connection.query("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now");
  return new Date(Number(rows[0]?.["now"])).toISOString();
}

const MOST_PAUSE_MS = 2_000;

/**
 * Asks until the database answers, or the signal ends it: an outage costs a worker time and nothing else.
 * @param warn called once per outage
 */
export async function patiently<T>(
  ask: () => Promise<T>,
  signal: AbortSignal,
  warn: (message: string) => void,
): Promise<T> {
  for (let pause = 50; ; pause = Math.min(pause * 2, MOST_PAUSE_MS)) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable) || signal.aborted) throw error;
      if (pause === 50) warn(`${error.message}; it is asked again until it answers`);
      await new Promise((resume) => setTimeout(resume, pause));
    }
  }
}

const UNREACHED = /^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_AGAIN)/;
/** What the client itself says, without a code. */
const BROKEN = /^(Connection terminated|timeout exceeded|Query read timeout|Client has encountered a connection error)/;

/** Null: that is no failure of the database. */
function describe(error: unknown, name: string): DatabaseUnavailable | null {
  if (!(error instanceof Error) || error instanceof DatabaseUnavailable) return null;
  const code = codeOf(error);
  if (UNREACHED.test(code) || (code === "" && BROKEN.test(error.message))) return unreached(error, name);
  if (!/^[0-9A-Z]{5}$/.test(code)) return null;
  const message = `PostgreSQL at ${name} refused: ${error.message}`;
  return new DatabaseUnavailable(message, hintFor(code), { cause: error });
}

function codeOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "";
}

function unreached(error: unknown, name: string): DatabaseUnavailable {
  const reported = error instanceof Error ? error.message : String(error);
  const why = reported === "" && error instanceof Error ? codeOf(error) : reported;
  const message = `PostgreSQL at ${name} cannot be reached: ${why}`;
  if (/SASL|password/i.test(why)) return new DatabaseUnavailable(message, CREDENTIALS, { cause: error });
  if (/certificate|SSL|TLS/i.test(why))
    return new DatabaseUnavailable(
      message,
      "name its issuer's certificate in NODE_EXTRA_CA_CERTS, or see its ?sslmode=",
      { cause: error },
    );
  return new DatabaseUnavailable(message, "start it, or name the right one with --engine", { cause: error });
}

const CREDENTIALS = "the user and its password: in the address, in PGUSER and PGPASSWORD, or in ~/.pgpass";

function hintFor(code: string): string {
  if (code.startsWith("28")) return CREDENTIALS;
  if (code === "3D000") return "make the database first: createdb, or CREATE DATABASE";
  if (code === "42P01" || code === "3F000")
    return "no worker has come there yet: start `aot worker` with the same --engine";
  if (code === "53300")
    return "let it take more connections (max_connections), or run fewer workers: each holds at most 10";
  if (code === "42501")
    return `the user needs to read and write the schemas ${SCHEMA} and ${SCHEMA}_dbos; a worker also makes them`;
  return "see the log of PostgreSQL";
}
