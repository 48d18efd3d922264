/**
 * A little HTTP/2 balancer: what is in front of several workers (docs/engine.md says which one to take). A worker
 * that does not answer a ping is cut off with all its streams, so that the engine begins its calls elsewhere.
 */
import { connect, constants, createServer, type ClientHttp2Session, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";

export interface Balancer {
  readonly url: string;
  close(): Promise<void>;
}

const LOOK_EVERY_MS = 500;
const PATIENCE_MS = 2_500;

interface Upstream {
  readonly url: string;
  session: ClientHttp2Session | null;
  healthy: boolean;
  streams: number;
  /** When its session was begun. */
  since: number;
}

export async function startBalancer(urls: readonly string[]): Promise<Balancer> {
  const upstreams = urls.map((url): Upstream => ({ url, session: null, healthy: false, streams: 0, since: 0 }));
  const server = createServer();
  const clients = new Set<{ destroy(): void }>();
  server.on("session", (session) => {
    clients.add(session);
    session.on("close", () => clients.delete(session));
    session.on("error", () => {});
  });
  server.on("sessionError", () => {});
  server.on("stream", (stream, headers) => {
    stream.on("error", () => {});
    const upstream = upstreams.filter(isUsable).toSorted((a, b) => a.streams - b.streams)[0];
    if (upstream?.session == null) {
      stream.respond({ ":status": 503 }, { endStream: true });
      return;
    }
    forward(stream, headers, upstream, upstream.session);
  });
  const timer = setInterval(() => upstreams.forEach(look), LOOK_EVERY_MS);
  upstreams.forEach(look);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      clearInterval(timer);
      for (const { session } of upstreams) session?.destroy();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const client of clients) client.destroy();
      await closed;
    },
  };
}

/** A session that is being torn down takes no request, though nobody was informed yet. */
function isUsable({ healthy, session }: Upstream): boolean {
  return healthy && session !== null && !session.destroyed && !session.closed;
}

function forward(
  stream: ServerHttp2Stream,
  headers: Parameters<ClientHttp2Session["request"]>[0],
  upstream: Upstream,
  session: ClientHttp2Session,
): void {
  const request = session.request({ ...headers, ":authority": new URL(upstream.url).host });
  upstream.streams++;
  // Whoever is gone, the other side is informed: a call that was cut short must not look like one that is still running.
  const cut = (): void => {
    stream.close(constants.NGHTTP2_CANCEL);
    request.close(constants.NGHTTP2_CANCEL);
  };
  let whole = false;
  for (const one of [stream, request]) {
    one.on("error", cut);
    one.on("aborted", cut);
  }
  request.on("response", ({ ":status": status, ...more }) => {
    if (stream.destroyed) return;
    stream.respond({ ":status": status, ...more });
    request.pipe(stream);
  });
  request.on("end", () => (whole = true));
  request.on("close", () => {
    upstream.streams--;
    if (!whole || request.rstCode !== 0) cut();
  });
  stream.on("close", () => {
    if (!whole || stream.rstCode !== 0) cut();
  });
  stream.pipe(request);
}

function look(upstream: Upstream): void {
  const { session } = upstream;
  if (session === null || session.destroyed || session.closed) {
    upstream.healthy = false;
    const made = connect(upstream.url);
    upstream.since = performance.now();
    upstream.session = made;
    // That somebody takes connections says nothing about the worker behind: it has to answer.
    made.on("connect", () => {
      // It is said of a session, too, that was destroyed before it was connected.
      if (!made.destroyed) made.ping((error) => (upstream.healthy = error === null && upstream.session === made));
    });
    made.on("error", () => made.destroy());
    made.on("close", () => {
      if (upstream.session === made) upstream.healthy = false;
    });
    return;
  }
  if (upstream.healthy) return watch(session);
  // A session that never came to answer is given up, too.
  if (upstream.since + PATIENCE_MS < performance.now()) session.destroy();
}

function watch(session: ClientHttp2Session): void {
  const late = setTimeout(() => session.destroy(), PATIENCE_MS);
  session.ping(() => clearTimeout(late));
  late.unref();
}
