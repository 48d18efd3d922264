/**
 * The dashboard's server (SPEC section 10): serves the page, streams changes of loops, and takes a few actions.
 *
 * DASHBOARD-SERVER-1 it listens on loopback only, and every request passes `guard.ts` first;
 * DASHBOARD-SERVER-2 the page may load only its own files from here (content security policy), and nothing is cached;
 * DASHBOARD-SERVER-3 connections, streams, request bodies and unsent bytes are bounded.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { readStateFile } from "../../adapters/store/state-file.ts";
import { documentOf, documentText } from "../../statefile/redirect-document.ts";
import { createFeed, type Feed } from "../../dashboard/feed.ts";
import type { ShownLoop } from "../../dashboard/loops.ts";
import { createPhaseFeed, type PhaseFeed } from "../../phases/dashboard-phases.ts";
import { attemptsOf, diffOfAttempt, readAttemptLog } from "../../history/attempt-work.ts";
import { looks } from "../../history/follow.ts";
import { refused } from "../../core/problem.ts";
import type { Io } from "../../command/io.ts";
import { VERSION } from "../../command/version.ts";
import { closeServer, listenOn } from "../../host/listen.ts";
import { act } from "./actions.ts";
import { readAssets } from "./assets.ts";
import { visible } from "../../view/words.ts";
import { verdictOn, type Tokens, type Verdict } from "./guard.ts";

export interface DashboardOptions {
  /** Called at each request, since loops come and go. */
  readonly loops: () => readonly ShownLoop[];
  readonly tokens: Tokens;
  readonly page: string;
  /** 0: any free port. */
  readonly port: number;
  readonly place: Pick<Io, "cwd" | "env">;
}

export interface Dashboard {
  /** `http://127.0.0.1:PORT` */
  readonly address: string;
  /** Whether a page is connected. */
  watched(): boolean;
  close(): Promise<void>;
}

const MOST_CONNECTIONS = 128;
const MOST_STREAMS = 32;
const MOST_BODY_BYTES = 64 * 1024;

const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  "Content-Security-Policy": [
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; worker-src 'self'",
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types aot",
  ].join("; "),
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
  "Cache-Control": "no-store",
};

/** Rejects if it cannot listen on the port. */
export async function openDashboard(options: DashboardOptions): Promise<Dashboard> {
  const handler = createHandler(options);
  const server = createServer((request, response) => void handler.answer(request, response));
  server.maxConnections = MOST_CONNECTIONS;
  server.requestTimeout = 15_000;
  const port = await listenOn(server, options.port, "127.0.0.1");
  return {
    address: `http://127.0.0.1:${port}`,
    watched: handler.watched,
    close: async () => {
      handler.close();
      await closeServer(server, () => server.closeAllConnections());
    },
  };
}

interface Handler {
  answer(request: IncomingMessage, response: ServerResponse): Promise<void>;
  watched(): boolean;
  close(): void;
}

function createHandler({ loops, tokens, page, place }: DashboardOptions): Handler {
  const assets = readAssets(page);
  const feeds = new Map<string, Feed | PhaseFeed>();
  const streams = new Set<EventStream>();

  const feedOf = (loop: ShownLoop): Feed | PhaseFeed => {
    const known = feeds.get(loop.file);
    if (known !== undefined) return known;
    const feed = loop.kind === "atoms" ? createFeed(loop.file) : createPhaseFeed(loop.file);
    feeds.set(loop.file, feed);
    return feed;
  };
  const stream = (response: ServerResponse, begin: (stream: EventStream) => () => void): void => {
    if (streams.size >= MOST_STREAMS) return fail(response, 503, `more than ${MOST_STREAMS} pages are already open`);
    const opened = openStream(response);
    streams.add(opened);
    let end: () => void = () => {};
    opened.onEnd(() => {
      streams.delete(opened);
      end();
    });
    end = begin(opened);
  };
  const ofLoop = async (loop: ShownLoop, what: string, query: URLSearchParams, response: ServerResponse) => {
    if (what === "events")
      return stream(response, (to) => feedOf(loop).subscribe((message) => to.send(message.kind, message)));
    if (what === "plan") return await planOf(loop.file, response);
    if (what === "log") return stream(response, (to) => followLog(loop.file, query.get("attempt") ?? "", to));
    if (what !== "diff") return fail(response, 404, "there is no such page");
    const attempt = attemptsOf(loop.file).find((one) => one.attempt === query.get("attempt"));
    const diff =
      attempt === undefined
        ? refused("there is no such attempt", "take one of the journal")
        : await diffOfAttempt(loop.file, attempt);
    if (diff.ok) return json(response, 200, { success: true, ...diff.value });
    // No diff of a known attempt is a valid answer, hence 200.
    json(response, attempt === undefined ? 404 : 200, { success: false, errors: diff.problems });
  };
  const api = async (request: IncomingMessage, response: ServerResponse, url: URL, may: Rights): Promise<void> => {
    const [, , , key, what = ""] = url.pathname.split("/");
    if (url.pathname === "/api/loops") {
      const listed = loops().map(({ key, kind, name, file }) => ({ key, kind, name, file }));
      const about = { version: VERSION, can_act: may === "act", share: tokens.read };
      return json(response, 200, { success: true, ...about, loops: listed });
    }
    const loop = loops().find((one) => one.key === key);
    if (loop === undefined) return fail(response, 404, "there is no such loop any more");
    if (request.method === "GET") return await ofLoop(loop, what, url.searchParams, response);
    if (what !== "actions") return fail(response, 404, "there is no such action");
    const action = await bodyOf(request);
    if (action === undefined) return fail(response, 413, `an action is JSON of at most ${MOST_BODY_BYTES} bytes`);
    const done = await act(loop, action, place);
    json(response, done.ok ? 200 : 409, { ...done.document, text: done.text });
  };
  return {
    async answer(request, response) {
      for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
      const asked = request.url ?? "/";
      if (!URL.canParse(asked, "http://localhost")) return fail(response, 400, "that is no address");
      const url = new URL(asked, "http://localhost");
      const verdict = verdictOf(request, url.pathname, tokens);
      try {
        if (!verdict.ok) return fail(response, verdict.status, verdict.message);
        if (verdict.may !== "fetch_page") return await api(request, response, url, verdict.may);
        const asset = assets.get(url.pathname);
        if (asset === undefined) return fail(response, 404, "there is no such page");
        const zips = /\bgzip\b/.test(String(request.headers["accept-encoding"]));
        response.writeHead(200, { "Content-Type": asset.type, ...(zips ? { "Content-Encoding": "gzip" } : {}) });
        response.end(zips ? asset.gzipped : asset.bytes);
      } catch (error) {
        fail(response, 500, error instanceof Error ? error.message : String(error));
      }
    },
    watched: () => streams.size > 0,
    close: () => {
      for (const one of streams) one.end();
      for (const feed of feeds.values()) if ("close" in feed) feed.close();
    },
  };
}

