/** Loops hosted by Restate, as people and commands speak to it (contract ENGINE-1 to 3 of the port). */
import type { Answer, Engine, LoopView, WorkerView } from "../../../loop/engine.ts";
import { readSignal } from "../../../loop/read-request.ts";
import { refusalOf } from "../../../loop/signal-loop.ts";
import { createIngress, type Ingress, type IngressOptions } from "./ingress.ts";
import { REPLACED_MS } from "./restate-admin.ts";
import { ALL, LOOP, LOOPS, PATIENCE } from "./restate-names.ts";
import { WORKERS } from "./restate-workers.ts";
import type { Beat } from "../worker-figures.ts";

/**
 * A worker answers what a loop is asked. Where it has just died, another takes its place, and Restate calls that one at its
 * next try.
 */
const ANSWERED_MS = REPLACED_MS + 2 * PATIENCE.maxInterval;

/** Its methods reject with `EngineUnreachable`. */
export function createRestateEngine(options: IngressOptions): Engine {
  const { call, close } = createIngress({ timeout_ms: ANSWERED_MS, ...options });
  const path = (loop: string, handler: string): string => `/${LOOP}/${encodeURIComponent(loop)}/${handler}`;
  return {
    name: nameOf(options.url),
    start: async (loop, spec) => {
      // Its name first: a loop that nobody lists would be running unseen.
      await call(`/${LOOPS}/${ALL}/add`, loop);
      return (await call(path(loop, "start"), spec)) as Answer;
    },
    signal: async (loop, signal) => {
      // What does not fit may not even fit into a message.
      const request = readSignal(signal);
      return request.ok ? ((await call(path(loop, "signal"), request.value)) as Answer) : refusalOf(request.problems);
    },
    view: async (loop) => {
      const view = (await call(path(loop, "view"))) as LoopView | null;
      return view === null ? null : { ...view, engine: nameOf(options.url) };
    },
    loops: async () => (await call(`/${LOOPS}/${ALL}/list`)) as readonly string[],
    journal: async (loop, from) => (await call(path(loop, "journal"), from)) as readonly unknown[],
    workers: async () => (await call(`/${WORKERS}/${ALL}/list`)) as readonly WorkerView[],
    close: async () => close(),
  };
}

/** What a worker says of itself. @throws EngineUnreachable */
export async function tellOfWorker({ call }: Ingress, beat: Beat): Promise<void> {
  await call(`/${WORKERS}/${ALL}/seen`, beat);
}

/** `http://127.0.0.1:8080` is `restate://127.0.0.1:8080`, and over TLS `restates://`: a state file names its owner so. */
function nameOf(url: string): string {
  const { protocol, host } = new URL(url);
  return `${protocol === "https:" ? "restates" : "restate"}://${host}`;
}
