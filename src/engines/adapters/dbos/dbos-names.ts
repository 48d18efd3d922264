/** What the loops are called in PostgreSQL, and what their address says of it. */

/** The loops' own tables, and those of DBOS: both away from what else lives in the database. */
export const SCHEMA = "aot";
export const DBOS_SCHEMA = "aot_dbos";
/** Rows of DBOS belong to it. */
export const APPLICATION = "aot";
/** What is begun by one version of this package goes on with the next one, so this is not the package's. */
export const VERSION = "1";

/** Attempts, checks and plans: on any worker. */
export const TASKS = "aot_tasks";
/** Whatever changes an integration branch: of each loop one at a time, in the order of the loop's orders. */
export const LINES = "aot_lines";
export const CLOCK = "aot_clock";

export const PERFORM = "perform";
/** A task that changes an integration branch. */
export const CHANGE = "change";
export const WAKE = "wake";
export const OVERDUE = "overdue";

/** Statuses of workflows that DBOS has nothing to run of any more, as SQL. */
export const ENDED = "('SUCCESS', 'ERROR', 'CANCELLED', 'MAX_RECOVERY_ATTEMPTS_EXCEEDED')";

/** How often a worker looks for tasks, milliseconds: what an approval waits for at most, against what an idle worker costs. */
export const POLL_MS = 100;

/**
 * `postgres://host:port/database`: what names the engine in state files and on screens. Never with user or password.
 * Null: that is no address of a database.
 */
export function databaseName(address: string): string | null {
  if (!/^postgres(ql)?:\/\//.test(address) || !URL.canParse(address)) return null;
  const { hostname, port, pathname } = new URL(address);
  if (hostname === "" || !/^\/[^/]+$/.test(pathname)) return null;
  return `postgres://${hostname.toLowerCase()}:${port === "" ? "5432" : port}${pathname}`;
}
