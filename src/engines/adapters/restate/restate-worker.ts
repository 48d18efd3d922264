/**
 * A worker of loops that Restate hosts: it serves the loops' objects and performs their tasks on this host. Restate calls
 * it, over HTTP/2; who is dead and what is begun again is Restate's to decide.
 */
import { setMaxListeners } from "node:events";
import {
  createServer,
  type Http2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from "node:http2";
import type { ObjectContext, ObjectSharedContext } from "@restatedev/restate-sdk";
import { closeServer, listenOn } from "../../../host/listen.ts";
import { createIngress, type IngressOptions } from "./ingress.ts";
import { createLoopClient } from "./loop-client.ts";
import { loopObject } from "./restate-loop.ts";
import { LOOPS } from "./restate-names.ts";
import type { RestateSdk } from "./restate-sdk.ts";
import { lineObject, taskService, type TaskWorker } from "./restate-task.ts";
import { workersObject } from "./restate-workers.ts";
import { createSlots } from "../slots.ts";
import { countedSlots, createFigures, noteBegun, noteEnded, type WorkerFigures } from "../worker-figures.ts";

export interface WorkerOptions extends Pick<TaskWorker, "name" | "open"> {
  readonly ingress: IngressOptions;
  /** Agents that work side by side here. */
  readonly slots: number;
  /** Where Restate calls this worker. 0: any port that is free. */
  readonly host: string;
  readonly port: number;
  /** Public keys of the Restate servers that may call; none: whoever reaches the port may. */
  readonly identity_keys?: readonly string[];
  /** How often a task that cannot be performed is begun before it is given up (RESTATE-TASK-4); default 6. */
  readonly tries?: number;
  /** Called with what Restate's library warns of. */
  readonly warn?: (message: string) => void;
}

export interface Worker {
  readonly port: number;
  readonly figures: WorkerFigures;
  /** Takes nothing new, and settles when what was begun has ended. `/health` answers 404 from now on, and calls are refused. */
  drain(): Promise<void>;
  /** Ends what is running; the engine has it begun again elsewhere. */
  close(): Promise<void>;
}

const TRIES = 6;
/** To whoever asks for its health: nothing new, but leave what is there (HAProxy: `disable-on-404`). */
const DRAINING = 404;
/** To a call: try another worker. */
const REFUSED = 503;

/** @throws Error when the port cannot be had */
export async function serveWorker(sdk: RestateSdk, options: WorkerOptions): Promise<Worker> {
  const ending = new AbortController();
  // Each task running listens, and there are as many as Restate calls.
  setMaxListeners(0, ending.signal);
  const figures = createFigures(options.slots);
  const worker: TaskWorker = {
    name: options.name,
    open: async (order) => {
      noteBegun(figures, order.task);
      return await options.open(order).catch((error: unknown) => {
        noteEnded(figures, null);
        throw error;
      });
    },
    ended: (report) => noteEnded(figures, report),
    loops: createLoopClient(createIngress(options.ingress), options.name, ending.signal),
    slots: countedSlots(createSlots(options.slots), figures, () => performance.now()),
    line_slots: createSlots(options.slots),
    ending: ending.signal,
    tries: options.tries ?? TRIES,
  };
  const answer = endpointOf(sdk, worker, options);
  let draining = false;
  let open = 0;
  let emptied: () => void = () => {};
  const server = createServer((request: Http2ServerRequest, response: Http2ServerResponse) => {
    // It goes on listening, so that a balancer knows a worker that drains from one that is dead, and cuts no call off.
    if (draining) return void response.writeHead(request.url === "/health" ? DRAINING : REFUSED).end();
    open++;
    response.on("close", () => {
      open--;
      if (open === 0) emptied();
    });
    answer(request, response);
  });
  const sessions = sessionsOf(server);
  const port = await listenOn(server, options.port, options.host);
  return {
    figures,
    port,
    drain: async () => {
      draining = true;
      if (open > 0) await new Promise<void>((resolve) => (emptied = resolve));
      await closeServer(server, () => sessions.forEach((session) => session.close()));
    },
    close: async () => {
      draining = true;
      await closeServer(server, () => {
        ending.abort();
        sessions.forEach((session) => session.destroy());
      });
    },
  };
}

function endpointOf(
  sdk: RestateSdk,
  worker: TaskWorker,
  options: WorkerOptions,
): ReturnType<RestateSdk["createEndpointHandler"]> {
  return sdk.createEndpointHandler({
    services: servicesOf(sdk, worker),
    logger: ({ level }, message, ...more) => {
      if (/warn|error/.test(level)) options.warn?.([message, ...more].map(String).join(" "));
    },
    ...(options.identity_keys === undefined ? {} : { identityKeys: [...options.identity_keys] }),
  });
}

function sessionsOf(server: Http2Server): ReadonlySet<ServerHttp2Session> {
  const sessions = new Set<ServerHttp2Session>();
  server.on("session", (session) => {
    sessions.add(session);
    session.on("close", () => sessions.delete(session));
    // A peer that goes is no defect of ours; its calls are aborted (RESTATE-TASK-3).
    session.on("error", () => {});
  });
  return sessions;
}

function servicesOf(
  sdk: RestateSdk,
  worker: TaskWorker,
): NonNullable<Parameters<RestateSdk["createEndpointHandler"]>[0]["services"]> {
  return [loopObject(sdk), lineObject(sdk, worker), taskService(sdk, worker), namesObject(sdk), workersObject(sdk)];
}

function namesObject(sdk: RestateSdk): ReturnType<RestateSdk["object"]> {
  const NAMES = "names";
  return sdk.object({
    name: LOOPS,
    options: { journalRetention: 0 },
    handlers: {
      add: async (ctx: ObjectContext, name: string): Promise<null> => {
        const names = (await ctx.get<readonly string[]>(NAMES)) ?? [];
        if (!names.includes(name)) ctx.set(NAMES, [...names, name]);
        return null;
      },
      list: sdk.handlers.object.shared(
        async (ctx: ObjectSharedContext): Promise<readonly string[]> => (await ctx.get<readonly string[]>(NAMES)) ?? [],
      ),
    },
  });
}
