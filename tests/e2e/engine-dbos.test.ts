/**
 * Workers on a real PostgreSQL, and somebody who kills them and it (SPEC section 13): every loop ends as it would have ended
 * undisturbed, no attempt beyond its fuel, nothing integrated twice, each run that was begun again recorded. KILL_LOOPS,
 * KILL_ATOMS and KILL_SECONDS say how much; the test's name has the seed, KILL_SEED draws the same numbers again.
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createDbosEngine } from "../../src/engines/adapters/dbos/dbos-engine.ts";
import type { Engine, LoopView } from "../../src/loop/engine.ts";
import { postgresPrograms, startPostgres, type Postgres } from "../support/engines/dbos-postgres.ts";
import { bundleFixture, chance, startWorker, temporaryFolder, type Worker } from "../support/bundle.ts";
import { stateOf } from "../support/loops.ts";
import { hostedLines } from "../support/lines.ts";

const LOOPS = Number(process.env["KILL_LOOPS"] ?? 12);
const ATOMS = Number(process.env["KILL_ATOMS"] ?? 10);
const SECONDS = Number(process.env["KILL_SECONDS"] ?? 25);
const SEED = Number(process.env["KILL_SEED"] ?? Date.now() % 100_000);
const FINISH_MS = 150_000;
/** Short, so that also a worker that is stopped for a moment is given up. */
const LEASE_MS = 3_000;
const SETTINGS = { verify_each: false, confirmed: false };
const MEMORY = { cost_usd: 0, active_ms: 0, attempts: {}, nogoods: [], probed: {} };

const programs = postgresPrograms();
const pause = (ms: number): Promise<void> => new Promise((resume) => setTimeout(resume, ms));

/** Layers of five; each atom needs two of the layer before. */
function sketch(): Parameters<typeof stateOf>[0] {
  const atoms = Array.from({ length: ATOMS }, (_, index) => {
    const above = Math.floor(index / 5) * 5 - 5;
    const depends_on = above < 0 ? [] : [`A${above + (index % 5)}`, `A${above + ((index + 1) % 5)}`];
    return { id: `A${index}`, depends_on };
  });
  return { atoms, constraints: { max_iterations: ATOMS * 2, max_stall_count: ATOMS } };
}

async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  for (const end = Date.now() + FINISH_MS; ;) {
    try {
      return await ask();
    } catch (error) {
      if (Date.now() > end) throw error;
      await pause(100);
    }
  }
}

async function halted(engine: Engine, loop: string): Promise<LoopView> {
  return await patiently(async () => {
    const view = await engine.view(loop);
    if (view?.state.control.outcome == null)
      throw new Error(`${loop} has not halted: ${JSON.stringify(view?.working)}`);
    return view;
  });
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

  test(
    `SPEC 13: ${LOOPS} loops of ${ATOMS} atoms end as undisturbed while workers and PostgreSQL are killed (seed ${SEED})`,
    { timeout: SECONDS * 1_000 + FINISH_MS + 60_000 },
    async () => {
      const roll = chance(SEED);
      rmSync(join(folder, "integrated"), { recursive: true, force: true });
      rmSync(join(folder, "begun"), { force: true });
      const staff = ["w0", "w1", "w2"];
      for (const name of staff) begin(name);
      const names = Array.from({ length: LOOPS }, (_, index) => `loop-${index}`);
      const spec = { state: stateOf(sketch()), memory: MEMORY, settings: SETTINGS, terms: {} };
      const begun = Promise.all(names.map((name) => patiently(() => engine.start(name, spec))));
      const done = { workers: 0, servers: 0, stopped: 0 };
      for (let turn = 0, end = Date.now() + SECONDS * 1_000; Date.now() < end; turn++) {
        await pause(500 + roll() * 1_500);
        const victim = staff[Math.floor(roll() * staff.length)] ?? "w0";
        // Each kind has its turn, whatever the seed.
        if (turn % 4 === 2) {
          await postgres.kill();
          await postgres.start();
          done.servers++;
        } else if (turn % 4 === 1) {
          workers.get(victim)?.kill("SIGSTOP");
          await pause(2_000);
          workers.get(victim)?.kill("SIGCONT");
          done.stopped++;
        } else {
          await kill(victim);
          begin(victim);
          done.workers++;
        }
      }
      await begun;

      expect(crashed).toEqual([]);
      const views: LoopView[] = [];
      for (const name of names) views.push(await halted(engine, name));
      const failing = Array.from({ length: ATOMS }, (_, index) => `A${index}`).filter((id) => id.endsWith("7")).length;
      for (const { loop, state, attempts } of views)
        expect({ loop, outcome: state.control.outcome, attempts }).toEqual({
          loop,
          outcome: "verified",
          attempts: ATOMS + failing,
        });
      expect(existsSync(join(folder, "integrated"))).toBe(true);
      expect(readdirSync(join(folder, "integrated"))).toHaveLength(LOOPS * ATOMS);
      const physical = readFileSync(join(folder, "begun"), "utf8").trim().split("\n");
      const runs = physical.map((line) => line.split(" ").slice(0, 3).join(" "));
      expect(new Set(runs).size, "no run is begun twice").toBe(physical.length);
      let recorded = 0;
      for (const name of names) {
        const lines = await hostedLines(engine, name);
        const resolved = lines.filter(({ event }) => event === "attempt_integrated");
        expect(resolved, `${name}: each atom once`).toHaveLength(ATOMS);
        recorded += lines.filter((line) => line.event === "note" && line.message.includes("is begun again by")).length;
      }
      const reruns = views.reduce((sum, view) => sum + view.reruns, 0);
      expect(recorded, "each run that was begun again is in a journal").toBe(reruns);
      expect(reruns).toBeGreaterThanOrEqual(physical.filter((line) => line.split(" ")[2] !== "1").length);
      const refused = views.reduce((sum, view) => sum + view.refused.length, 0);
      console.log(JSON.stringify({ seed: SEED, loops: LOOPS, atoms: LOOPS * ATOMS, ...done, reruns, refused }));
    },
  );
});
