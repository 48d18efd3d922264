/**
 * What a worker shows to those who watch: its figures on a listener, and a word to the engine now and then (SPEC
 * section 13).
 */
import type { Beat, WorkerFigures } from "./adapters/worker-figures.ts";
import { accepted, refused, type Result } from "../core/problem.ts";
import { createServer } from "node:http";
import { closeServer, listenOn } from "../host/listen.ts";
import type { HeldUp } from "../loop/engine.ts";

export interface ObservabilityOptions {
  readonly name: string;
  /** Of this program. */
  readonly version?: string;
  readonly slots: number;
  /** Where its figures are read; absent: nowhere. */
  readonly metrics?: { readonly host: string; readonly port: number };
}

/** What a worker is ended with. */
export interface Ending {
  drain(): Promise<void>;
  close(): Promise<void>;
}

interface Observed {
  readonly figures: WorkerFigures;
  heldUp(): readonly HeldUp[];
}

export interface Observability extends Ending {
  /** Port of its figures. */
  readonly metrics_port?: number;
}

const BEAT_EVERY_MS = 10_000;
const MOST_HELD_UP = 50;

/**
 * The worker's own endings, reported and followed by the end of what is shown. Where nothing can be shown the worker is
 * ended.
 * @param tellEngine one that does not answer is tried again the next time: nothing depends on it
 */
export async function openObservability(
  asked: ObservabilityOptions,
  worker: Ending & Observed,
  tellEngine: (beat: Beat) => Promise<void>,
): Promise<Result<Observability>> {
  const { figures, heldUp } = worker;
  let drains = false;
  const listener =
    asked.metrics === undefined
      ? null
      : await serveMetrics(asked.metrics, () => workerMetricsText(figures, heldUp().length, drains));
  if (listener?.ok === false) {
    await worker.close();
    return listener;
  }
  const tell = (): Promise<void> => tellEngine(beatOf(asked, worker, drains)).catch(() => {});
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

function beatOf(asked: ObservabilityOptions, { figures, heldUp }: Observed, draining: boolean): Beat {
  const { name, version = "", slots } = asked;
  const held_up = heldUp().slice(0, MOST_HELD_UP);
  const held = held_up.length === 0 ? {} : { held_up };
  return { name, version, slots, working: figures.working, ...held, draining };
}

// A worker's figures as Prometheus reads them, on a listener of their own (docs/engine-operation.md).

interface MetricsListener {
  readonly port: number;
  close(): Promise<void>;
}

/** @param text what GET /metrics answers; nothing else is there. @param port 0: any that is free */
export async function serveMetrics(
  at: { readonly host: string; readonly port: number },
  text: () => string,
): Promise<Result<MetricsListener>> {
  const server = createServer(({ method, url }, response) => {
    const isAsked = method === "GET" && url === "/metrics";
    response.writeHead(isAsked ? 200 : 404, { "content-type": "text/plain; version=0.0.4" });
    response.end(isAsked ? text() : "GET /metrics\n");
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

export function workerMetricsText(figures: WorkerFigures, heldUp: number, draining: boolean): string {
  const { slots, working, begun, ended } = figures;
  return [
    metric("aot_worker_slots", "gauge", "Tasks that can be worked here at a time.", { "": slots }),
    metric("aot_worker_tasks_working", "gauge", "Tasks that are performed.", { "": working }),
    metric("aot_worker_tasks_held_up", "gauge", "Tasks that wait for their remote.", { "": heldUp }),
    metric("aot_worker_draining", "gauge", "1: it takes nothing new, and ends when what it began has ended.", {
      "": draining ? 1 : 0,
    }),
    metric(
      "aot_worker_tasks_begun_total",
      "counter",
      "Tasks begun here, by what they are for. More than ended: some are running, or were begun again elsewhere.",
      labelled("kind", begun),
    ),
    metric(
      "aot_worker_tasks_ended_total",
      "counter",
      "Tasks that ended here, by how; thrown: the place of work could not be had, and it is tried again.",
      labelled("outcome", ended),
    ),
  ].join("");
}

/** @param samples by their labels in braces */
function metric(
  name: string,
  type: "gauge" | "counter",
  help: string,
  samples: Readonly<Record<string, number>>,
): string {
  const lines = Object.entries(samples).map(([labels, value]) => `${name}${labels} ${value}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}

/** Keys are words of closed lists: nothing in them needs an escape. */
function labelled(label: string, counts: ReadonlyMap<string, number>): Readonly<Record<string, number>> {
  const sorted = [...counts].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(sorted.map(([key, value]) => [`{${label}="${key}"}`, value]));
}
