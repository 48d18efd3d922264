/**
 * What is before a Restate server, whose own interfaces ask nobody who they are (SPEC section 13): a small reverse
 * proxy that lets in who bears a token, to what the token is for.
 *
 * FRONT-1 nothing but `front-routes.ts` lists is passed on, and of a request nothing but its address, type and body;
 * FRONT-2 who is asked is fixed: no request can name a host;
 * FRONT-3 a body is read only behind the token, and no further than its route allows;
 * FRONT-4 headers, bodies, silence and connections are bounded; whatever comes in, the front goes on.
 */
import { readFileSync, statSync } from "node:fs";
import { Agent, createServer, request as ask, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer, type Server as SecureServer } from "node:https";
import type { Socket } from "node:net";
import { closeServer, listenOn } from "../../../host/listen.ts";
import { mayUse, routeOf, type Route } from "./front-routes.ts";
import type { TokenFile } from "./front-tokens.ts";

export interface FrontOptions {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  /** Paths of PEM files; they are read again when they changed. */
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly tokens: TokenFile;
  /** The server's own addresses, `http://127.0.0.1:port`. */
  readonly ingress: string;
  readonly admin: string;
  /** What `GET /metrics` says. */
  readonly metrics: () => Promise<string>;
  /** Sees every answer. Must not throw. */
  readonly watch?: (answered: { readonly route: string; readonly status: number }) => void;
  /** How long a request may take to arrive, milliseconds. */
  readonly arrive_ms?: number;
  /** How long nothing may come from the server behind, milliseconds. */
  readonly answer_ms?: number;
}

export interface Front {
  readonly port: number;
  close(): Promise<void>;
}

const ARRIVE_MS = 30_000;
const ANSWER_MS = 60_000;
const MOST_HEADER_BYTES = 16 * 1024;
const MOST_CONNECTIONS = 2_000;

