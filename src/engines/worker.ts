/** A worker on this host: it takes its tasks from PostgreSQL, where DBOS has them (SPEC section 13). */
import { removeTree } from "../host/remove-tree.ts";
import { join, resolve } from "node:path";
import { accepted, refused, type Result } from "../core/problem.ts";
import { tryLockSync } from "../host/lock.ts";
import { makeFolder } from "../host/make-folder.ts";
import { setGuardian } from "../host/process.ts";
import { explainWrite } from "../host/write-failure.ts";
import { guardRun } from "../run/guardian.ts";
import { asking } from "./client.ts";
import { createPlaces, type Places } from "./place.ts";
import { openObservability, type ObservabilityOptions } from "./worker-observability.ts";
import { loadDbosSdk } from "./adapters/dbos/dbos-sdk.ts";
import { serveDbosWorker } from "./adapters/dbos/dbos-worker.ts";
import type { SandboxTerms } from "../verify/sandbox.ts";

export async function startWorker(request: WorkerOptions): Promise<Result<RunningWorker>> {
  const dir = resolve(request.dir);
  try {
    makeFolder(dir);
  } catch (error) {
    const { message, hint } = explainWrite(dir, error);
    return refused(message, hint);
  }
  const lock = tryLockSync(join(dir, "worker.lock"), { what: "aot worker", lasting: true });
  if (!lock.ok)
    return refused(`another worker uses the folder ${dir}: ${lock.message}`, "give each its own with --dir");
  // Agents of a worker that is killed end with it; those of one that was killed just now are waited for.
  const guardian = await guardRun(dir, true);
  setGuardian(guardian);
  // What a worker that was killed left: its tasks are begun again elsewhere.
  if (!(await removeTree(join(dir, "tasks")))) request.warn(`what an earlier worker left in ${dir} cannot be removed`);
  const places = createPlaces(dir, request.warn, request.sandbox);
  const after = async (done: Promise<void>): Promise<void> => {
    await done;
    await places.close();
    setGuardian(null);
    guardian.close();
    lock.release();
  };
  const begun = await startDatabaseWorker(request, places);
  if (!begun.ok) {
    await after(Promise.resolve());
    return begun;
  }
  const { drain, close, ...shown } = begun.value;
  return accepted({ ...shown, drain: () => after(drain()), close: () => after(close()) });
}

async function startDatabaseWorker(request: WorkerOptions, places: Places): Promise<Result<RunningWorker>> {
  const { engine: url, name, slots, warn } = request;
  const loaded = loadDbosSdk();
  if (!loaded.ok) return refused(loaded.message, loaded.hint);
  const served = await asking(() => serveDbosWorker(loaded.sdk, { url, name, slots, open: places.open, warn }));
  if (!served.ok) return served;
  const worker = served.value;
  return await openObservability(request, { ...worker, heldUp: places.heldUp }, worker.tell);
}

export interface WorkerOptions extends ObservabilityOptions {
  /** The engine: the address of its database. */
  readonly engine: string;
  /** Its own folder: mirrors of the remotes, and the tasks running. */
  readonly dir: string;
  /** What confines the attempts of all loops: this host's matter, not that of who submits a loop. Absent: nothing. */
  readonly sandbox?: SandboxTerms;
  readonly warn: (message: string) => void;
}

export interface RunningWorker {
  readonly metrics_port?: number;
  /** What was begun ends first; nothing new is taken. */
  drain(): Promise<void>;
  /** Ends what is running; the engine has it begun again elsewhere. */
  close(): Promise<void>;
}
