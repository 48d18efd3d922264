/**
 * The only way out of a place that may reach some hosts: a proxy on a socket file, which the runner serves, and a program
 * inside that hands connections to it.
 *
 * HOST-PROXY-1 a host that is not named is refused, and so is a named one whose address is this machine's or the link's
 *    (169.254, fe80), unless it was named by that address;
 * HOST-PROXY-2 what was refused is reported by name, once each.
 */
import { lookup } from "node:dns/promises";
import { createServer, request as ask, type IncomingMessage, type ServerResponse } from "node:http";
import { connect, isIP, type Socket } from "node:net";
import type { Duplex } from "node:stream";

export interface HostProxy {
  /** Sentences, one for each host that was refused. */
  refused(): readonly string[];
  close(): Promise<void>;
}

interface Target {
  readonly host: string;
  readonly port: number;
}

/** Ports of a host that was named without one. */
const WEB = new Set([80, 443]);
const MOST_REFUSED = 20;

/**
 * Serves the proxy.
 * @param path of the socket; its folder is there
 * @param allowed `name`, `*.name`, either with `:port`
 * @param upstream the proxy that the person's own connections take, `http://host:port`
 * @throws the system's error when the socket cannot be made
 */
export async function openHostProxy(path: string, allowed: readonly string[], upstream?: URL): Promise<HostProxy> {
  const refused = new Set<string>();
  const open = new Set<Duplex>();
  const keep = <S extends Duplex>(socket: S): S => {
    open.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("close", () => open.delete(socket));
    return socket;
  };
  // What is on this machine no proxy of the person's reaches.
  const by = (target: Target | null): URL | undefined =>
    target !== null && LOOPBACK.test(target.host) ? undefined : upstream;
  const wayTo = async (target: Target): Promise<Target | null> => {
    const address = isAllowed(target, allowed) ? await addressOf(target, by(target) !== undefined) : null;
    if (address === null && refused.size < MOST_REFUSED) refused.add(`${target.host}:${target.port}`);
    return address;
  };
  const server = createServer((request, response) => void plain(request, response, wayTo, by));
  server.on("connection", keep);
  server.on("connect", (request: IncomingMessage, client: Duplex, head: Buffer) => {
    const target = targetIn(request.url ?? "");
    void tunnel(target, client, head, { wayTo, upstream: by(target), keep });
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(path, resolve));
  server.unref();
  return {
    refused: () => [...refused].map((host) => `connecting to ${host} is not allowed here (allow_domains)`),
    close: () =>
      new Promise((resolve) => {
        for (const socket of open) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

interface Way {
  wayTo(target: Target): Promise<Target | null>;
  readonly upstream: URL | undefined;
  keep<S extends Duplex>(socket: S): S;
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i;

async function tunnel(
  target: Target | null,
  client: Duplex,
  head: Buffer,
  { wayTo, upstream, keep }: Way,
): Promise<void> {
  const way = target === null ? null : await wayTo(target);
  if (target === null || way === null) return void client.end(`HTTP/1.1 403 Forbidden\r\n\r\n${refusal(target)}\n`);
  const first = upstream === undefined ? way : { host: upstream.hostname, port: Number(upstream.port || 80) };
  const server: Socket = keep(connect({ host: first.host, port: first.port }));
  server.once("error", () => client.end("HTTP/1.1 502 Bad Gateway\r\n\r\n"));
  server.once("connect", () => {
    // The person's proxy answers by itself.
    if (upstream === undefined) client.write("HTTP/1.1 200 Connection established\r\n\r\n");
    else
      server.write(
        `CONNECT ${target.host}:${target.port} HTTP/1.1\r\nHost: ${target.host}\r\n${credentials(upstream)}\r\n`,
      );
    if (head.length > 0) server.write(head);
    client.pipe(server).pipe(client);
  });
  client.once("close", () => server.destroy());
}

async function plain(
  request: IncomingMessage,
  response: ServerResponse,
  wayTo: Way["wayTo"],
  by: (target: Target | null) => URL | undefined,
): Promise<void> {
  const url = URL.canParse(request.url ?? "") ? new URL(request.url ?? "") : null;
  const target = url === null ? null : { host: bare(url.hostname), port: Number(url.port || 80) };
  const way = target === null ? null : await wayTo(target);
  const upstream = by(target);
  if (url === null || way === null) {
    response.writeHead(403).end(`${refusal(target)}\n`);
    return;
  }
  const onward = ask(
    upstream === undefined
      ? { host: way.host, port: way.port, path: url.pathname + url.search }
      : { host: upstream.hostname, port: Number(upstream.port || 80), path: url.href },
  );
  onward.method = request.method ?? "GET";
  for (const [name, value] of Object.entries(request.headers))
    if (value !== undefined && !name.startsWith("proxy-")) onward.setHeader(name, value);
  onward.once("response", (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onward.once("error", () => response.writeHead(502).end());
  request.pipe(onward);
}

function refusal(target: Target | null): string {
  const where = target === null ? "this address" : `${target.host}:${target.port}`;
  return `Connecting to ${where} is not allowed here. A person allows a host by the setting allow_domains.`;
}

function credentials({ username, password }: URL): string {
  if (username === "") return "";
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Proxy-Authorization: Basic ${Buffer.from(pair).toString("base64")}\r\n`;
}

function targetIn(text: string): Target | null {
  const [, host = "", port = ""] = /^(.*):(\d{1,5})$/.exec(text) ?? [];
  return host === "" ? null : { host: bare(host), port: Number(port) };
}

/** Without the brackets of an IPv6 address and the last dot of a name. */
function bare(host: string): string {
  return host
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "")
    .toLowerCase();
}

/** Whether a list of hosts holds this one. */
export function isAllowed({ host, port }: Target, allowed: readonly string[]): boolean {
  return allowed.some((entry) => {
    const [, name = "", wanted] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    const fits = name.startsWith("*.") ? host.endsWith(name.slice(1)) : host === bare(name);
    return fits && (wanted === undefined ? WEB.has(port) : Number(wanted) === port);
  });
}

/** HOST-PROXY-1. @param named behind another proxy names are resolved there */
async function addressOf({ host, port }: Target, named: boolean): Promise<Target | null> {
  if (isIP(host) !== 0 || host === "localhost" || named) return { host, port };
  try {
    const { address } = await lookup(host);
    return HERE.test(address) ? null : { host: address, port };
  } catch {
    return null;
  }
}

const HERE = /^(?:127\.|0\.|169\.254\.|::1$|::$|fe80:|::ffff:(?:127\.|169\.254\.))/i;

/** Where the program inside listens. */
export const PROXY_PORT = 3128;

/**
 * The program inside: `node -e FORWARDER -- SOCKET PORTS COMMAND...`. Listens for the proxy's users, and on the ports of
 * services of this machine that were allowed by name, so that `http://127.0.0.1:PORT` means in there what it means here. Ends as
 * the command ends. Plain CommonJS in a string: it must start from a bundle and from sources alike.
 */
export const FORWARDER = String.raw`
const net = require("node:net");
const { spawn } = require("node:child_process");
const { constants } = require("node:os");
const [, socket, ports, ...command] = process.argv;
const quiet = (one, other) => { one.on("error", () => other.destroy()); one.on("close", () => other.destroy()); };
const serve = (port, target) => new Promise((resolve) => {
  const server = net.createServer((client) => {
    const way = net.connect(socket);
    quiet(client, way); quiet(way, client);
    if (target === null) return void client.pipe(way).pipe(client);
    way.write("CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n\r\n");
    let seen = Buffer.alloc(0);
    const onData = (chunk) => {
      seen = Buffer.concat([seen, chunk]);
      const end = seen.indexOf("\r\n\r\n");
      if (end < 0) return;
      way.off("data", onData);
      if (!/^HTTP\/1\.1 200/.test(seen.toString("latin1"))) return void client.destroy();
      client.write(seen.subarray(end + 4));
      client.pipe(way).pipe(client);
    };
    way.on("data", onData);
  });
  server.on("error", resolve);
  server.listen(port, "127.0.0.1", resolve);
});
const local = ports === "-" ? [] : ports.split(",");
Promise.all([serve(${PROXY_PORT}, null), ...local.map((target) => serve(Number(target.split(":").pop()), target))]).then(() => {
  const child = spawn(command[0], command.slice(1), { stdio: "inherit" });
  for (const name of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(name, () => {});
  child.on("error", () => process.exit(127));
  child.on("exit", (code, signal) => process.exit(code === null ? 128 + constants.signals[signal] : code));
});
`;

/** Services of this machine among the allowed hosts, as `host:port`. */
export function localServices(allowed: readonly string[]): readonly string[] {
  return allowed.filter((entry) => /^(?:localhost|127\.0\.0\.1|\[?::1\]?):\d+$/.test(entry));
}
