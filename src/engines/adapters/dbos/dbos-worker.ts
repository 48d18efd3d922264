/**
 * A worker of loops that DBOS hosts on PostgreSQL: it takes tasks from the database and performs them on this host. Nobody
 * calls it. What it had begun when it died is begun again when a worker of its name starts, wherever that is.
 *
 * DBOS-WORKER-1 of one name one worker works at a time;
 * DBOS-WORKER-2 a worker that ends at once hands back what it had begun, so that any other may begin it again;
 * DBOS-WORKER-3 one worker at a time starts DBOS on a database: the library makes and changes its tables then, and two
 *    that do so at once break each other off.
 */
import { createClient, enqueuer } from "./dbos-client.ts";
import { openDatabase, type Database } from "./dbos-database.ts";
import { tryLock, holdName, type HeldName } from "./dbos-lock.ts";
import { openLoops } from "./dbos-loops.ts";
import { APPLICATION, DBOS_SCHEMA, VERSION } from "./dbos-names.ts";
import { createRuns } from "./dbos-runs.ts";
import type { DbosSdk } from "./dbos-sdk.ts";
import { makeTables, nextEpoch, tellOf } from "./dbos-tables.ts";
import type { TaskHost } from "./dbos-task.ts";
import { registerWorkflows } from "./dbos-workflows.ts";
import { EngineUnreachable } from "../engine-unreachable.ts";
import { createFigures, type Beat, type WorkerFigures } from "../worker-figures.ts";

export interface DbosWorkerOptions extends Pick<TaskHost, "name" | "open"> {
  /** `postgres://user@host:port/database`. */
  readonly url: string;
  /** Tasks that are performed side by side here. */
  readonly slots: number;
  /** In their order. With some only tasks are taken that ask for some of them. */
  readonly labels?: readonly string[];
  /** How often a task that cannot be performed is begun before it is given up (DBOS-TASK-3); default 6. */
  readonly tries?: number;
  /** Called with what DBOS's library warns of. */
  readonly warn?: (message: string) => void;
}

export interface DbosWorker {
  readonly figures: WorkerFigures;
  tell(beat: Beat): Promise<void>;
  /** Takes nothing new, and settles when what was begun has ended. */
  drain(): Promise<void>;
  /** Ends what is running (DBOS-WORKER-2). */
  close(): Promise<void>;
}

const TRIES = 6;
const CONNECTIONS = 5;

/**
 * One per process: DBOS's library is one.
 * @throws EngineUnreachable when the database cannot be had, or the name (DBOS-WORKER-1)
 */
export async function serveDbosWorker(sdk: DbosSdk, options: DbosWorkerOptions): Promise<DbosWorker> {
  const { name, url, slots, open, tries = TRIES, labels = [], warn = () => {} } = options;
  const ending = new AbortController();
  // One for the loops, whose transactions may wait for each other, and one for DBOS, which never must.
  const [database, engine] = [openDatabase(sdk, url, CONNECTIONS), openDatabase(sdk, url, CONNECTIONS)];
  let held: HeldName | null = null;
  let isReplaced = false;
  let stop = (): void => {};
  const replaced = (): void => {
    if (isReplaced) return;
    isReplaced = true;
    stop();
    warn(`another worker named ${name} has come: this one takes nothing more, and ends nothing of that one's`);
  };
  const release = async (): Promise<void> => {
    await held?.release();
    await Promise.all([database.close(), engine.close()]);
  };
  try {
    held = await nameFor(database, name, warn, replaced);
    await makeTables(database);
    const loops = openLoops({ database, enqueue: enqueuer(sdk, database.pool) });
    const runs = createRuns(loops, name, ending.signal);
    const epoch = await nextEpoch(database, name);
    const figures = createFigures(slots);
    const host: TaskHost = { name, epoch, loops, runs, figures, ending: ending.signal, warn, replaced, open };
    const workflows = registerWorkflows(sdk, host, { slots, tries, labels });
    stop = workflows.stop;
    await launch(sdk, { database, engine }, name, warn);
    const close = once(async () => {
      ending.abort();
      await workflows.still();
      await sdk.DBOS.shutdown({ deregister: true });
      // What bears the name is the other's.
      if (!isReplaced) await handBack(sdk, engine, name, warn);
      await release();
    });
    const drain = async (): Promise<void> => {
      await workflows.drained();
      await close();
    };
    return { figures, tell: (beat) => tellOf(database, beat), drain, close };
  } catch (error) {
    await release();
    throw error;
  }
}

