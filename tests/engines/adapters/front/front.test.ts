/** SPEC 13: the front of an engine, over real sockets, before a server that tells what reached it. */
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { get as getSecurely } from "node:https";
import { connect, type AddressInfo } from "node:net";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { openFront, type Front, type FrontOptions } from "../../../../src/engines/adapters/front/front.ts";
import { createTokenFile, makeToken, RIGHTS } from "../../../../src/engines/adapters/front/front-tokens.ts";
import { tempFolder } from "../../../fixtures/programs.ts";

interface Reached {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: number;
}

interface Asking {
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Stage {
  readonly front: Front;
  readonly url: string;
  readonly reached: Reached[];
  readonly tokens: Readonly<Record<(typeof RIGHTS)[number], string>>;
  readonly tokenFile: string;
  ask(right: (typeof RIGHTS)[number] | null, path: string, init?: Asking): Promise<Response>;
}

const CERT = join(import.meta.dirname, "../../../fixtures/engines/tls-cert.pem");
const KEY = join(import.meta.dirname, "../../../fixtures/engines/tls-key.pem");

async function openStage(more: Partial<FrontOptions> = {}, silent = false): Promise<Stage> {
  const reached: Reached[] = [];
  const behind = createServer((request, response) => {
    let bytes = 0;
    request.on("data", (part: Buffer) => (bytes += part.length));
    request.on("error", () => {});
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      reached.push({ method, url, headers, bytes });
      if (!silent)
        response.writeHead(200, { "content-type": "application/json", "x-restate-id": "inv_1" }).end('{"ok":true}');
    });
  });
  await new Promise<void>((resolve) => behind.listen(0, "127.0.0.1", resolve));
  const server = `http://127.0.0.1:${(behind.address() as AddressInfo).port}`;
  const tokenFile = join(tempFolder(), "tokens");
  const made = RIGHTS.map((right) => [right, makeToken(right, right)] as const);
  writeFileSync(tokenFile, made.map(([, { line }]) => line).join("\n"));
  const front = await openFront({
    host: "127.0.0.1",
    port: 0,
    tokens: createTokenFile(tokenFile, () => {}),
    ingress: server,
    admin: server,
    metrics: async () => "aot_up 1\n",
    ...more,
  });
  onTestFinished(async () => {
    await front.close();
    behind.closeAllConnections();
    await new Promise((resolve) => behind.close(resolve));
  });
  const tokens = Object.fromEntries(made.map(([right, { token }]) => [right, token])) as Stage["tokens"];
  const url = `http://127.0.0.1:${front.port}`;
  return {
    front,
    url,
    reached,
    tokens,
    tokenFile,
    ask: (right, path, init = {}) =>
      fetch(`${url}${path}`, {
        method: "POST",
        ...init,
        headers: {
          "content-type": "application/json",
          ...(right === null ? {} : { authorization: `Bearer ${tokens[right]}` }),
          ...init.headers,
        },
      }),
  };
}

/** What comes back for these bytes until the other side closes, or `enough` says so. */
function raw(
  port: number,
  bytes: string | Uint8Array,
  enough: (text: string) => boolean = () => false,
  ends = false,
): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const socket = connect(port, "127.0.0.1", () => (ends ? socket.end(bytes) : socket.write(bytes)));
    socket.on("data", (part) => {
      text += part.toString("latin1");
      if (enough(text)) socket.destroy();
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(text));
  });
}

test("SPEC 13: 401 without a token, 403 with one that is for less, 404 for what is not offered, each with what to do", async () => {
  const { ask, reached } = await openStage();
  const answer = async (response: Response): Promise<unknown> => ({
    status: response.status,
    ...((await response.json()) as object),
  });
  const hint = expect.any(String);
  expect(await answer(await ask(null, "/AotLoops/all/list"))).toEqual({
    status: 401,
    message: expect.stringContaining("no token"),
    hint,
  });
  expect(await answer(await ask(null, "/nothing"))).toMatchObject({ status: 401 });
  expect(await answer(await ask("view", "/AotLoop/x/signal"))).toEqual({
    status: 403,
    message: "the token of view is for view, and this is for steer",
    hint: "ask for a token that may steer",
  });
  expect(await answer(await ask("work", "/AotLoop/x/start"))).toMatchObject({ status: 403 });
  expect(await answer(await ask("steer", "/deployments"))).toMatchObject({ status: 403 });
  expect(await answer(await ask("work", "/query"))).toMatchObject({ status: 404 });
  expect(reached).toEqual([]);
});

