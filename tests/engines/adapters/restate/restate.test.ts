/** The contract of engines against a real Restate server on loopback, and what is Restate's own. */
import { connect } from "node:http2";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createIngress } from "../../../../src/engines/adapters/restate/ingress.ts";
import { standIn } from "../../../../src/engines/adapters/restate/restate-admin.ts";
import { createRestateEngine } from "../../../../src/engines/adapters/restate/restate-engine.ts";
import { loadRestateSdk } from "../../../../src/engines/adapters/restate/restate-sdk.ts";
import type { Worker } from "../../../../src/engines/adapters/restate/restate-worker.ts";
import type { EngineServer } from "../../../../src/engines/server.ts";
import type { Engine } from "../../../../src/loop/engine.ts";
import { engineContract } from "../../../contracts/engine.ts";
import { freePorts, restateProgram, serveRestate, startRestate } from "../../../support/engines/restate.ts";
import { atomIn, createScript, type Script } from "../../../support/engines/script.ts";
import { createScriptedLoops, viewed } from "../../../support/engines/scripted-loops.ts";
import { hostedLines } from "../../../support/lines.ts";

const program = restateProgram();

/** What a worker answers, asked as a balancer asks. */
function statusOf(port: number, path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const session = connect(`http://127.0.0.1:${port}`);
    session.on("error", reject);
    const stream = session.request({ ":path": path });
    stream.on("error", reject);
    stream.on("response", (headers) => {
      resolve(headers[":status"]);
      session.destroy();
    });
    stream.end();
  });
}

