/** The contract of engines on DBOS, against a real PostgreSQL on loopback, and what is its own. */
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { enqueuer } from "../../../../src/engines/adapters/dbos/dbos-client.ts";
import { openDatabase, type Database } from "../../../../src/engines/adapters/dbos/dbos-database.ts";
import { createDbosEngine } from "../../../../src/engines/adapters/dbos/dbos-engine.ts";
import { holdLease } from "../../../../src/engines/adapters/dbos/dbos-lease.ts";
import { openLoops, type Loops } from "../../../../src/engines/adapters/dbos/dbos-loops.ts";
import type { DbosWorker } from "../../../../src/engines/adapters/dbos/dbos-worker.ts";
import type { Engine, LoopSpec } from "../../../../src/loop/engine.ts";
import type { Report } from "../../../../src/loop/hosted-loop.ts";
import { engineContract } from "../../../contracts/engine.ts";
import {
  dbosLibrary,
  postgresPrograms,
  serveDbos,
  startPostgres,
  type Postgres,
} from "../../../support/engines/dbos-postgres.ts";
import { atomIn, createScript, type Script } from "../../../support/engines/script.ts";
import { createScriptedLoops, eventually, viewed } from "../../../support/engines/scripted-loops.ts";
import { stateOf } from "../../../support/loops.ts";
import { hostedLines } from "../../../support/lines.ts";

const LEASE_MS = 5_000;
const programs = postgresPrograms();
async function notesOf(engine: Engine, name: string): Promise<string[]> {
  const lines = await hostedLines(engine, name);
  return lines.flatMap((line) => (line.event === "note" ? [line.message] : []));
}