test("SPEC 13: what is let in arrives as it was sent, and nothing else of the request with it (F1)", async () => {
  const { ask, reached, front, tokens } = await openStage();
  const body = JSON.stringify({ text: "ü".repeat(200_000) });
  const response = await ask("steer", "/AotLoop/a%20b/start", {
    body,
    headers: { "x-restate-scope": "s", "idempotency-key": "k", "x-forwarded-for": "1.2.3.4", cookie: "c=1" },
  });
  expect({ status: response.status, body: await response.json() }).toEqual({ status: 200, body: { ok: true } });
  expect(response.headers.get("x-restate-id")).toBeNull();
  const [one] = reached;
  expect(one).toMatchObject({ method: "POST", url: "/AotLoop/a%20b/start", bytes: Buffer.byteLength(body) });
  expect(Object.keys(one?.headers ?? {}).toSorted()).toEqual(["connection", "content-length", "content-type", "host"]);
  // An address with a host in it is none of ours (FRONT-2), and neither is a tunnel.
  const head = `authorization: Bearer ${tokens.work}\r\ncontent-length: 0\r\nhost: x\r\nconnection: close\r\n\r\n`;
  expect(await raw(front.port, `POST http://elsewhere.test/deployments HTTP/1.1\r\n${head}`)).toMatch(/^HTTP\/1.1 404/);
  expect(await raw(front.port, `CONNECT elsewhere.test:443 HTTP/1.1\r\n${head}`)).toMatch(/^HTTP\/1.1 405/);
  expect(
    await raw(front.port, `GET /health HTTP/1.1\r\nupgrade: websocket\r\nconnection: upgrade\r\nhost: x\r\n\r\n`),
  ).toMatch(/^HTTP\/1.1 405/);
  expect(reached).toHaveLength(1);
  expect(await (await ask("view", "/metrics", { method: "GET" })).text()).toBe("aot_up 1\n");
  expect((await fetch(`http://127.0.0.1:${front.port}/health`)).status).toBe(200);
});

test("SPEC 13: a body is read only behind the token, and only as far as it may be long (F3)", async () => {
  const { front, tokens, reached, ask } = await openStage();
  const head = (token: string, rest: string): string =>
    `POST /AotLoop/x/signal HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n${rest}\r\n\r\n`;
  expect(await raw(front.port, head(tokens.steer, "content-length: 99999999"))).toMatch(/^HTTP\/1.1 413/);
  const chunk = `${(65_536).toString(16)}\r\n${"x".repeat(65_536)}\r\n`;
  expect(
    await raw(front.port, `${head(tokens.steer, "transfer-encoding: chunked")}${chunk.repeat(20)}`, (text) =>
      text.includes("413"),
    ),
  ).toContain("413");
  expect(reached).toEqual([]);
  expect((await ask("steer", "/AotLoop/x/signal", { body: "{}" })).status).toBe(200);
});

test("SPEC 13: a revoked token is refused from the next request on, on a connection that is open, too", async () => {
  const { ask, tokenFile } = await openStage();
  expect((await ask("view", "/AotLoops/all/list")).status).toBe(200);
  writeFileSync(
    tokenFile,
    readFileSync(tokenFile, "utf8")
      .split("\n")
      .filter((line) => !line.startsWith("view "))
      .join("\n"),
  );
  expect((await ask("view", "/AotLoops/all/list")).status).toBe(401);
  expect((await ask("steer", "/AotLoops/all/list")).status).toBe(200);
});