describe.skipIf(program === null)("a real server (node scripts/install-engines.mjs installs it)", () => {
  let server: EngineServer;
  let worker: Worker;
  /** One worker for all. */
  const loops = createScriptedLoops();
  const serve = (name: string, port = 0, slots = 10): Promise<Worker> =>
    serveRestate(server, { name, port, slots, open: loops.open });

  beforeAll(async () => {
    server = await startRestate(program ?? "");
    worker = await serve("one");
  });
  afterAll(async () => {
    await worker?.close();
    await server?.close();
  });

  engineContract({
    name: "restate",
    open: (script) => Promise.resolve(loops.scripted(createRestateEngine({ url: server.ingress }), script)),
  });

  const begin = async (name: string, script: Script): Promise<Engine> => {
    const engine = createRestateEngine({ url: server.ingress });
    await loops.begin(engine, name, script);
    return engine;
  };

  test("SPEC 13: what a dead worker had begun is begun again, recorded, and costs no fuel; its late result is refused", async () => {
    const [name, script] = ["taken-over", createScript()];
    script.lines.set("A1", [{ hold: true }, {}]);
    const engine = await begin(name, script);
    await viewed(engine, name, () => script.working.has("A1.1"));
    const { port } = worker;
    await worker.close();
    worker = await serve("two", port);
    const { state, attempts, reruns } = await viewed(engine, name, ({ state }) => state.control.outcome != null);
    expect({ outcome: state.control.outcome, attempts, reruns }).toEqual({
      outcome: "verified",
      attempts: 1,
      reruns: 1,
    });
    expect(script.integrated).toEqual(["A1.1"]);
    const { call } = createIngress({ url: server.ingress });
    const late = { task: "A1.1", run: 1, reason: "its branch was taken" };
    expect(await call(`/AotLoop/${name}/late`, late)).toMatchObject({ ok: false });
    await expect(call(`/AotLoop/${name}/settle`, { ...late, entries: [], at: "" })).rejects.toThrow(/not public/);
    const { refused } = await viewed(engine, name, () => true);
    expect(refused).toMatchObject([{ task: "A1.1", run: 1, reason: "its branch was taken" }]);
    const reported = await hostedLines(engine, name);
    expect(reported.flatMap((line) => (line.event === "note" ? [line.message] : []))).toEqual([
      expect.stringMatching(/A1\.1 is begun again by two \(run 2\); one had begun it/),
      expect.stringMatching(/late result of A1\.1 \(run 1\) is refused/),
    ]);
  });

  test("SPEC 13: a claim that comes late, of a host that was given up, leaves no task hanging (seed 37407 of prove:engine)", async () => {
    const [name, script] = ["late-claim", createScript()];
    script.lines.set("A1", [{ hold: true }]);
    const engine = await begin(name, script);
    await viewed(engine, name, () => script.working.has("A1.1"));
    const claim = { task: "A1.1", worker: "zombie", call: "", at: new Date().toISOString() };
    const answer = await createIngress({ url: server.ingress }).call(`/AotLoop/${name}/claim`, claim);
    expect(answer).toMatchObject({ ok: true, run: 2 });
    script.letGo("A1.1");
    const { state } = await viewed(engine, name, ({ state }) => state.control.outcome != null);
    expect(state.control.outcome).toBe("verified");
    expect(script.integrated).toEqual(["A1.1"]);
  });

  test("SPEC 9: a place that no worker can open stops the loop as agent_unavailable, and blames no atom", async () => {
    const script = createScript();
    script.open = () => Promise.reject(new Error("the remote is gone"));
    const engine = await begin("no-place", script);
    const { state } = await viewed(engine, "no-place", ({ state: { control } }) => control.outcome != null);
    expect(state.control).toMatchObject({ outcome: "agent_unavailable" });
    expect(state.control.stop_reason).toContain("the remote is gone");
    expect(atomIn(state, "A1").status).toBe("pending");
  });

  test("SPEC 13: an outage is no try: what a place throws behind one is tried again as often as ever", async () => {
    const [name, script] = ["behind-an-outage", createScript()];
    script.lines.set("A1", [{ hold: true }, {}]);
    const engine = await begin(name, script);
    await viewed(engine, name, () => script.working.has("A1.1"));
    const { port } = worker;
    await worker.close();
    // Restate counts its own tries in vain: more than the two that a place is given.
    const count = { query: "SELECT retry_count AS n FROM sys_invocation WHERE target_service_name = 'AotTask'" };
    const headers = { "content-type": "application/json", accept: "application/json" };
    for (let tries = 0, end = Date.now() + 45_000; tries < 4;) {
      if (Date.now() > end) throw new Error("Restate does not call in vain");
      const answer = await fetch(`${server.admin}/query`, { method: "POST", headers, body: JSON.stringify(count) });
      const { rows } = (await answer.json()) as { readonly rows: readonly { readonly n?: number }[] };
      tries = Math.max(0, ...rows.map(({ n = 0 }) => n));
      await new Promise((resume) => setTimeout(resume, 50));
    }
    const { open } = script;
    script.open = () => {
      script.open = open;
      return Promise.reject(new Error("the remote is not there yet"));
    };
    worker = await serve("four", port);
    const { state, attempts } = await viewed(engine, name, ({ state }) => state.control.outcome != null);
    expect({ outcome: state.control.outcome, attempts }).toEqual({ outcome: "verified", attempts: 1 });
  });

  test("SPEC 13: a draining worker takes nothing new, and ends what it began", async () => {
    const [name, script] = ["drained", createScript()];
    script.lines.set("A1", [{ hold: true }]);
    const engine = await begin(name, script);
    await viewed(engine, name, () => script.working.has("A1.1"));
    const { port } = worker;
    const drained = worker.drain();
    // It goes on listening: a balancer that is refused a connection would take it for dead, and cut off what it has.
    expect(await statusOf(port, "/health")).toBe(404);
    expect(await statusOf(port, "/discover")).toBe(503);
    script.letGo("A1.1");
    await drained;
    expect(script.aborted).toEqual([]);
    worker = await serve("three", port);
    const { state, attempts, reruns } = await viewed(engine, name, ({ state }) => state.control.outcome != null);
    expect({ outcome: state.control.outcome, attempts, reruns }).toEqual({
      outcome: "verified",
      attempts: 1,
      reruns: 0,
    });
  });

  test("SPEC 13: finished work is integrated though every slot has an agent running", async () => {
    const { port } = worker;
    await worker.close();
    worker = await serve("narrow", port, 1);
    const [quick, busy] = [createScript(), createScript()];
    for (const script of [quick, busy]) script.lines.set("A1", [{ hold: true }]);
    const engine = await begin("quick", quick);
    await viewed(engine, "quick", () => quick.working.has("A1.1"));
    await begin("busy", busy);
    quick.letGo("A1.1");
    await viewed(engine, "busy", () => busy.working.has("A1.1"));
    await viewed(engine, "quick", ({ state }) => atomIn(state, "A1").status === "resolved");
    expect(busy.working).toEqual(new Set(["A1.1"]));
    busy.letGo("A1.1");
    for (const name of ["quick", "busy"])
      await viewed(engine, name, ({ state }) => state.control.outcome === "verified");
  });

  test("RESTATE-ADMIN-1: what a dead worker had begun at an address of its own, another one begins again, unasked", async () => {
    const [name, script] = ["pinned", createScript()];
    script.lines.set("A1", [{ hold: true }, {}]);
    const engine = await begin(name, script);
    await viewed(engine, name, () => script.working.has("A1.1"));
    const second = await serve("second");
    const said: string[] = [];
    const [admin, address] = [{ url: server.admin }, `http://127.0.0.1:${second.port}`];
    const leave = standIn({ admin, address, every_ms: 100, warn: (message) => void said.push(message) });
    onTestFinished(leave);
    const old = worker.port;
    await worker.close();
    worker = second;
    const { state, attempts, reruns } = await viewed(engine, name, ({ state }) => state.control.outcome != null);
    expect([state.control.outcome, attempts, reruns]).toEqual(["verified", 1, 1]);
    expect(said).toContainEqual(expect.stringContaining(`nobody answers at http://127.0.0.1:${old}/`));
  });

  test("SPEC 13: neither of Restate's time-outs ends a silent agent before a day has passed", async () => {
    for (const service of ["AotTask", "AotLine"]) {
      const answer = await fetch(`${server.admin}/services/${service}`);
      expect(await answer.json()).toMatchObject({ inactivity_timeout: "1d", abort_timeout: "1d", public: false });
    }
  });
});

