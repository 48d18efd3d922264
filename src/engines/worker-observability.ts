/** What a worker shows to those who look on: its figures on a listener, and a word to the engine now and then (SPEC section 13). */
import type { Beat } from "./adapters/worker-beat.ts";
import type { WorkerFigures } from "./adapters/worker-figures.ts";
import { accepted, type Result } from "../core/problem.ts";
import { serveMetrics, workerMetricsText } from "./worker-metrics.ts";

export interface ObservabilityOptions {
  readonly name: string;
  /** Of this program. */
  readonly version?: string;
  readonly slots: number;
  readonly labels?: readonly string[];
  /** Where its figures are read; absent: nowhere. */
  readonly metrics?: { readonly host: string; readonly port: number };
}

/** What a worker is ended with, whichever engine it is of. */
export interface Ending {
  drain(): Promise<void>;
  close(): Promise<void>;
}

export interface Observability extends Ending {
  /** Port of its figures. */
  readonly metrics_port?: number;
}

const BEAT_EVERY_MS = 10_000;

/**
 * The worker's own endings, told and followed by the end of what is shown. Where nothing can be shown the worker is ended.
 * @param tellEngine one that does not answer is told the next time: nothing depends on it
 */
export async function openObservability(
  wish: ObservabilityOptions,
  address: string,
  worker: Ending & { readonly figures: WorkerFigures },
  tellEngine: (beat: Beat) => Promise<void>,
): Promise<Result<Observability>> {
  const { figures } = worker;
  let drains = false;
  const listener =
    wish.metrics === undefined ? null : await serveMetrics(wish.metrics, () => workerMetricsText(figures, drains));
  if (listener?.ok === false) {
    await worker.close();
    return listener;
  }
  const tell = (): Promise<void> => tellEngine(beatOf(wish, address, figures, drains)).catch(() => {});
  const timer = setInterval(() => void tell(), BEAT_EVERY_MS);
  timer.unref();
  void tell();
  const over = async (ended: Promise<void>): Promise<void> => {
    await ended;
    clearInterval(timer);
    await listener?.value.close();
  };
  return accepted({
    ...(listener === null ? {} : { metrics_port: listener.value.port }),
    drain: async () => {
      drains = true;
      await tell();
      await over(worker.drain());
    },
    close: () => over(worker.close()),
  });
}

function beatOf(wish: ObservabilityOptions, address: string, figures: WorkerFigures, draining: boolean): Beat {
  const { name, version = "", slots, labels = [] } = wish;
  const { working, waiting } = figures;
  return { name, version, address, labels, slots, working, waiting, draining };
}
