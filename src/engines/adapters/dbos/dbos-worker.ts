/**
 * A worker of loops that DBOS hosts on PostgreSQL: it takes tasks from the database and performs them on this host. Nobody
 * calls it. What it had begun when it died, hung or was cut off another worker begins again (DBOS-LEASE-1).
 *
 * DBOS-WORKER-1 a worker that was given up and is alive ends what it had begun, and joins anew;
 * DBOS-WORKER-2 a worker that ends at once hands back what it had begun, so that any other may begin it again;
 * DBOS-WORKER-3 one worker at a time starts DBOS on a database: the library makes and changes its tables then, and two
 *    that do so at once break each other off.
 */
import { randomUUID } from "node:crypto";
import { createClient, enqueuer } from "./dbos-client.ts";
import { openDatabase, type Database } from "./dbos-database.ts";
import { giveUpLease, holdLease, LEASE_MS, type Lease } from "./dbos-lease.ts";
import { tryLock } from "./dbos-lock.ts";
import { openLoops } from "./dbos-loops.ts";
import { APPLICATION, DBOS_SCHEMA, VERSION } from "./dbos-names.ts";
import { createRuns } from "./dbos-runs.ts";
import type { DbosSdk } from "./dbos-sdk.ts";
import { makeTables, tellOf } from "./dbos-tables.ts";
import type { TaskHost } from "./dbos-task.ts";
import { registerWorkflows } from "./dbos-workflows.ts";
import { EngineUnreachable } from "../engine-unreachable.ts";
import { createFigures, type Beat, type WorkerFigures } from "../worker-figures.ts";

export interface DbosWorkerOptions extends Pick<TaskHost, "name" | "open"> {
  /** `postgres://user@host:port/database`. */
  readonly url: string;
  /** Tasks that are performed side by side here. */
  readonly slots: number;
  /** How often a task that cannot be performed is begun before it is given up (DBOS-TASK-3); default 6. */
  readonly tries?: number;
  /** How long a worker may be silent before its tasks are another's, milliseconds; the same for all of a database. */
  readonly lease_ms?: number;
  /** Called with what a person should know. */
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

const JOIN_TRIES = 6;
const MOST_CONNECTIONS = 5;
const JOIN_AGAIN_MS = 1_000;

/**
 * One per process: DBOS's library is one.
 * @throws EngineUnreachable when the database cannot be had
 */
export async function serveDbosWorker(sdk: DbosSdk, options: DbosWorkerOptions): Promise<DbosWorker> {
  const { name, slots, warn = () => {} } = options;
  const figures = createFigures(slots);
  const wanted = new AbortController();
  let joining: Promise<void> = Promise.resolve();
  /** DBOS-WORKER-1 */
  const rejoin = async (): Promise<void> => {
    warn(`the worker ${name} was silent for too long, and others have its tasks: it ends them here and joins anew`);
    await member.close(false);
    while (!wanted.signal.aborted) {
      try {
        member = await join(sdk, options, figures, lost);
        return;
      } catch (error) {
        if (!(error instanceof EngineUnreachable)) throw error;
        await new Promise((resume) => setTimeout(resume, JOIN_AGAIN_MS));
      }
    }
  };
  const lost = (): void => void (joining = joining.then(rejoin));
  let member = await join(sdk, options, figures, lost);
  const ended = async (end: (of: Member) => Promise<void>): Promise<void> => {
    wanted.abort();
    await joining;
    await end(member);
  };
  return {
    figures,
    tell: (beat) => member.tell(beat),
    drain: () => ended((of) => of.drain()),
    close: () => ended((of) => of.close(true)),
  };
}

/** A worker from when it joins until it ends or is given up. */
interface Member extends Pick<DbosWorker, "tell" | "drain"> {
  /** Said again, it does nothing. @param handsBack DBOS-WORKER-2; one that was given up has nothing */
  close(handsBack: boolean): Promise<void>;
}

async function join(
  sdk: DbosSdk,
  options: DbosWorkerOptions,
  figures: WorkerFigures,
  lost: () => void,
): Promise<Member> {
  const { name, url, slots, open, tries = JOIN_TRIES, lease_ms = LEASE_MS, warn = () => {} } = options;
  const id = `${name}#${randomUUID()}`;
  const ending = new AbortController();
  // One for the loops, whose transactions may wait for each other, and one for DBOS, which never must.
  const [database, engine] = [openDatabase(sdk, url, MOST_CONNECTIONS), openDatabase(sdk, url, MOST_CONNECTIONS)];
  let lease: Lease | null = null;
  const release = async (): Promise<void> => {
    lease?.end();
    await Promise.all([database.close(), engine.close()]);
  };
  let left = false;
  const replaced = (): void => {
    if (!left) lost();
    left = true;
  };
  try {
    await makeTables(database);
    const loops = openLoops({ database, enqueue: enqueuer(sdk, database.pool) });
    const runs = createRuns(loops, id, ending.signal);
    const host: TaskHost = { name, id, loops, runs, figures, ending: ending.signal, warn, replaced, open };
    const workflows = registerWorkflows(sdk, host, { slots, tries });
    const takeOver = (ids: readonly string[]): Promise<void> => resumeAll(sdk, engine, ids);
    // Before anything can be taken: who takes without a lease would be given up at once. By connections that wait for nobody.
    lease = await holdLease({ database: engine, id, name, lease_ms, takeOver, lost: replaced, warn });
    await launch(sdk, { database, engine }, id, warn);
    const close = once(async (handsBack: boolean) => {
      left = true;
      workflows.stop();
      ending.abort();
      await workflows.still();
      await sdk.DBOS.shutdown({ deregister: true });
      if (handsBack) await handBack(sdk, engine, id, warn);
      await release();
    });
    const drain = async (): Promise<void> => {
      await workflows.drained();
      await close(true);
    };
    return { tell: (beat) => tellOf(database, id, beat), drain, close };
  } catch (error) {
    await release();
    throw error;
  }
}

function once<A>(work: (argument: A) => Promise<void>): (argument: A) => Promise<void> {
  let begun: Promise<void> | null = null;
  return (argument) => (begun ??= work(argument));
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
  id: string,
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
    executorID: id,
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
async function handBack(sdk: DbosSdk, engine: Database, id: string, warn: (message: string) => void): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("the database does not answer")), HAND_BACK_MS);
  });
  try {
    await giveUpLease(engine, id);
    await Promise.race([resumeAll(sdk, engine, [id]), late]);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    warn(`running tasks could not be handed back (${why}): another worker begins them again later`);
  } finally {
    clearTimeout(timer);
  }
}

async function resumeAll(sdk: DbosSdk, { pool }: Database, executors: readonly string[]): Promise<void> {
  const client = await createClient(sdk, pool);
  for (const executorId of executors) {
    const open = await client.listWorkflows({ executorId, status: "PENDING", loadInput: false });
    for (const queue of new Set(open.map(({ queueName }) => queueName))) {
      const ids = open.flatMap(({ queueName, workflowID }) => (queueName === queue ? [workflowID] : []));
      await client.resumeWorkflows(ids, queue === undefined ? {} : { queueName: queue });
    }
  }
}