test("SPEC 13: an engine that does not answer is named, with what to do", async () => {
  const [port] = await freePorts(1);
  const engine = createRestateEngine({ url: `http://127.0.0.1:${port}` });
  const asked = engine.view("any");
  await expect(asked).rejects.toThrow(/the engine at http:.*does not answer/);
  await expect(asked).rejects.toMatchObject({ hint: expect.stringContaining("aot engine up") });
});

test("SPEC 13: Node 20 lacks what Restate's library needs: it is given, and said; a library that is not there is named", async () => {
  const before = Object.getOwnPropertyDescriptor(Promise, "withResolvers");
  Reflect.deleteProperty(Promise, "withResolvers");
  try {
    const loaded = await loadRestateSdk();
    expect(loaded).toMatchObject({ ok: true, note: expect.stringMatching(/Node .*Promise\.withResolvers/) });
    const given: unknown = Reflect.get(Promise, "withResolvers");
    if (typeof given !== "function") throw new Error("it was not given");
    const { promise, resolve } = Reflect.apply(given, Promise, []) as {
      promise: Promise<number>;
      resolve(n: number): void;
    };
    resolve(1);
    expect(await promise).toBe(1);
    expect(await loadRestateSdk()).not.toHaveProperty("note");
    const missing = await loadRestateSdk(() => Promise.reject(new Error("Cannot find package")));
    expect(missing).toMatchObject({ ok: false, hint: expect.stringContaining("npm install @restatedev/restate-sdk") });
  } finally {
    if (before !== undefined) Object.defineProperty(Promise, "withResolvers", before);
  }
});
