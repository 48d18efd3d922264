/** A worker that takes its tasks from PostgreSQL, where DBOS has them (SPEC section 13). */
import { loadDbosSdk } from "../../adapters/engines/dbos/dbos-sdk.ts";
import { serveDbosWorker } from "../../adapters/engines/dbos/dbos-worker.ts";
import { accepted, refused, type Result } from "../../core/problem.ts";
import { asking } from "./engine-client.ts";
import type { Places } from "./engine-place.ts";
import { openObservability } from "./worker-observability.ts";
import type { RunningWorker, WorkerOptions } from "./worker-options.ts";

export async function startDatabaseWorker(wish: WorkerOptions, open: Places["open"]): Promise<Result<RunningWorker>> {
  const { ingress: url, name, slots, warn, labels = [] } = wish;
  const loaded = loadDbosSdk();
  if (!loaded.ok) return refused(loaded.message, loaded.hint);
  const served = await asking(() => serveDbosWorker(loaded.sdk, { url, name, slots, labels, open, warn }));
  if (!served.ok) return served;
  const worker = served.value;
  const observability = await openObservability(wish, "", worker.figures, worker.tell);
  if (!observability.ok) {
    await worker.close();
    return observability;
  }
  const { draining, close: closeObservability, ...shown } = observability.value;
  const drain = async (): Promise<void> => {
    await draining();
    await worker.drain();
    await closeObservability();
  };
  const close = async (): Promise<void> => {
    await worker.close();
    await closeObservability();
  };
  return accepted({ address: null, ...shown, drain, close });
}
