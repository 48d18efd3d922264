/** A worker that takes its tasks from PostgreSQL, where DBOS has them (SPEC section 13). */
import { loadDbosSdk } from "../../adapters/engines/dbos/dbos-sdk.ts";
import { serveDbosWorker } from "../../adapters/engines/dbos/dbos-worker.ts";
import { accepted, refused, type Result } from "../../core/problem.ts";
import { asking } from "./engine-client.ts";
import type { Places } from "./engine-place.ts";
import { openOnlookers } from "./worker-onlookers.ts";
import type { RunningWorker, WorkerWish } from "./worker-wish.ts";

export async function startDatabaseWorker(wish: WorkerWish, open: Places["open"]): Promise<Result<RunningWorker>> {
  const { ingress: url, name, slots, warn, labels = [] } = wish;
  const loaded = loadDbosSdk();
  if (!loaded.ok) return refused(loaded.message, loaded.hint);
  const served = await asking(() => serveDbosWorker(loaded.sdk, { url, name, slots, labels, open, warn }));
  if (!served.ok) return served;
  const worker = served.value;
  const onlookers = await openOnlookers(wish, "", worker.figures, worker.tell);
  if (!onlookers.ok) {
    await worker.close();
    return onlookers;
  }
  const { draining, close: closeOnlookers, ...shown } = onlookers.value;
  const drain = async (): Promise<void> => {
    await draining();
    await worker.drain();
    await closeOnlookers();
  };
  const close = async (): Promise<void> => {
    await worker.close();
    await closeOnlookers();
  };
  return accepted({ address: null, ...shown, drain, close });
}
