/**
 * Calls of Restate's ingress and admin interfaces: outbound HTTP, from any host, without Restate's own library.
 *
 * INGRESS-1 every call is bounded in time, whatever the other side does: it settles within `timeout_ms`, or when its
 *    signal aborts.
 */
import { Agent as PlainAgent, request as plainRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { Agent as TlsAgent, request as tlsRequest } from "node:https";
import { EngineUnreachable } from "../engine-unreachable.ts";

export interface IngressOptions {
  /** `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Sent as a bearer token: what a proxy in front of the engine asks for. */
  readonly token?: string;
  /** How long one call may take, milliseconds. */
  readonly timeout_ms?: number;
}

export interface Ingress {
  /** The handler's answer; undefined: there is none of that name, or nothing there. */
  call(path: string, body?: unknown, signal?: AbortSignal, method?: "GET" | "PATCH"): Promise<unknown>;
  /** Its connections end; a call under way fails. */
  close(): void;
}

const TIMEOUT_MS = 30_000;
/** Shorter than the five seconds after which Node's servers close a connection: none is used while it is being closed. */
const IDLE_MS = 4_000;
/** Characters of what is no answer of an engine. */
const SHOWN = 100;

/** @throws EngineUnreachable when nobody answers, or answers with an error, or with what no engine says */
export function createIngress({ url, token, timeout_ms = TIMEOUT_MS }: IngressOptions): Ingress {
  const base = url.replace(/\/+$/, "");
  const { send, close, origin } = senderTo(base);
  const bearer = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return {
    call: async (path, body, signal, method) => {
      const text = body === undefined ? "" : JSON.stringify(body);
      const type = body === undefined ? {} : { "content-type": "application/json" };
      const headers = { ...type, ...bearer, "content-length": Buffer.byteLength(text) };
      const asked = { path, headers, ...(method === undefined ? {} : { method }) };
      const answer = await send(asked, text, { timeout_ms, ...(signal === undefined ? {} : { signal }) });
      if (answer.status < 200 || answer.status > 299) throw refusal(origin, answer.status, answer.text);
      return answer.text === "" ? undefined : valueIn(answer.text, origin);
    },
    close,
  };
}

interface Bounds {
  readonly timeout_ms: number;
  readonly signal?: AbortSignal;
}

type Send = (
  to: Pick<RequestOptions, "path" | "headers" | "method">,
  body: string,
  bounds: Bounds,
) => Promise<{ readonly status: number; readonly text: string }>;

/**
 * Connections stay open between calls, for a while, and keep no process alive: a dashboard asks many an engine once. Not
 * `fetch`: that costs a worker twice as much a call.
 */
function senderTo(base: string): { readonly send: Send; readonly origin: string; close(): void } {
  const { protocol, hostname, port, pathname, origin } = new URL(base);
  const tls = protocol === "https:";
  const kept = { keepAlive: true, timeout: IDLE_MS };
  const agent = tls ? new TlsAgent(kept) : new PlainAgent(kept);
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  const below = pathname === "/" ? "" : pathname;
  const send: Send = (to, body, { timeout_ms, signal }) =>
    new Promise((resolve, reject) => {
      const place = { host, agent, method: "POST", ...(port === "" ? {} : { port }) };
      const request = (tls ? tlsRequest : plainRequest)({ ...place, ...to, path: `${below}${to.path ?? ""}` });
      const late = setTimeout(() => fail(unanswered(origin, timeout_ms)), timeout_ms);
      const leave = (): void => fail(new Error("it was given up"));
      const settle = (): void => {
        clearTimeout(late);
        signal?.removeEventListener("abort", leave);
      };
      const fail = (error: unknown): void => {
        settle();
        request.destroy();
        reject(error instanceof EngineUnreachable ? error : unreachable(origin, error));
      };
      request.on("error", fail);
      request.on("response", (response) => {
        read(response).then((text) => {
          settle();
          return resolve({ status: response.statusCode ?? 0, text });
        }, fail);
      });
      signal?.addEventListener("abort", leave, { once: true });
      if (signal?.aborted === true) return leave();
      request.end(body);
    });
  return { send, origin, close: () => agent.destroy() };
}

function valueIn(text: string, origin: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const said = text.slice(0, SHOWN).replaceAll(/\s+/g, " ");
    throw new EngineUnreachable(
      `what answers at ${origin} is no engine, or a proxy is in front of it: it answered ${JSON.stringify(said)}`,
      "name the engine's own address with --engine",
      { cause },
    );
  }
}

async function read(response: IncomingMessage): Promise<string> {
  let text = "";
  response.setEncoding("utf8");
  for await (const part of response) text += String(part);
  return text;
}

function unreachable(origin: string, cause: unknown): EngineUnreachable {
  const why =
    cause instanceof Error ? cause.message || ("code" in cause ? String(cause.code) : cause.name) : String(cause);
  return new EngineUnreachable(
    `the engine at ${origin} does not answer: ${why}`,
    "start one with `aot engine up`, or name the right one with --engine",
    { cause },
  );
}

/** Restate keeps what it was asked, and asks its workers until one answers. */
function unanswered(origin: string, timeout_ms: number): EngineUnreachable {
  return new EngineUnreachable(
    `the engine at ${origin} did not answer within ${timeout_ms / 1_000} s`,
    "see whether a worker answers it (`aot worker`): what it was asked may still be done then",
  );
}

function refusal(origin: string, status: number, text: string): EngineUnreachable {
  const message = `the engine at ${origin} answered ${status}: ${text.slice(0, 500)}`;
  if (status === 401 || status === 403)
    return new EngineUnreachable(message, "its proxy asks for a token: set AOT_ENGINE_TOKEN");
  // Services that nobody offers yet.
  if (status === 404) return new EngineUnreachable(message, "no worker has registered there yet: start `aot worker`");
  return new EngineUnreachable(message, "see the logs of the engine and of its workers");
}