describe.skipIf(programs === null)("a real PostgreSQL", () => {
  let postgres: Postgres;
  let worker: DbosWorker;
  /** One worker for all. */
  const loops = createScriptedLoops();

  const serve = (name: string, warn: (message: string) => void = () => {}): Promise<DbosWorker> =>
    serveDbos({ name, url: postgres.url, warn, open: loops.open, lease_ms: LEASE_MS });

  beforeAll(async () => {
    postgres = await startPostgres(programs ?? "");
    worker = await serve("one");
  });
  afterAll(async () => {
    await worker?.close();
    await postgres?.close();
  });

  engineContract({
    name: "dbos",
    open: (script) => Promise.resolve(loops.scripted(createDbosEngine(postgres.url), script)),
  });

  const begin = async (name: string, script: Script, more: Partial<LoopSpec> = {}): Promise<Engine> => {
    const engine = createDbosEngine(postgres.url);
    onTestFinished(() => engine.close());
    await loops.begin(engine, name, script, more);
    return engine;
  };
  const halted = async (engine: Engine, name: string): Promise<object> => {
    const view = await viewed(engine, name, ({ state: { control } }) => control.outcome != null);
    return { outcome: view.state.control.outcome, attempts: view.attempts, reruns: view.reruns };
  };
  /** The loops as a worker has them. */
  const openedLoops = (overdue_ms?: number): { readonly loops: Loops; readonly database: Database } => {
    const sdk = dbosLibrary();
    const database = openDatabase(sdk, postgres.url, 2);
    onTestFinished(() => database.close());
    return {
      loops: openLoops({
        database,
        enqueue: enqueuer(sdk, database.pool),
        ...(overdue_ms === undefined ? {} : { overdue_ms }),
      }),
      database,
    };
  };

  test("SPEC 13: a worker that ends at once hands back what it had begun: recorded, and it costs no fuel", async () => {
    const [name, script] = ["taken-over", createScript()];
    script.lines.set("A1", [{ hold: true }, {}]);
    const engine = await begin(name, script);
    await viewed(engine, name, () => script.working.has("A1.1"));
    await worker.close();
    worker = await serve("two");
    expect(await halted(engine, name)).toEqual({ outcome: "verified", attempts: 1, reruns: 1 });
    expect(script.integrated).toEqual(["A1.1"]);
    expect(await notesOf(engine, name)).toEqual([
      expect.stringMatching(/A1\.1 is begun again by two \(run 2\); one had begun it/),
    ]);
  });

  test("SPEC 13: a worker performs no more tasks side by side than it has slots", async () => {
    await worker.close();
    worker = await serveDbos({ name: "narrow", url: postgres.url, slots: 2, open: loops.open, lease_ms: LEASE_MS });
    const script = createScript();
    const names = ["one", "two", "three"].map((name) => `narrow-${name}`);
    const atoms = names.map((_, i) => [{ id: `N${i}a` }, { id: `N${i}b` }]);
    const ids = atoms.flat().map(({ id }) => id);
    for (const id of ids) script.lines.set(id, [{ hold: true }]);
    for (const [i, name] of names.entries()) await begin(name, script, { state: stateOf({ atoms: atoms[i] ?? [] }) });
    await eventually(
      "two at work",
      async () => script.working.size,
      (size) => size === 2,
    );
    for (const id of ids) script.letGo(`${id}.1`);
    const engine = createDbosEngine(postgres.url);
    onTestFinished(() => engine.close());
    for (const name of names) expect(await halted(engine, name)).toMatchObject({ outcome: "verified" });
    expect(script.peak.working).toBe(2);
    await worker.close();
    worker = await serve("wide");
  });

  test("SPEC 13: a zombie begins nothing, and its late result is refused and recorded, once", async () => {
    const [name, script] = ["zombie", createScript()];
    script.lines.set("A1", [{ hold: true }, { hold: true }]);
    const engine = await begin(name, script);
    await viewed(engine, name, () => script.working.has("A1.1"));
    await worker.close();
    worker = await serve("three");
    await viewed(engine, name, () => script.working.has("A1.1"));
    const { loops } = openedLoops();
    // Who was given up may have the same name, but is not the same start of it.
    const other = await loops.claim(name, "A1.1", { name: "three", id: "three#earlier" });
    const reason = expect.stringMatching(/A1\.1 is another worker's by now/);
    expect(other).toEqual({ ok: false, reason, replaced: true });
    const late: Report = {
      task: "A1.1",
      run: 1,
      entries: [{ type: "work_succeeded", attempt: "A1.1", summary: "", artifacts: [] }],
    };
    expect(await loops.settle(name, late)).toMatchObject({ ok: false });
    expect(await loops.settle(name, late)).toMatchObject({ ok: true, repeated: true });
    script.letGo("A1.1");
    expect(await halted(engine, name)).toEqual({ outcome: "verified", attempts: 1, reruns: 1 });
    const { refused } = await viewed(engine, name, () => true);
    expect(refused).toMatchObject([{ task: "A1.1", run: 1, reason: "run 2 has replaced it" }]);
    expect((await notesOf(engine, name)).at(-1)).toMatch(/late result of A1\.1 \(run 1\) is refused/);
  });

  test("SPEC 13: what a worker reported counts once, though it had to ask again", async () => {
    const [name, script] = ["reported", createScript()];
    const engine = await begin(name, script);
    await halted(engine, name);
    const { lines } = await viewed(engine, name, () => true);
    const { loops } = openedLoops();
    expect(await loops.settle(name, { task: "A1.1", run: 1, entries: [] })).toMatchObject({ ok: true, repeated: true });
    expect(await viewed(engine, name, () => true)).toMatchObject({ lines, refused: [] });
  });

  test("SPEC 13: a dead worker keeps no loop from halting when a person has its attempt aborted", async () => {
    const [name, script] = ["given-up", createScript()];
    script.lines.set("A1", [{ hold: true }]);
    const engine = await begin(name, script);
    await viewed(engine, name, () => script.working.has("A1.1"));
    const { loops, database } = openedLoops(1_000);
    // As if it had been killed: nobody looks for this worker's runs any more.
    await database.query("UPDATE aot.runs SET worker = 'nobody' WHERE loop = $1", [name]);
    expect(await loops.signal(name, { kind: "cancel", reason: "enough", id: "c" })).toMatchObject({ ok: true });
    expect(await halted(engine, name)).toMatchObject({ outcome: "stop_requested", attempts: 1 });
    script.letGo("A1.1");
    await viewed(engine, name, ({ refused }) => refused.length === 1);
    expect(script.integrated).toEqual([]);
  });

  test("SPEC 9: a place that no worker can open stops the loop as agent_unavailable, and blames no atom", async () => {
    const script = createScript();
    script.open = () => Promise.reject(new Error("the remote is gone"));
    const engine = await begin("no-place", script);
    expect(await halted(engine, "no-place")).toMatchObject({ outcome: "agent_unavailable" });
    const { state } = await viewed(engine, "no-place", () => true);
    expect(state.control.stop_reason).toContain("the remote is gone");
    expect(atomIn(state, "A1").status).toBe("pending");
  });

  test("SPEC 13: a draining worker takes nothing new, and ends what it began", async () => {
    const [name, script] = ["drained", createScript()];
    script.lines.set("A1", [{ hold: true }]);
    const engine = await begin(name, script);
    await viewed(engine, name, () => script.working.has("A1.1"));
    const drained = worker.drain();
    script.letGo("A1.1");
    await drained;
    expect(script.aborted).toEqual([]);
    worker = await serve("four");
    expect(await halted(engine, name)).toEqual({ outcome: "verified", attempts: 1, reruns: 0 });
  });

  test("SPEC 13: PostgreSQL killed in the middle of a loop loses nothing and begins nothing again", async () => {
    const [name, script] = ["outage", createScript()];
    script.lines.set("A1", [{ hold: true }]);
    script.lines.set("A2", [{ hold: true }]);
    const engine = await begin(name, script, {
      state: stateOf({ atoms: [{ id: "A1" }, { id: "A2" }, { id: "A3", depends_on: ["A1", "A2"] }] }),
    });
    await viewed(engine, name, () => script.working.has("A1.1") && script.working.has("A2.1"));
    await postgres.kill();
    // Its result finds nobody to take it.
    script.letGo("A1.1");
    await expect(engine.view(name)).rejects.toThrow(/PostgreSQL at postgres:.* cannot be reached/);
    await postgres.start();
    script.letGo("A2.1");
    expect(await halted(engine, name)).toEqual({ outcome: "verified", attempts: 3, reruns: 0 });
    expect(script.integrated.toSorted()).toEqual(["A1.1", "A2.1", "A3.1"]);
    expect(script.integrated.at(-1)).toBe("A3.1");
  });

  test("SPEC 4: a loop hears when its time is up, though nothing else happens", async () => {
    const [name, script] = ["deadline", createScript()];
    script.lines.set("A1", [{ hold: true }]);
    const sketch = { atoms: [{ id: "A1" }, { id: "A2", depends_on: ["A1"] }], constraints: { max_duration: "1s" } };
    const engine = await begin(name, script, { state: stateOf(sketch) });
    const { database } = openedLoops();
    const due = "SELECT 1 FROM aot_dbos.workflow_status WHERE workflow_uuid LIKE $1 AND status = 'SUCCESS'";
    await eventually("it was told", async () => (await database.query(due, [`${name}/wake%`])).length === 1);
    script.letGo("A1.1");
    expect(await halted(engine, name)).toMatchObject({ outcome: "budget", attempts: 1 });
  });

  test("SPEC 9: a loop that waits for a person holds no workflow", async () => {
    const [name, script] = ["waiting", createScript()];
    script.verdicts.splice(0, 1, "unconfirmed");
    const engine = await begin(name, script);
    expect(await halted(engine, name)).toMatchObject({ outcome: "needs_confirmation" });
    const { database } = openedLoops();
    const open = "SELECT 1 FROM aot_dbos.workflow_status WHERE workflow_uuid LIKE $1 AND status <> 'SUCCESS'";
    await eventually("none is open", async () => (await database.query(open, [`${name}/%`])).length === 0);
    expect(await engine.signal(name, { kind: "approve", id: "yes" })).toMatchObject({ ok: true });
    await viewed(engine, name, ({ state: { control } }) => control.outcome === "verified");
  });

  test("DBOS-ENGINE-1, DBOS-ENGINE-2: a loop that is over is forgotten with all its rows, once; its name is not given again", async () => {
    const [name, script] = ["over", createScript()];
    const engine = await begin(name, script);
    await halted(engine, name);
    const [held, waits] = ["over-not-yet", createScript()];
    waits.lines.set("A1", [{ hold: true }]);
    await begin(held, waits);
    await viewed(engine, held, () => waits.working.has("A1.1"));
    const { retention } = engine;
    if (retention === undefined) throw new Error("it forgets");
    const over = async (days: number): Promise<readonly string[]> =>
      (await retention.over(days)).map(({ loop }) => loop).filter((loop) => loop.startsWith("over"));
    await eventually("all that was due has ended", async () => (await over(0)).includes(name));
    expect(await over(0)).toEqual([name]);
    expect(await over(1)).toEqual([]);
    expect([await retention.forget(name, 1), await retention.forget(held, 0)]).toEqual([false, false]);
    expect(await engine.view(name)).not.toBeNull();
    const { database } = openedLoops();
    const kept = async (loop: string): Promise<number> => {
      const text = `SELECT (SELECT count(*) FROM aot.lines WHERE loop = $1) + (SELECT count(*) FROM aot.runs WHERE loop = $1)
        + (SELECT count(*) FROM aot_dbos.workflow_status WHERE starts_with(workflow_uuid, $1 || '/'))
        + (SELECT count(*) FROM aot_dbos.operation_outputs WHERE starts_with(workflow_uuid, $1 || '/')) AS kept`;
      const [row] = await database.query(text, [loop]);
      return Number(row?.["kept"]);
    };
    const others = await kept(held);
    expect(await kept(name)).toBeGreaterThan(4);
    expect(await retention.forget(name, 0)).toBe(true);
    expect([await kept(name), await kept(held)]).toEqual([0, others]);
    expect([await engine.view(name), (await engine.loops()).includes(name), await retention.forget(name, 0)]).toEqual([
      null,
      false,
      false,
    ]);
    const spec = { state: stateOf({ atoms: [{ id: "A1" }] }), settings: { verify_each: false, confirmed: false } };
    const memory = { cost_usd: 0, active_ms: 0, attempts: {}, nogoods: [], probed: {} };
    const again = await engine.start(name, { ...spec, memory, terms: {} });
    expect(again).toMatchObject({ ok: false, message: expect.stringContaining("forgotten") });
    expect(await engine.signal(name, { kind: "cancel", reason: "x", id: "x" })).toMatchObject({ ok: false });
    waits.letGo("A1.1");
    expect(await halted(engine, held)).toMatchObject({ outcome: "verified" });
  });

  test("SPEC 13: a worker ends though the database is away; another one begins again what it had begun", async () => {
    const [name, script] = ["left", createScript()];
    script.lines.set("A1", [{ hold: true }, {}]);
    const engine = await begin(name, script);
    await viewed(engine, name, () => script.working.has("A1.1"));
    await postgres.kill();
    await worker.close();
    expect(script.aborted).toEqual(["A1.1"]);
    await postgres.start();
    worker = await serve("another");
    expect(await halted(engine, name)).toEqual({ outcome: "verified", attempts: 1, reruns: 1 });
  });

  test("DBOS-WORKER-1: a worker that was given up ends what it had begun, joins anew, and no task is lost with it", async () => {
    await worker.close();
    const said: string[] = [];
    worker = await serve("silent", (message) => void said.push(message));
    const [name, script] = ["given-up-alive", createScript()];
    script.lines.set("A1", [{ hold: true }, {}]);
    const engine = await begin(name, script);
    await viewed(engine, name, () => script.working.has("A1.1"));
    const { database } = openedLoops();
    await database.query("UPDATE aot.executors SET lost = true WHERE name = 'silent'");
    expect(await halted(engine, name)).toEqual({ outcome: "verified", attempts: 1, reruns: 1 });
    expect(script.aborted).toEqual(["A1.1"]);
    expect(script.integrated).toEqual(["A1.1"]);
    expect(said).toContainEqual(expect.stringContaining("the worker silent was silent for too long"));
  });

  test("DBOS-LEASE-2: what was silent while the database was away is not given up", async () => {
    const { database } = openedLoops();
    await database.query("INSERT INTO aot.executors (id, name) VALUES ('other#1', 'other')");
    await postgres.kill();
    await setTimeout(LEASE_MS * 0.7);
    await postgres.start();
    const isLost = async (): Promise<boolean> => {
      const [row] = await database.query("SELECT lost FROM aot.executors WHERE id = 'other#1'");
      return row?.["lost"] === true;
    };
    await database.query("UPDATE aot.executors SET seen = clock_timestamp() - interval '1 hour' WHERE id = 'other#1'");
    const beats = async (): Promise<number> => {
      const text = `SELECT count(*) AS beats FROM aot.executors WHERE NOT lost
        AND name <> 'other' AND seen > pg_postmaster_start_time() + interval '1 second'`;
      return Number((await database.query(text))[0]?.["beats"]);
    };
    await eventually("the worker was heard of", beats, (count) => count > 0);
    expect(await isLost()).toBe(false);
    await eventually("once it has been up for a lease", isLost);
  });

  test("DBOS-LEASE-2: workers that were all suspended and go on together give nobody up", async () => {
    const { database } = openedLoops();
    const ended: string[] = [];
    const takeOver = async (ids: readonly string[]): Promise<void> => void ended.push(...ids);
    const hold = (id: string) =>
      holdLease({ database, id, name: id, lease_ms: 1_000, warn: () => {}, takeOver, lost: () => void ended.push(id) });
    const leases = [await hold("one"), await hold("two")];
    await setTimeout(1_500);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_500);
    await setTimeout(700);
    for (const lease of leases) lease.end();
    expect(ended).toEqual([]);
    await database.query("DELETE FROM aot.executors WHERE id IN ('one', 'two')");
  });

  test("SPEC 13: a connection that the server ends while it is held takes no worker with it", async () => {
    const [held, other] = [1, 1].map((most) => openDatabase(dbosLibrary(), postgres.url, most));
    if (held === undefined || other === undefined) throw new Error("none");
    onTestFinished(async () => void (await Promise.all([held.close(), other.close()])));
    const connection = await held.connect();
    const [row] = (await connection.query("SELECT pg_backend_pid() AS pid")).rows;
    await other.query("SELECT pg_terminate_backend($1)", [row?.["pid"]]);
    await eventually("the server has ended it", async () => {
      const [left] = await other.query("SELECT count(*) AS left FROM pg_stat_activity WHERE pid = $1", [row?.["pid"]]);
      return left?.["left"] === "0";
    });
    await expect(connection.query("SELECT 1")).rejects.toThrow();
    connection.release(true);
    expect(await held.query("SELECT 1 AS one")).toEqual([{ one: 1 }]);
  });

  test("SPEC 13: who is not let in learns how users and passwords are given, and no password is said", async () => {
    const owner = openDatabase(dbosLibrary(), postgres.url, 1);
    onTestFinished(() => owner.close());
    await owner.query("CREATE ROLE guest LOGIN PASSWORD 'right-word'");
    const [file] = await owner.query("SHOW hba_file");
    const rules = "VALUES ('host all guest 127.0.0.1/32 scram-sha-256'), ('host all all 127.0.0.1/32 trust')";
    await owner.query(`COPY (${rules}) TO '${String(file?.["hba_file"])}'`);
    await owner.query("SELECT pg_reload_conf()");
    const asked = async (user: string): Promise<unknown> => {
      const engine = createDbosEngine(postgres.url.replace("//aot@", `//${user}@`));
      onTestFinished(() => engine.close());
      return await engine.loops().catch((error: unknown) => error);
    };
    const hint = expect.stringContaining("PGPASSWORD");
    await eventually("the rules hold", async () => JSON.stringify(await asked("guest")).includes("PGPASSWORD"));
    expect(await asked("guest")).toMatchObject({ hint, message: expect.stringContaining("cannot be reached") });
    const wrong = await asked("guest:wrong-word");
    expect(wrong).toMatchObject({ hint, message: expect.stringContaining("password authentication failed") });
    expect(String(wrong)).not.toContain("wrong-word");
    expect(await asked("guest:right-word")).toMatchObject({ hint: expect.stringContaining("read and write") });
    await owner.query("ALTER ROLE guest CONNECTION LIMIT 0");
    expect(await asked("guest:right-word")).toMatchObject({ hint: expect.stringContaining("max_connections") });
  });
});
