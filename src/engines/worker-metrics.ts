/** A worker's figures as Prometheus reads them, on a listener of their own (docs/engine-operation.md). */
import { createServer } from "node:http";
import { WAIT_BOUNDS_S, type WorkerFigures } from "./adapters/worker-figures.ts";
import { closeServer, listenOn } from "../host/listen.ts";
import { accepted, refused, type Result } from "../core/problem.ts";
import { byKey, metricsText, one, type Metric } from "./metrics-text.ts";

export interface MetricsListener {
  readonly port: number;
  close(): Promise<void>;
}

/** `GET /metrics`, and nothing else. @param port 0: any that is free */
export async function serveMetrics(
  at: { readonly host: string; readonly port: number },
  text: () => string,
): Promise<Result<MetricsListener>> {
  const server = createServer((request, response) => {
    const found = request.method === "GET" && request.url === "/metrics";
    response.writeHead(found ? 200 : 404, { "content-type": "text/plain; version=0.0.4" });
    response.end(found ? text() : "GET /metrics\n");
  });
  server.maxConnections = 64;
  server.requestTimeout = 10_000;
  try {
    const port = await listenOn(server, at.port, at.host);
    return accepted({ port, close: () => closeServer(server, () => server.closeAllConnections()) });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return refused(`figures cannot be served on ${at.host}:${at.port}: ${why}`, "choose another --metrics");
  }
}

export function workerMetricsText(figures: WorkerFigures, draining: boolean): string {
  const { slots, working, waiting, begun, ended, wait } = figures;
  return metricsText([
    gauge("aot_worker_slots", "Tasks that can be worked here at a time.", slots),
    gauge("aot_worker_tasks_working", "Tasks that hold a slot.", working),
    gauge("aot_worker_tasks_waiting", "Tasks that wait for a slot.", waiting),
    gauge("aot_worker_draining", "1: it takes nothing new, and ends when what it began has ended.", draining ? 1 : 0),
    {
      name: "aot_worker_tasks_begun_total",
      help: "Tasks begun here, by what they are for. More than ended: some are at work, or were begun again elsewhere.",
      type: "counter",
      samples: byKey(begun).map(([kind, value]) => [{ kind }, value]),
    },
    {
      name: "aot_worker_tasks_ended_total",
      help: "Tasks that ended here, by how; thrown: the place of work could not be had, and it is tried again.",
      type: "counter",
      samples: byKey(ended).map(([outcome, value]) => [{ outcome }, value]),
    },
    {
      name: "aot_worker_slot_wait_seconds",
      help: "How long tasks waited for a slot.",
      type: "histogram",
      samples: [
        ...WAIT_BOUNDS_S.map((bound, index) => [{ le: String(bound) }, wait.counts[index] ?? 0, "_bucket"] as const),
        [{ le: "+Inf" }, wait.count, "_bucket"],
        [{}, wait.sum, "_sum"],
        [{}, wait.count, "_count"],
      ],
    },
  ]);
}

const gauge = (name: string, help: string, value: number): Metric => one(name, "gauge", help, value);