test("a server that is away, or silent, is said to be so", async () => {
  const away = await openStage({ ingress: "http://127.0.0.1:1" });
  const gone = await away.ask("view", "/AotLoops/all/list");
  expect({ status: gone.status, text: await gone.text() }).toEqual({
    status: 502,
    text: expect.stringContaining("cannot be asked"),
  });
  const silent = await openStage({ answer_ms: 200 }, true);
  const late = await silent.ask("view", "/AotLoops/all/list");
  expect({ status: late.status, text: await late.text() }).toEqual({
    status: 502,
    text: expect.stringContaining("did not answer in time"),
  });
});

test("SPEC 13: garbage, huge headers and requests that never end: each is ended, and the front goes on (F4)", async () => {
  const { front, ask, tokens } = await openStage({ arrive_ms: 1_500 });
  expect(await raw(front.port, `GET /health HTTP/1.1\r\n${`x-long: ${"y".repeat(70)}\r\n`.repeat(2_000)}\r\n`)).toMatch(
    /^HTTP\/1.1 431/,
  );
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.uint8Array({ maxLength: 400 }),
        fc.string({ unit: "binary", maxLength: 300 }).map((text) => Buffer.from(text)),
        fc
          .tuple(
            fc.constantFrom("GET", "POST", "PUT", "X"),
            fc.webPath(),
            fc.constantFrom("1.1", "1.0", "9"),
            fc.array(
              fc.tuple(
                fc.constantFrom("host", "content-length", "transfer-encoding", "authorization", "expect", "connection"),
                fc.oneof(fc.string(), fc.constantFrom("chunked", "-1", "5", "100-continue", "close")),
              ),
            ),
          )
          .map(([method, path, version, headers]) =>
            Buffer.from(
              `${method} ${path} HTTP/${version}\r\n${headers.map(([name, value]) => `${name}: ${value}`).join("\r\n")}\r\n\r\nabc`,
            ),
          ),
      ),
      async (bytes) => {
        expect(await raw(front.port, bytes, (text) => text !== "", true)).not.toMatch(/^HTTP\/1.1 200[^]*"ok":true/);
      },
    ),
    { numRuns: 200, interruptAfterTimeLimit: 12_000 },
  );
  // Slow lorises: one letter now and then, in headers and in a body.
  const starts = [
    "GET /health HTTP/1.1\r\nx-a: ",
    `POST /AotLoop/x/signal HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${tokens.steer}\r\ncontent-length: 1000\r\n\r\n`,
  ];
  await Promise.all(
    starts.map(
      (start) =>
        new Promise<void>((resolve) => {
          const socket = connect(front.port, "127.0.0.1", () => socket.write(start));
          const drip = setInterval(() => socket.write("a"), 100);
          socket.on("error", () => {});
          socket.on("data", () => {});
          socket.on("close", () => {
            clearInterval(drip);
            resolve();
          });
        }),
    ),
  );
  expect((await ask("view", "/AotLoops/all/list")).status).toBe(200);
});

test("SPEC 13: TLS; a renewed certificate is taken up without a restart, half a renewal is not", async () => {
  const folder = tempFolder();
  const tls = { cert: join(folder, "cert.pem"), key: join(folder, "key.pem") };
  copyFileSync(CERT, tls.cert);
  copyFileSync(KEY, tls.key);
  const { front, url } = await openStage({ tls });
  const health = (): Promise<number> =>
    new Promise((resolve, reject) => {
      const options = {
        ca: readFileSync(CERT),
        host: "localhost",
        port: front.port,
        path: "/health",
        agent: false,
      } as const;
      getSecurely(options, (response) => resolve(response.resume().statusCode ?? 0)).on("error", reject);
    });
  expect(await health()).toBe(200);
  await expect(fetch(`${url}/health`)).rejects.toThrow();
  writeFileSync(tls.key, "no key at all");
  expect(await health()).toBe(200);
  copyFileSync(KEY, tls.key);
  expect(await health()).toBe(200);
  await expect(openStage({ tls: { ...tls, cert: join(folder, "none.pem") } })).rejects.toThrow("ENOENT");
});
