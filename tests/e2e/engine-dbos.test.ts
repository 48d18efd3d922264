/**
 * Workers on a real PostgreSQL that die or hang (SPEC section 13): others take over, and who comes back works again.
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createDbosEngine } from "../../src/engines/adapters/dbos/dbos-engine.ts";
import type { Engine, LoopView } from "../../src/loop/engine.ts";
import { patiently } from "../support/engines/site.ts";
import { postgresPrograms, startPostgres, type Postgres } from "../support/engines/dbos-postgres.ts";
import { bundleFixture, startWorker, temporaryFolder, type Worker } from "../support/bundle.ts";
import { stateOf } from "../support/loops.ts";

const FINISH_MS = 150_000;
/** Short, so that also a worker that is stopped for a moment is given up. */
const LEASE_MS = 3_000;
const SETTINGS = { verify_each: false, confirmed: false };
const MEMORY = { cost_usd: 0, active_ms: 0, attempts: {}, nogoods: [], probed: {} };

const programs = postgresPrograms();
async function halted(engine: Engine, loop: string): Promise<LoopView> {
  return await patiently(async () => {
    const view = await engine.view(loop);
    if (view?.state.control.outcome == null)
      throw new Error(`${loop} has not halted: ${JSON.stringify(view?.working)}`);
    return view;
  }, FINISH_MS);
}

describe.skipIf(programs === null)("on a real PostgreSQL", () => {
  let postgres: Postgres;
  let program: string;
  let folder: string;
  let engine: Engine;
  const workers = new Map<string, Worker>();
  /** Of workers that ended by themselves after they were ready: none should. */
  const crashed: string[] = [];

  /** Kept running as a service is: one that could not start, since the database was away, is started again. */
  const begin = (name: string): void => {
    const settings = { url: postgres.url, name, folder, agent_ms: 60, lease_ms: LEASE_MS };
    const worker = startWorker(program, JSON.stringify(settings));
    workers.set(name, worker);
    let isReady = false;
    worker.line().then(
      () => (isReady = true),
      () => {},
    );
    worker.ended().catch((error: unknown) => {
      if (isReady) crashed.push(String(error));
      if (workers.get(name) === worker) begin(name);
    });
  };
  const kill = async (name: string): Promise<void> => {
    const worker = workers.get(name);
    workers.delete(name);
    worker?.kill("SIGKILL");
    await worker?.ended().catch(() => null);
  };

  beforeAll(async () => {
    postgres = await startPostgres(programs ?? "");
    program = await bundleFixture("engines/dbos-worker.ts");
    folder = temporaryFolder();
    engine = createDbosEngine(postgres.url);
  });
  afterAll(async () => {
    for (const name of workers.keys()) await kill(name);
    await engine?.close();
    await postgres?.close();
  });

  test.each(["SIGKILL", "SIGSTOP"] as const)(
    "SPEC 13: what a worker had begun that died or hangs (%s) another one begins again, unasked, and it costs no fuel",
    async (signal) => {
      const [loop, hold] = [`without-${signal.toLowerCase()}`, join(folder, "hold")];
      writeFileSync(hold, "");
      onTestFinished(() => rmSync(hold, { force: true }));
      begin("w0");
      const spec = { state: stateOf({ atoms: [{ id: "A1" }] }), memory: MEMORY, settings: SETTINGS, terms: {} };
      // Until the worker has made the tables nobody can be asked.
      expect(await patiently(() => engine.start(loop, spec))).toMatchObject({ ok: true });
      const begun = async (by: string): Promise<void> =>
        await patiently(() => Promise.resolve(expect(readFileSync(join(folder, "begun"), "utf8")).toContain(by)));
      await begun(`${loop} A1.1 1 w0`);
      begin("w1");
      if (signal === "SIGKILL") await kill("w0");
      else workers.get("w0")?.kill(signal);
      await begun(`${loop} A1.1 2 w1`);
      rmSync(hold);
      const { state, attempts, reruns } = await halted(engine, loop);
      expect([state.control.outcome, attempts, reruns]).toEqual(["verified", 1, 1]);
      await kill("w1");
      if (signal === "SIGKILL") return;
      // Who was given up and comes back works again.
      workers.get("w0")?.kill("SIGCONT");
      expect(await engine.start("after", spec)).toMatchObject({ ok: true });
      expect((await halted(engine, "after")).state.control.outcome).toBe("verified");
      await kill("w0");
    },
  );
});
