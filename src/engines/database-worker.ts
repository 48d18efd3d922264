/** A worker that takes its tasks from PostgreSQL, where DBOS has them (SPEC section 13). */
import { loadDbosSdk } from "./adapters/dbos/dbos-sdk.ts";
import { serveDbosWorker } from "./adapters/dbos/dbos-worker.ts";
import { accepted, refused, type Result } from "../core/problem.ts";
import { asking } from "./client.ts";
import type { Places } from "./place.ts";
import { openObservability } from "./worker-observability.ts";
import type { RunningWorker, WorkerOptions } from "./worker-options.ts";

export async function startDatabaseWorker(wish: WorkerOptions, open: Places["open"]): Promise<Result<RunningWorker>> {
  const { ingress: url, name, slots, warn, labels = [] } = wish;
  const loaded = loadDbosSdk();
  if (!loaded.ok) return refused(loaded.message, loaded.hint);
  const served = await asking(() => serveDbosWorker(loaded.sdk, { url, name, slots, labels, open, warn }));
  if (!served.ok) return served;
  const worker = served.value;
  const shown = await openObservability(wish, "", worker, worker.tell);
  return shown.ok ? accepted({ address: null, ...shown.value }) : shown;
}
