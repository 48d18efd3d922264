/** Labels and tenants against a real Restate server on loopback (SPEC section 13). */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createIngress } from "../../../../src/engines/adapters/restate/ingress.ts";
import { createRestateEngine } from "../../../../src/engines/adapters/restate/restate-engine.ts";
import type { Worker } from "../../../../src/engines/adapters/restate/restate-worker.ts";
import type { EngineServer } from "../../../../src/engines/server.ts";
import type { Engine, Tenants } from "../../../../src/loop/engine.ts";
import { restateProgram, serveRestate, startRestate } from "../../../support/engines/restate.ts";
import { createScript } from "../../../support/engines/script.ts";
import { createPlacedLoops, createScriptedLoops, eventually } from "../../../support/engines/scripted-loops.ts";
import type { Sketch } from "../../../support/loops.ts";

const program = restateProgram();

/** How many tasks. */
function begunBy(worker: Worker | undefined): number {
  return [...(worker?.figures.begun.values() ?? [])].reduce((sum, count) => sum + count, 0);
}

describe.skipIf(program === null)("a real server (node scripts/install-engines.mjs installs it)", () => {
  let server: EngineServer;
  let engine: Engine;
  let tenants: Tenants;
  const workers: Worker[] = [];
  const loops = createScriptedLoops();
  const { begin, view, verified, tenant } = createPlacedLoops(loops, () => engine);

  const serve = async (name: string, labels: readonly string[] = [], port = 0): Promise<Worker> => {
    const worker = await serveRestate(server, { name, labels, port, open: loops.open });
    workers.push(worker);
    return worker;
  };

  beforeAll(async () => {
    server = await startRestate(program ?? "");
    await serve("plain");
    engine = createRestateEngine({ url: server.ingress });
    if (engine.tenants === undefined) throw new Error("it keeps tenants");
    tenants = engine.tenants;
  });
  afterAll(async () => {
    for (const worker of workers) await worker.close();
    await server?.close();
  });

  test("SPEC 13: a loop that asks for labels waits until there is a worker with all of them, and is worked by no other", async () => {
    await begin("wants-gpu", { labels: ["claude", "gpu"] });
    await begin("wants-nothing", null);
    await verified("wants-nothing");
    await serve("only-gpu", ["gpu"]);
    const waiting = await view("wants-gpu");
    expect(waiting).toMatchObject({
      placement: { labels: ["claude", "gpu"] },
      working: [{ task: "A1.1", worker: null, runs: 0, labels: ["claude", "gpu"] }],
    });
    const both = await serve("both", ["claude", "fast", "gpu"]);
    await verified("wants-gpu");
    expect(begunBy(both)).toBeGreaterThan(0);
    await begin("wants-nothing-again", null);
    const [plain, gpu] = workers;
    const before = begunBy(both);
    await verified("wants-nothing-again");
    expect([begunBy(both), begunBy(gpu)]).toEqual([before, 0]);
    expect(begunBy(plain)).toBeGreaterThan(0);
  });

  test("SPEC 13: labels of one kind of tasks are asked for by those alone", async () => {
    await begin("checked-there", { kinds: { check: ["docker"] } });
    const waiting = await eventually(
      "its check waits",
      () => view("checked-there"),
      ({ working }) => working.some(({ task }) => task.startsWith("check_base_case#")),
    );
    expect(waiting.working).toMatchObject([{ worker: null, labels: ["docker"] }]);
    const docker = await serve("docker", ["docker"]);
    await verified("checked-there");
    expect(begunBy(docker)).toBe(1);
  });

  test("SPEC 13: a loop that waits for a label can be stopped at once, and what comes later begins nothing of it", async () => {
    const script = await begin("wants-none-there", { labels: ["quantum"] });
    expect(await engine.signal("wants-none-there", { kind: "cancel", reason: "enough", id: "1" })).toMatchObject({
      ok: true,
    });
    await eventually(
      "stopped",
      () => view("wants-none-there"),
      ({ state }) => state.control.outcome === "stop_requested",
    );
    const late = await serve("quantum", ["quantum"]);
    await begin("wants-it-too", { labels: ["quantum"] });
    await verified("wants-it-too");
    expect(begunBy(late)).toBeGreaterThan(0);
    expect(script.requests).toEqual([]);
  });

  test("SPEC 13: the loops of a tenant have no more tasks running than it may; a dead worker's grant stays with its re-run", async () => {
    await tenants.limit("acme", { agents: 2 });
    const script = createScript();
    for (const id of ["A1", "A2"]) script.lines.set(id, [{ hold: true }, {}]);
    const sketch: Sketch = { atoms: [{ id: "A1" }, { id: "A2" }] };
    const names = ["acme-1", "acme-2"];
    await begin("acme-1", { tenant: "acme" }, sketch, script);
    await eventually(
      "both at work",
      async () => script.working.size,
      (size) => size === 2,
    );
    await begin("acme-2", { tenant: "acme" }, sketch);
    const full = await eventually(
      "two wait",
      () => tenant("acme"),
      ({ waiting }) => waiting.length === 2,
    );
    expect(full.granted.map(({ loop, task }) => `${loop}/${task}`).toSorted()).toEqual(["acme-1/A1.1", "acme-1/A2.1"]);
    expect((await view("acme-2")).working.map(({ worker }) => worker)).toEqual([null, null]);
    const plain = workers.shift();
    if (plain === undefined) throw new Error("there is one");
    await plain.close();
    await serve("plain-again", [], plain.port);
    for (const name of names) await verified(name);
    expect((await view("acme-1")).reruns).toBe(2);
    const after = await eventually(
      "all given back",
      () => tenant("acme"),
      ({ granted }) => granted.length === 0,
    );
    expect(after.waiting).toEqual([]);
    expect(after.spent_usd).toBeCloseTo(0.04);
  });

  test("SPEC 13: at the day's cost nothing more is begun; what a person raises lets it go on", async () => {
    await tenants.limit("thrifty", { cost_per_day_usd: 0.01 });
    await begin("thrifty-1", { tenant: "thrifty" }, { atoms: [{ id: "A1" }, { id: "A2", depends_on: ["A1"] }] });
    const spent = await eventually(
      "A2 waits",
      () => tenant("thrifty"),
      ({ waiting }) => waiting.length === 1,
    );
    expect(spent).toMatchObject({ granted: [], waiting: [{ loop: "thrifty-1", task: "A2.1" }] });
    expect(spent.spent_usd).toBeGreaterThanOrEqual(0.01);
    await tenants.limit("thrifty", { cost_per_day_usd: 1 });
    await verified("thrifty-1");
  });

  test("SPEC 13: who waits holds no worker: it drains meanwhile, and the wait goes on at the next one", async () => {
    await tenants.limit("patient", { agents: 1 });
    const script = createScript();
    script.lines.set("A1", [{ hold: true }]);
    await begin("patient-1", { tenant: "patient" }, undefined, script);
    await eventually("it is at work", async () => script.working.has("A1.1"), Boolean);
    await begin("patient-2", { tenant: "patient" });
    await begin("patient-3", { labels: ["nowhere"] });
    await eventually(
      "one waits",
      () => tenant("patient"),
      ({ waiting }) => waiting.length === 1,
    );
    const worker = workers.pop();
    if (worker === undefined) throw new Error("there is one");
    const drained = worker.drain();
    script.letGo("A1.1");
    await drained;
    await serve("next", [], worker.port);
    for (const name of ["patient-1", "patient-2"]) await verified(name);
    expect((await view("patient-1")).reruns).toBe(0);
  });

  test("SPEC 13: grants are asked for by loops and workers alone", async () => {
    const { call } = createIngress({ url: server.ingress });
    for (const handler of ["ask", "over", "wake"])
      await expect(call(`/AotTenant/acme/${handler}`, {})).rejects.toThrow(/not public/);
    await expect(call("/AotGate/pass", {})).rejects.toThrow(/not public/);
    expect(await tenants.view("nobody")).toBeNull();
  });
});