/** @throws Error when it cannot listen there, or the certificate cannot be read */
export async function openFront(options: FrontOptions): Promise<Front> {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const server = serverOf(options, (request, response) => void answer(options, agent, request, response));
  server.headersTimeout = Math.min(options.arrive_ms ?? ARRIVE_MS, 15_000);
  server.requestTimeout = options.arrive_ms ?? ARRIVE_MS;
  server.timeout = (options.answer_ms ?? ANSWER_MS) * 2;
  server.maxConnections = MOST_CONNECTIONS;
  server.on("clientError", refuseGarbage);
  // A peer that wants another protocol, or a tunnel, has come to the wrong place.
  for (const event of ["connect", "upgrade"])
    server.on(event, (_: IncomingMessage, socket: Socket) => {
      socket.on("error", () => {});
      socket.end("HTTP/1.1 405 Method Not Allowed\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    });
  const port = await listenOn(server, options.port, options.host);
  server.on("error", () => {});
  const cut = (): void => {
    server.closeAllConnections();
    agent.destroy();
  };
  return { port, close: () => closeServer(server, cut) };
}

function serverOf(
  { tls, arrive_ms = ARRIVE_MS }: FrontOptions,
  then: (request: IncomingMessage, response: ServerResponse) => void,
): Server | SecureServer {
  const bounds = { maxHeaderSize: MOST_HEADER_BYTES, connectionsCheckingInterval: Math.min(1_000, arrive_ms) };
  if (tls === undefined) return createServer(bounds, then);
  const read = (): { cert: Buffer; key: Buffer } => ({ cert: readFileSync(tls.cert), key: readFileSync(tls.key) });
  let mark = markOf(tls);
  const server = createSecureServer({ ...bounds, ...read(), minVersion: "TLSv1.2", handshakeTimeout: 10_000 }, then);
  server.on("tlsClientError", (_, socket) => socket.destroy());
  server.prependListener("connection", () => {
    const now = markOf(tls);
    if (now === mark) return;
    try {
      server.setSecureContext({ ...read(), minVersion: "TLSv1.2" });
      mark = now;
    } catch {
      // Half a renewal: the next connection looks again, this one has the old certificate.
    }
  });
  return server;
}

function markOf(tls: { readonly cert: string; readonly key: string }): string {
  return [tls.cert, tls.key]
    .map((path) => statSync(path, { throwIfNoEntry: false }))
    .map((stats) => `${stats?.mtimeMs} ${stats?.size} ${stats?.ino}`)
    .join();
}

/** FRONT-4. Never rejects. */
async function answer(
  options: FrontOptions,
  agent: Agent,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { url = "/", method = "" } = request;
  const route = routeOf(method, url);
  response.on("finish", () => options.watch?.({ route: route?.name ?? "none", status: response.statusCode }));
  request.on("error", () => {});
  response.on("error", () => {});
  try {
    const client = options.tokens.clientOf(request.headers.authorization);
    if (client === null && route?.right !== null)
      return refuse(response, 401, "no token, or none that is known here", "set AOT_ENGINE_TOKEN to a client's token");
    if (route === null) return refuse(response, 404, `there is nothing at ${method} ${url.slice(0, 200)}`, SEE);
    if (client !== null && !mayUse(client.right, route.right))
      return refuse(
        response,
        403,
        `the token of ${client.name} is for ${client.right}, and this is for ${route.right}`,
        `ask for a token that may ${route.right}`,
      );
    if (Number(request.headers["content-length"] ?? 0) > route.most) return tooLarge(response, route);
    if (route.to === "metrics") return send(response, 200, "text/plain; version=0.0.4", await options.metrics());
    await passOn(options, agent, route, { request, response });
  } catch (error) {
    refuse(response, 502, error instanceof Error ? error.message : String(error), "see the server's log");
  }
}

/** FRONT-1, FRONT-2 */
function passOn(
  options: FrontOptions,
  agent: Agent,
  route: Route,
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
): Promise<void> {
  const base = route.to === "admin" ? options.admin : options.ingress;
  const path = route.to === "health" ? "/restate/health" : (request.url ?? "/");
  const length = request.headers["content-length"];
  const type = request.headers["content-type"];
  const headers = {
    ...(type === undefined ? {} : { "content-type": type }),
    ...(length === undefined ? {} : { "content-length": length }),
  };
  return new Promise((resolve) => {
    const onward = ask(`${base}${path}`, { method: request.method ?? "GET", headers, agent });
    onward.setTimeout(options.answer_ms ?? ANSWER_MS, () =>
      onward.destroy(new Error("the server behind did not answer in time")),
    );
    onward.on("error", (error) => {
      refuse(response, 502, `the server behind cannot be asked: ${error.message}`, "see its log; ask once more");
      resolve();
    });
    onward.on("response", (reply) => {
      const kind = reply.headers["content-type"];
      response.writeHead(reply.statusCode ?? 502, {
        ...HEADERS,
        ...(kind === undefined ? {} : { "content-type": kind }),
      });
      reply.on("error", () => response.destroy());
      reply.pipe(response);
    });
    // Whoever asked is gone: nobody waits for the answer.
    response.on("close", () => {
      onward.destroy();
      resolve();
    });
    pour(request, onward, route.most, () => {
      tooLarge(response, route);
      onward.destroy();
    });
  });
}

/** FRONT-3 */
function pour(from: IncomingMessage, to: ReturnType<typeof ask>, most: number, over: () => void): void {
  let size = 0;
  from.on("data", (part: Buffer) => {
    size += part.length;
    if (size > most) {
      from.removeAllListeners("data");
      from.resume();
      return over();
    }
    if (!to.write(part)) {
      from.pause();
      to.once("drain", () => from.resume());
    }
  });
  from.on("end", () => to.end());
  from.on("close", () => {
    if (!from.complete) to.destroy();
  });
}

const SEE = "see docs/engine-operation.md";

const HEADERS = { "cache-control": "no-store", "x-content-type-options": "nosniff" } as const;

function send(response: ServerResponse, status: number, type: string, text: string): void {
  response.writeHead(status, { ...HEADERS, "content-type": type });
  response.end(text);
}

function refuse(response: ServerResponse, status: number, message: string, hint: string): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  response.shouldKeepAlive = false;
  if (status === 401) response.setHeader("www-authenticate", 'Bearer realm="aot"');
  send(response, status, "application/json", `${JSON.stringify({ message, hint })}\n`);
}

function tooLarge(response: ServerResponse, { name, most }: Route): void {
  refuse(response, 413, `${name} takes at most ${most} bytes`, "keep large things out of the loop's state");
}

function refuseGarbage(error: Error & { code?: string }, socket: Socket): void {
  socket.on("error", () => {});
  if (!socket.writable || error.code === "ECONNRESET") return void socket.destroy();
  const status =
    error.code === "HPE_HEADER_OVERFLOW"
      ? "431 Request Header Fields Too Large"
      : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? "408 Request Timeout"
        : "400 Bad Request";
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  // Who does not read does not keep it open either.
  setTimeout(() => socket.destroy(), 1_000).unref();
}
