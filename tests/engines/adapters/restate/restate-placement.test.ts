/** Labels against a real Restate server on loopback (SPEC section 13). */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createIngress } from "../../../../src/engines/adapters/restate/ingress.ts";
import { createRestateEngine } from "../../../../src/engines/adapters/restate/restate-engine.ts";
import type { Worker } from "../../../../src/engines/adapters/restate/restate-worker.ts";
import type { EngineServer } from "../../../../src/engines/server.ts";
import type { Engine } from "../../../../src/loop/engine.ts";
import { restateProgram, serveRestate, startRestate } from "../../../support/engines/restate.ts";
import { createPlacedLoops, createScriptedLoops, eventually } from "../../../support/engines/scripted-loops.ts";

const program = restateProgram();

/** How many tasks. */
function begunBy(worker: Worker | undefined): number {
  return [...(worker?.figures.begun.values() ?? [])].reduce((sum, count) => sum + count, 0);
}

describe.skipIf(program === null)("a real server (node scripts/install-engines.mjs installs it)", () => {
  let server: EngineServer;
  let engine: Engine;
  const workers: Worker[] = [];
  const loops = createScriptedLoops();
  const { begin, view, verified } = createPlacedLoops(loops, () => engine);

  const serve = async (name: string, labels: readonly string[] = [], port = 0): Promise<Worker> => {
    const worker = await serveRestate(server, { name, labels, port, open: loops.open });
    workers.push(worker);
    return worker;
  };

  beforeAll(async () => {
    server = await startRestate(program ?? "");
    await serve("plain");
    engine = createRestateEngine({ url: server.ingress });
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

  test("SPEC 13: who waits holds no worker: it drains meanwhile, and the wait goes on at the next one", async () => {
    const worker = workers.shift();
    if (worker === undefined) throw new Error("there is one");
    await begin("patient", { labels: ["nowhere"] });
    await eventually(
      "it waits",
      () => view("patient"),
      ({ working }) => working.length === 1,
    );
    await worker.drain();
    await serve("next", [], worker.port);
    await serve("there", ["nowhere"]);
    await verified("patient");
    expect((await view("patient")).reruns).toBe(0);
  });

  test("SPEC 13: the gate is passed by loops alone", async () => {
    const { call } = createIngress({ url: server.ingress });
    await expect(call("/AotGate/pass", {})).rejects.toThrow(/not public/);
  });
});
