/** An engine on a network, as processes: tokens, TLS, signed calls, figures (SPEC section 13). */
import { execFileSync } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { connect } from "node:http2";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sharedProject } from "../../support/engines/project.ts";
import { freePorts, restateProgram } from "../../support/engines/restate.ts";
import { startAot } from "../../support/engines/scene.ts";
import { tempFolder } from "../../fixtures/programs.ts";
import { aotJson, aotPath, aotProcessJson, type Ran } from "../../support/aot.ts";

const FIXTURES = join(import.meta.dirname, "../../fixtures/engines");
const [CERT, KEY] = [join(FIXTURES, "tls-cert.pem"), join(FIXTURES, "tls-key.pem")];

test("SPEC 13: a token is made once and shown once; a name that is taken, and one that is not there, are refused", async () => {
  const cwd = tempFolder();
  const run = async (...line: string[]): Promise<Ran & { readonly json: Readonly<Record<string, unknown>> }> =>
    await aotJson(["engine", "token", ...line, "--token-file", "tokens"], { cwd });
  const made = await run("anna", "--may", "steer");
  expect(made).toMatchObject({
    code: 0,
    json: { name: "anna", may: "steer", token: expect.stringMatching(/^[\w-]{43}$/) },
  });
  const text = (): string => readFileSync(join(cwd, "tokens"), "utf8");
  expect(text()).toMatch(/^# .*\nanna steer sha256:[0-9a-f]{64}\n$/);
  expect(text()).not.toContain(String(made.json["token"]));
  // Whichever user the server runs as has to read it.
  if (process.platform !== "win32") expect(statSync(join(cwd, "tokens")).mode & 0o777).toBe(0o644);
  expect(await run("anna")).toMatchObject({ code: 1 });
  expect(await run("a b")).toMatchObject({ code: 1 });
  expect(await run("bert")).toMatchObject({ code: 0, json: { may: "view" } });
  expect(await run("anna", "--revoke")).toMatchObject({ code: 0, json: { revoked: true } });
  expect(text()).toMatch(/^# .*\nbert view \S+\n$/);
  expect(await run("anna", "--revoke")).toMatchObject({ code: 1 });
  const env = { AOT_LOOPS: JSON.stringify(["/elsewhere/state.md"]) };
  expect(await aotJson(["engine", "token", "x", "--token-file", "tokens"], { cwd, env })).toMatchObject({ code: 1 });
});

test("SPEC 13: what is missing for a front is said before a server is started", async () => {
  const cwd = tempFolder();
  writeFileSync(join(cwd, "tokens"), "anna everything\n");
  writeFileSync(join(cwd, "empty"), "");
  const up = async (...line: string[]): Promise<string> => {
    const ran = await aotJson(["engine", "up", "--kind", "restate", ...line], {
      cwd,
      env: { AOT_RESTATE_SERVER: aotPath() },
    });
    return `${ran.code} ${JSON.stringify(ran.json)}`;
  };
  expect(await up("--token-file", "none")).toMatch(/^1 .*there is no file of tokens/);
  expect(await up("--token-file", "tokens")).toMatch(/^1 .*tokens:1 is no client/);
  expect(await up("--token-file", "empty", "--cert", "empty")).toMatch(/^1 .*both the certificate and its key/);
  expect(await up("--token-file", "empty", "--cert", "empty", "--key", "none")).toMatch(/^1 .*there is no file/);
  expect(await up("--cert", "empty", "--key", "empty")).toMatch(/^2 .*name a file of them with --token-file/);
});

const program = restateProgram();
describe.skipIf(program === null)("on a real server (node scripts/install-engines.mjs installs it)", () => {
  let folder: string;
  let engine: string;
  let address: string;
  let metricsPort: string;
  const tokens: Record<string, string> = {};
  const ends: (() => Promise<void>)[] = [];
  const env = (token: string): Record<string, string> => ({
    AOT_ENGINE_TOKEN: tokens[token] ?? "",
    NODE_EXTRA_CA_CERTS: CERT,
    AOT_ENGINE: "",
  });

  /** Goes on until it is asked to end; ended by its own process id. Answers with what it said. */
  const begin = async (token: string, ready: RegExp, ...line: string[]): Promise<string> => {
    const more = { ...env(token), AOT_RESTATE_SERVER: program ?? "" };
    const running = await startAot(line, ready, { cwd: folder, env: more });
    ends.push(async () => expect(await running.end(), running.said()).toBe(0));
    return running.said();
  };
  /** Over TLS, as anybody on the network. */
  const ask = (
    method: string,
    path: string,
    token?: string,
  ): Promise<{ readonly status: number; readonly text: string }> =>
    new Promise((resolve, reject) => {
      const headers = token === undefined ? {} : { authorization: `Bearer ${tokens[token]}` };
      const asked = request(`${address}${path}`, { method, headers, ca: readFileSync(CERT) }, (response) => {
        let text = "";
        response.on("data", (part: Buffer) => (text += part.toString()));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
      });
      asked.on("error", reject);
      asked.end();
    });

  beforeAll(async () => {
    folder = execFileSync("mktemp", ["-d"], { encoding: "utf8" }).trim();
    const [port, admin, node, listen, metrics] = (await freePorts(5)).map(String);
    metricsPort = `${metrics}`;
    for (const [name, may] of [
      ["anna", "steer"],
      ["w1", "work"],
      ["monitor", "view"],
    ] as const)
      tokens[name] = String(
        (await aotJson(["engine", "token", name, "--may", may, "--token-file", "tokens"], { cwd: folder })).json[
          "token"
        ],
      );
    address = `https://127.0.0.1:${port}`;
    engine = `restates://127.0.0.1:${port}`;
    const ports = ["--port", `${port}`, "--admin-port", `${admin}`, "--node-port", `${node}`];
    const said = await begin(
      "",
      /publickeyv1_/,
      "engine",
      "up",
      "--kind",
      "restate",
      ...ports,
      "--token-file",
      "tokens",
      "--cert",
      CERT,
      "--key",
      KEY,
    );
    const key = /publickeyv1_\w+/.exec(said)?.[0] ?? "";
    const place = [
      "--listen",
      `127.0.0.1:${listen}`,
      "--metrics",
      `127.0.0.1:${metrics}`,
      "--name",
      "w1",
      "--slots",
      "2",
    ];
    await begin(
      "w1",
      /figures are on/,
      "worker",
      "--engine",
      engine,
      "--admin",
      address,
      ...place,
      "--identity-key",
      key,
    );
    // Whoever reaches the worker's port but the server is refused: the call is not signed.
    const session = connect(`http://127.0.0.1:${listen}`);
    const status = await new Promise((resolve, reject) => {
      const stream = session.request({
        ":method": "POST",
        ":path": "/invoke/AotTask/perform",
        "content-type": "application/vnd.restate.invocation.v5",
      });
      session.on("error", reject);
      stream.on("response", (headers) => resolve(headers[":status"]));
      stream.on("error", reject);
      stream.end();
    });
    session.destroy();
    expect(status).toBe(401);
  });
  afterAll(async () => {
    for (const end of ends.toReversed()) await end();
    execFileSync("rm", ["-rf", folder]);
  });

  const project = (): string => sharedProject(tempFolder(), { type: "file", value: "made.txt" }).root;
  const AGENT = `command:cat >/dev/null; echo made > made.txt; echo '{"success":true,"summary":"did it"}'`;

  test("SPEC 13: a loop is handed over and worked through the front, over TLS, by who may; others only look, or nothing", async () => {
    const root = project();
    // As a process: Node reads NODE_EXTRA_CA_CERTS when it starts.
    const run = (token: string, ...line: string[]): Ran =>
      aotProcessJson([...line, "--engine", engine], { cwd: root, env: env(token) });
    const submit = ["submit", "--agent", AGENT, "--judge", "none", "--follow"];
    for (const [token, words] of [
      ["monitor", "is for view, and this is for steer"],
      ["w1", "is for work"],
      ["", "no token"],
    ] as const) {
      const refused = run(token, ...submit);
      expect({ token, code: refused.code, out: refused.out }).toEqual({
        token,
        code: 1,
        out: expect.stringContaining(words),
      });
      // Nothing was handed over: the file is the loop's still, but for the mark that submitting again takes up.
    }
    const ran = run("anna", ...submit);
    expect({ code: ran.code, err: ran.code === 0 ? "" : ran.err + ran.out }).toEqual({ code: 0, err: "" });
    expect(readFileSync(join(root, ".claude/aot-loop-state.md"), "utf8")).toContain(`engine: "${engine}/`);
    // A loop of an engine is redirected by its name, from anywhere; here it is over, and says so.
    const { loop } = JSON.parse(ran.out) as { readonly loop: string };
    const redirect = ["redirect", "limit", "max_iterations", "7", "--loop"];
    expect(run("anna", ...redirect, loop)).toMatchObject({
      code: 1,
      out: expect.stringContaining("the loop is completed"),
    });
    expect(run("monitor", ...redirect, loop)).toMatchObject({
      code: 1,
      out: expect.stringContaining("is for view"),
    });
    expect(run("anna", ...redirect, "none")).toMatchObject({
      code: 1,
      out: expect.stringContaining("no loop named none"),
    });
    expect(run("monitor", "loops")).toMatchObject({ code: 0, out: expect.stringContaining('"verified"') });
    expect(aotProcessJson(["loops", "pull"], { cwd: root, env: env("monitor") })).toMatchObject({
      code: 0,
      json: { outcome: "verified" },
    });
    expect(run("", "loops").code).toBe(1);
  });

  test("SPEC 13: the server's own interfaces are not reached from outside; figures are, by who may look", async () => {
    expect(await ask("GET", "/health")).toMatchObject({ status: 200 });
    expect(await ask("GET", "/metrics")).toMatchObject({ status: 401 });
    expect(await ask("POST", "/query", "w1")).toMatchObject({ status: 404 });
    expect(await ask("POST", "/AotLoop/x/settle", "w1")).toMatchObject({ status: 404 });
    expect(await ask("GET", "/deployments", "anna")).toMatchObject({ status: 403 });
    expect(await ask("POST", "/deployments", "anna")).toMatchObject({ status: 403 });
    const { status, text } = await ask("GET", "/metrics", "monitor");
    expect(status).toBe(200);
    expect(text).toContain("aot_engine_up 1\n");
    expect(text).toMatch(/aot_front_requests_total\{route="(none|metrics)",status="40[14]"\} \d/);
    const own = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    expect(own).toContain("aot_worker_slots 2\n");
    const workers = await ask("POST", "/AotWorkers/all/list", "monitor");
    expect(JSON.parse(workers.text)).toEqual([expect.objectContaining({ name: "w1", slots: 2, draining: false })]);
  });

  test("SPEC 13: a token that is revoked is refused at once, without a restart", async () => {
    expect(await ask("POST", "/AotLoops/all/list", "monitor")).toMatchObject({ status: 200 });
    expect(
      (await aotJson(["engine", "token", "monitor", "--revoke", "--token-file", "tokens"], { cwd: folder })).code,
    ).toBe(0);
    expect(await ask("POST", "/AotLoops/all/list", "monitor")).toMatchObject({ status: 401 });
  });
});
