/** What a worker shows to those who look on: its figures on a listener, and a word to the engine now and then (SPEC section 13). */
import type { Beat } from "../../adapters/engines/worker-beat.ts";
import type { WorkerFigures } from "../../adapters/engines/worker-figures.ts";
import { accepted, type Result } from "../../core/problem.ts";
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

export interface Observability {
  /** Port of its figures. */
  readonly metrics_port?: number;
  /** The worker takes nothing new from now on. */
  draining(): Promise<void>;
  close(): Promise<void>;
}

const BEAT_EVERY_MS = 10_000;

/** @param tellEngine one that does not answer is told the next time: nothing depends on it */
export async function openObservability(
  wish: ObservabilityOptions,
  address: string,
  figures: WorkerFigures,
  tellEngine: (beat: Beat) => Promise<void>,
): Promise<Result<Observability>> {
  let drains = false;
  const listener =
    wish.metrics === undefined ? null : await serveMetrics(wish.metrics, () => workerMetricsText(figures, drains));
  if (listener?.ok === false) return listener;
  const tell = (): Promise<void> => tellEngine(beatOf(wish, address, figures, drains)).catch(() => {});
  const timer = setInterval(() => void tell(), BEAT_EVERY_MS);
  timer.unref();
  void tell();
  return accepted({
    ...(listener === null ? {} : { metrics_port: listener.value.port }),
    draining: async () => {
      drains = true;
      await tell();
    },
    close: async () => {
      clearInterval(timer);
      await listener?.value.close();
    },
  });
}

function beatOf(wish: ObservabilityOptions, address: string, figures: WorkerFigures, draining: boolean): Beat {
  const { name, version = "", slots, labels = [] } = wish;
  const { working, waiting } = figures;
  return { name, version, address, labels, slots, working, waiting, draining };
}