function once(work: () => Promise<void>): () => Promise<void> {
  let begun: Promise<void> | null = null;
  return () => (begun ??= work());
}

/** DBOS-WORKER-1 */
async function nameFor(
  database: Database,
  name: string,
  warn: (message: string) => void,
  taken: () => void,
): Promise<HeldName> {
  const held = await holdName(database, name, warn, { taken });
  if (held !== null) return held;
  throw new EngineUnreachable(
    `a worker named ${name} is already running on ${database.name}`,
    "give each worker a name of its own with --name, always the same one",
  );
}

const TURN_PATIENCE_MS = 120_000;
const TURN_AGAIN_MS = 100;

/** DBOS-WORKER-3. @returns gives the turn to the next one */
async function launchTurn(database: Database): Promise<() => void> {
  for (const end = performance.now() + TURN_PATIENCE_MS; performance.now() < end;) {
    const held = await tryLock(database, "launch", DBOS_SCHEMA);
    if (held !== null) return () => held.release(true);
    await new Promise((resume) => setTimeout(resume, TURN_AGAIN_MS));
  }
  throw new EngineUnreachable(
    `another worker has been starting on ${database.name} for ${TURN_PATIENCE_MS / 1000} s`,
    "end it if it hangs, then start this one again",
  );
}

async function launch(
  sdk: DbosSdk,
  { database, engine: { pool } }: { readonly database: Database; readonly engine: Database },
  name: string,
  warn: (message: string) => void,
): Promise<void> {
  const quiet = (): void => {};
  const reported = onceAMinute((message) => warn(`DBOS: ${message}`));
  sdk.DBOS.setConfig({
    name: APPLICATION,
    // Only shown: the pool has the address.
    systemDatabaseUrl: "postgres://aot@localhost/aot",
    systemDatabasePool: pool,
    systemDatabaseSchemaName: DBOS_SCHEMA,
    executorID: name,
    applicationVersion: VERSION,
    useListenNotify: false,
    logger: { info: quiet, debug: quiet, warn: reported, error: reported },
  });
  try {
    const done = await launchTurn(database);
    await sdk.DBOS.launch().finally(done);
  } catch (error) {
    await sdk.DBOS.shutdown({ deregister: true });
    if (error instanceof EngineUnreachable) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new EngineUnreachable(`DBOS cannot be started on ${database.name}: ${why}`, "see the log of PostgreSQL");
  }
}

const MINUTE_MS = 60_000;
const MOST_REPORTED = 100;

/** While the database is away DBOS says so many times a second. */
function onceAMinute(tell: (message: string) => void): (message: unknown) => void {
  const reported = new Map<string, number>();
  return (said) => {
    const [message = ""] = String(said).split("\n");
    const now = performance.now();
    if (now - (reported.get(message) ?? -MINUTE_MS) < MINUTE_MS) return;
    if (reported.size >= MOST_REPORTED) reported.clear();
    reported.set(message, now);
    tell(message);
  };
}

const HAND_BACK_MS = 15_000;

/**
 * DBOS-WORKER-2: DBOS refuses from now on what this process might still say of them. Its client would wait for the
 * database for ever.
 */
async function handBack(sdk: DbosSdk, engine: Database, name: string, warn: (message: string) => void): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("the database does not answer")), HAND_BACK_MS);
  });
  try {
    await engine.query("SELECT 1");
    await Promise.race([resumeAll(sdk, engine, name), late]);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    warn(`running tasks could not be handed back (${why}): it is begun again when a worker named ${name} starts`);
  } finally {
    clearTimeout(timer);
  }
}

async function resumeAll(sdk: DbosSdk, { pool }: Database, name: string): Promise<void> {
  const client = await createClient(sdk, pool);
  const open = await client.listWorkflows({ executorId: name, status: "PENDING", loadInput: false });
  for (const queue of new Set(open.map(({ queueName }) => queueName))) {
    const ids = open.flatMap(({ queueName, workflowID }) => (queueName === queue ? [workflowID] : []));
    await client.resumeWorkflows(ids, queue === undefined ? {} : { queueName: queue });
  }
}