type Rights = "read" | "act";

function verdictOf(request: IncomingMessage, path: string, tokens: Tokens): Verdict {
  const { headers, method = "" } = request;
  const asking = {
    method,
    path,
    host: headers.host,
    origin: headers.origin,
    site: headers["sec-fetch-site"],
    authorization: headers.authorization,
    content_type: headers["content-type"],
  };
  return verdictOn(asking, tokens);
}

function followLog(stateFile: string, attempt: string, to: EventStream): () => void {
  const over = new AbortController();
  const rounds = async (): Promise<void> => {
    let next = -1;
    for await (const _ of looks(over.signal)) {
      const part = readAttemptLog(stateFile, attempt, next);
      if (part === null || (part.text === "" && next >= 0)) continue;
      next = part.next;
      to.send("log", part);
    }
  };
  void rounds();
  return () => over.abort();
}

/** The parts of the loop that a person may edit, as text. */
async function planOf(stateFile: string, response: ServerResponse): Promise<void> {
  const read = await readStateFile(stateFile);
  if (read.ok) return json(response, 200, { success: true, text: documentText(documentOf(read.value.state)) });
  json(response, 404, { success: false, errors: read.problems });
}

/** Undefined: too large, or not JSON. */
async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    size += (part as Buffer).length;
    if (size > MOST_BODY_BYTES) return undefined;
    parts.push(part as Buffer);
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString("utf8")) as unknown;
  } catch {
    return undefined;
  }
}

function fail(response: ServerResponse, status: number, message: string): void {
  if (response.headersSent) response.destroy();
  else json(response, status, { success: false, errors: [{ code: "refused", message }], text: message });
}

function json(response: ServerResponse, status: number, document: object): void {
  response.writeHead(status, { "Content-Type": "application/json; charset=utf-8" });
  response.end(visible(JSON.stringify(document)));
}

/**
 * Server-sent events to one client.
 * DASHBOARD-SERVER-4 a client that does not read is disconnected: its unsent bytes never exceed MOST_UNSENT_BYTES by more than
 *    one message. It reconnects and gets everything again.
 */
interface EventStream {
  send(event: string, value: object): void;
  /** `then` is called once, whichever side ends the stream. */
  onEnd(then: () => void): void;
  end(): void;
}

const MOST_UNSENT_BYTES = 32 * 1024 * 1024;
/** So that either side notices when the other is gone. */
const HEARTBEAT_MS = 10_000;

function openStream(response: ServerResponse): EventStream {
  response.writeHead(200, { "Content-Type": "text/event-stream; charset=utf-8", "X-Accel-Buffering": "no" });
  response.write(": aot\n\n");
  const beat = setInterval(() => response.write(": beat\n\n"), HEARTBEAT_MS);
  let ended = false;
  let reported: () => void = () => {};
  const finish = (): void => {
    if (ended) return;
    ended = true;
    clearInterval(beat);
    reported();
  };
  response.on("close", finish);
  return {
    send(event, value) {
      if (ended) return;
      if (response.writableLength > MOST_UNSENT_BYTES) {
        response.destroy();
        return finish();
      }
      response.write(`event: ${event}\ndata: ${visible(JSON.stringify(value))}\n\n`);
    },
    onEnd: (then) => (reported = then),
    end: () => {
      response.end();
      finish();
    },
  };
}
