/** A worker on this host: it tells the engine where it is called, and performs what it is called for (SPEC section 13). */
import { mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { createOutbox, type Outbox } from "../../adapters/blobs/outbox.ts";
import { registerWorker } from "../../adapters/engines/restate-admin.ts";
import { loadRestateSdk } from "../../adapters/engines/restate-sdk.ts";
import { serveWorker, type Worker } from "../../adapters/engines/restate-worker.ts";
import { accepted, refused, type Result } from "../../core/problem.ts";
import type { BlobStore } from "../../loop/blob-store.ts";
import { tryLockSync } from "../../host/lock.ts";
import { asking } from "./engine-client.ts";
import { createPlaces } from "./engine-place.ts";
import { openOnlookers, type OnlookersWish } from "./worker-onlookers.ts";

export interface WorkerWish extends OnlookersWish {
  /** The engine's admin interface: `http://host:port`, as its ingress. */
  readonly admin: string;
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  /** Where the engine calls it, if not at host and port: the balancer in front of several workers. */
  readonly address?: string;
  /** Its own folder: mirrors of the remotes, and the tasks at work. */
  readonly dir: string;
  /** Where logs of attempts are kept; absent: they are not. */
  readonly blobs?: BlobStore;
  readonly identity_keys?: readonly string[];
  readonly warn: (message: string) => void;
}

export interface RunningWorker {
  readonly address: string;
  /** Port of its figures. */
  readonly metrics_port?: number;
  /** What was begun ends first; nothing new is taken. */
  drain(): Promise<void>;
  /** Ends what is at work; the engine has it begun again elsewhere. */
  close(): Promise<void>;
}

export async function startWorker(wish: WorkerWish): Promise<Result<RunningWorker>> {
  const dir = resolve(wish.dir);
  mkdirSync(dir, { recursive: true });
  const lock = tryLockSync(join(dir, "worker.lock"), { what: "aot worker" });
  if (!lock.ok)
    return refused(`another worker uses the folder ${dir}: ${lock.message}`, "give each its own with --dir");
  // What a worker that was killed left: its tasks are begun again elsewhere.
  rmSync(join(dir, "tasks"), { recursive: true, force: true });
  const loaded = await loadRestateSdk();
  if (!loaded.ok) {
    lock.release();
    return refused(loaded.message, loaded.hint);
  }
  if (loaded.note !== undefined) wish.warn(loaded.note);
  const outbox = await outboxIn(dir, wish);
  const places = createPlaces(dir, outbox);
  const ended = async (): Promise<void> => {
    await places.close();
    await outbox?.close();
    lock.release();
  };
  const token = wish.token === undefined ? {} : { token: wish.token };
  const worker = await served(loaded.sdk, wish, places.open);
  if (!worker.ok) {
    await ended();
    return worker;
  }
  const address = wish.address ?? `http://${wish.host}:${worker.value.port}`;
  const known = await asking(() => registerWorker({ url: wish.admin, ...token }, address));
  const onlookers = known.ok ? await openOnlookers(wish, address, worker.value.figures) : known;
  if (!onlookers.ok) {
    await worker.value.close();
    await ended();
    return onlookers;
  }
  const { draining, close: closeOnlookers, ...shown } = onlookers.value;
  const after = async (done: Promise<void>): Promise<void> => {
    await done;
    await closeOnlookers();
    await ended();
  };
  const drain = async (): Promise<void> => {
    await draining();
    await after(worker.value.drain());
  };
  return accepted({ address, ...shown, drain, close: () => after(worker.value.close()) });
}

/** What a worker that ended left there is sent first. */
async function outboxIn(dir: string, { blobs, warn }: WorkerWish): Promise<Outbox | null> {
  if (blobs === undefined) return null;
  const outbox = createOutbox(join(dir, "logs"), blobs);
  const why = await outbox.sendAll();
  if (why !== null) warn(`logs are not kept now: ${why}; they wait in ${join(dir, "logs")} and are sent again`);
  return outbox;
}

async function served(
  sdk: Parameters<typeof serveWorker>[0],
  wish: WorkerWish,
  open: Parameters<typeof serveWorker>[1]["open"],
): Promise<Result<Worker>> {
  const { name, slots, labels = [], host, port, token, identity_keys, warn } = wish;
  try {
    return accepted(
      await serveWorker(sdk, {
        name,
        slots,
        labels,
        host,
        port,
        open,
        warn,
        ingress: { url: wish.ingress, ...(token === undefined ? {} : { token }) },
        ...(identity_keys === undefined ? {} : { identity_keys }),
      }),
    );
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return refused(`the worker cannot listen on ${host}:${port}: ${why}`, "choose another --listen");
  }
}
