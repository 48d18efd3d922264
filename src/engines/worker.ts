/** A worker on this host: it performs what the engine has for it, called by the engine or by itself (SPEC section 13). */
import { removeTree } from "../host/remove-tree.ts";
import { join, resolve } from "node:path";
import { createDbosEngine } from "./adapters/dbos/dbos-engine.ts";
import { createOutbox, type Outbox } from "./blobs/outbox.ts";
import { databaseName } from "./adapters/dbos/dbos-names.ts";
import { createIngress } from "./adapters/restate/ingress.ts";
import { registerWorker, standIn } from "./adapters/restate/restate-admin.ts";
import { createRestateEngine, tellOfWorker } from "./adapters/restate/restate-engine.ts";
import { loadRestateSdk } from "./adapters/restate/restate-sdk.ts";
import { serveWorker, type Worker } from "./adapters/restate/restate-worker.ts";

import { accepted, refused, type Result } from "../core/problem.ts";
import { tryLockSync } from "../host/lock.ts";
import { makeFolder } from "../host/make-folder.ts";
import { setGuardian } from "../host/process.ts";
import { explainWrite } from "../host/write-failure.ts";
import { guardRun } from "../run/guardian.ts";
import { authorityOf } from "./server.ts";
import { asking } from "./client.ts";
import { createPlaces, type Places } from "./place.ts";
import { openObservability } from "./worker-observability.ts";
import type { RunningWorker, WorkerOptions } from "./worker-options.ts";
import { loadDbosSdk } from "./adapters/dbos/dbos-sdk.ts";
import { serveDbosWorker } from "./adapters/dbos/dbos-worker.ts";

export type { RunningWorker, WorkerOptions };

/** A balancer notices a worker at its next check. */
const BALANCER_MS = 10_000;

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
  const outbox = await outboxIn(dir, request);
  const places = createPlaces(dir, outbox, request.warn, request.sandbox);
  const after = async (done: Promise<void>): Promise<void> => {
    await done;
    await places.close();
    await outbox?.close();
    setGuardian(null);
    guardian.close();
    lock.release();
  };
  const start = databaseName(request.ingress) === null ? startCalledWorker : startDatabaseWorker;
  const begun = await start(request, places);
  if (!begun.ok) {
    await after(Promise.resolve());
    return begun;
  }
  const { drain, close, ...shown } = begun.value;
  return accepted({ ...shown, drain: () => after(drain()), close: () => after(close()) });
}

/** One that Restate calls. */
async function startCalledWorker(request: WorkerOptions, places: Places): Promise<Result<RunningWorker>> {
  const loaded = await loadRestateSdk();
  if (!loaded.ok) return refused(loaded.message, loaded.hint);
  if (loaded.note !== undefined) request.warn(loaded.note);
  const token = request.token === undefined ? {} : { token: request.token };
  const worker = await served(loaded.sdk, request, places.open);
  if (!worker.ok) return worker;
  const address = request.address ?? `http://${authorityOf(request.host, worker.value.port)}`;
  const patience = request.address === undefined ? 0 : BALANCER_MS;
  const known = await asking(() => registerWorker({ url: request.admin, ...token }, address, patience));
  if (!known.ok) {
    await worker.value.close();
    return known;
  }
  // With a balancer in front somebody always answers there.
  const leave = standIn({ admin: { url: request.admin, ...token }, address, warn: request.warn });
  const ingress = createIngress({ url: request.ingress, ...token });
  const shown = await openObservability(
    request,
    {
      ...worker.value,
      address,
      heldUp: places.heldUp,
      openEngine: () => createRestateEngine({ url: request.ingress, ...token }),
    },
    (beat) => tellOfWorker(ingress, beat),
  );
  if (!shown.ok) {
    leave();
    return shown;
  }
  const { drain, close, ...rest } = shown.value;
  const left = async (ended: Promise<void>): Promise<void> => {
    leave();
    await ended;
  };
  return accepted({ address, ...rest, drain: () => left(drain()), close: () => left(close()) });
}

/** What a worker that ended left there is sent first. */
async function outboxIn(dir: string, { blobs, warn }: WorkerOptions): Promise<Outbox | null> {
  if (blobs === undefined) return null;
  const outbox = createOutbox(join(dir, "logs"), blobs);
  const why = await outbox.sendAll();
  if (why !== null) warn(`logs are not kept now: ${why}; they wait in ${join(dir, "logs")} and are sent again`);
  return outbox;
}

async function served(
  sdk: Parameters<typeof serveWorker>[0],
  request: WorkerOptions,
  open: Parameters<typeof serveWorker>[1]["open"],
): Promise<Result<Worker>> {
  const { name, slots, host, port, token, identity_keys, warn } = request;
  try {
    return accepted(
      await serveWorker(sdk, {
        name,
        slots,
        host,
        port,
        open,
        warn,
        ingress: { url: request.ingress, ...(token === undefined ? {} : { token }) },
        ...(identity_keys === undefined ? {} : { identity_keys }),
      }),
    );
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return refused(`the worker cannot listen on ${host}:${port}: ${why}`, "choose another --listen");
  }
}

// A worker that takes its tasks from PostgreSQL, where DBOS has them (SPEC section 13).

async function startDatabaseWorker(request: WorkerOptions, places: Places): Promise<Result<RunningWorker>> {
  const { ingress: url, name, slots, warn } = request;
  const loaded = loadDbosSdk();
  if (!loaded.ok) return refused(loaded.message, loaded.hint);
  const served = await asking(() => serveDbosWorker(loaded.sdk, { url, name, slots, open: places.open, warn }));
  if (!served.ok) return served;
  const worker = served.value;
  const shown = await openObservability(
    request,
    { ...worker, address: "", heldUp: places.heldUp, openEngine: () => createDbosEngine(url) },
    worker.tell,
  );
  return shown.ok ? accepted({ address: null, ...shown.value }) : shown;
}
