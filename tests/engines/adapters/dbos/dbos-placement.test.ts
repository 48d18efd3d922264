/** Labels and tenants on DBOS, against a real PostgreSQL on loopback (SPEC section 13). */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { openDatabase } from "../../../../src/engines/adapters/dbos/dbos-database.ts";
import { createDbosEngine } from "../../../../src/engines/adapters/dbos/dbos-engine.ts";
import type { DbosWorker } from "../../../../src/engines/adapters/dbos/dbos-worker.ts";
import type { Engine } from "../../../../src/loop/engine.ts";
import {
  dbosLibrary,
  postgresPrograms,
  serveDbos,
  startPostgres,
  type Postgres,
} from "../../../support/engines/dbos-postgres.ts";
import { createScript } from "../../../support/engines/script.ts";
import { createPlacedLoops, createScriptedLoops, eventually } from "../../../support/engines/scripted-loops.ts";
import type { Sketch } from "../../../support/loops.ts";

const programs = postgresPrograms();

describe.skipIf(programs === null)("a real PostgreSQL", () => {
  let postgres: Postgres;
  let worker: DbosWorker | null = null;
  let engine: Engine;
  const loops = createScriptedLoops();
  const { begin, view, verified, tenant } = createPlacedLoops(loops, () => engine);

  /** One per process: the one before it ends. */
  const serve = async (name: string, labels: readonly string[] = [], slots = 10): Promise<void> => {
    await worker?.close();
    worker = await serveDbos({ name, url: postgres.url, slots, labels, open: loops.open });
  };

  beforeAll(async () => {
    postgres = await startPostgres(programs ?? "");
    await serve("one");
    engine = createDbosEngine(postgres.url);
  });
  afterAll(async () => {
    await engine?.close();
    await worker?.close();
    await postgres?.close();
  });

  test("SPEC 13: the loops of a tenant have no more tasks running than it may; a dead worker's grant stays with its re-run", async () => {
    await engine.tenants?.limit("acme", { agents: 2 });
    const script = createScript();
    for (const id of ["A1", "A2"]) script.lines.set(id, [{ hold: true }, {}]);
    const sketch: Sketch = { atoms: [{ id: "A1" }, { id: "A2" }] };
    await begin("acme-1", { tenant: "acme" }, sketch, script);
    await eventually(
      "both at work",
      async () => script.working.size,
      (size) => size === 2,
    );
    await begin("acme-2", { tenant: "acme" }, sketch);
    const full = await tenant("acme");
    expect(full.granted.map(({ loop, task }) => `${loop}/${task}`).toSorted()).toEqual(["acme-1/A1.1", "acme-1/A2.1"]);
    expect(full.waiting).toHaveLength(2);
    await serve("two");
    for (const name of ["acme-1", "acme-2"]) await verified(name);
    expect((await view("acme-1")).reruns).toBe(2);
    const after = await tenant("acme");
    expect(after).toMatchObject({ granted: [], waiting: [] });
    expect(after.spent_usd).toBeCloseTo(0.04);
  });

  test("SPEC 8: who is stopped before it began gives its place back, and who waits moves up", async () => {
    await engine.tenants?.limit("narrow", { agents: 1 });
    const script = createScript();
    script.lines.set("A1", [{ hold: true }]);
    await begin("narrow-1", { tenant: "narrow" }, undefined, script);
    await eventually("it is at work", async () => script.working.has("A1.1"), Boolean);
    for (const name of ["narrow-2", "narrow-3"]) await begin(name, { tenant: "narrow" });
    expect((await tenant("narrow")).waiting.map(({ loop }) => loop)).toEqual(["narrow-2", "narrow-3"]);
    await engine.signal("narrow-2", { kind: "cancel", reason: "enough", id: "1" });
    await eventually(
      "stopped",
      () => view("narrow-2"),
      ({ state }) => state.control.outcome === "stop_requested",
    );
    expect((await tenant("narrow")).waiting.map(({ loop }) => loop)).toEqual(["narrow-3"]);
    await engine.signal("narrow-1", { kind: "cancel", reason: "enough", id: "1" });
    await verified("narrow-3");
    expect(await tenant("narrow")).toMatchObject({ granted: [], waiting: [] });
  });

  test("SPEC 13: at the day's cost nothing more is begun; what a person raises lets it go on", async () => {
    await engine.tenants?.limit("thrifty", { cost_per_day_usd: 0.01 });
    await begin("thrifty-1", { tenant: "thrifty" }, { atoms: [{ id: "A1" }, { id: "A2", depends_on: ["A1"] }] });
    const spent = await eventually(
      "A2 waits",
      () => tenant("thrifty"),
      ({ waiting }) => waiting.length === 1,
    );
    expect(spent).toMatchObject({ granted: [], waiting: [{ loop: "thrifty-1", task: "A2.1" }] });
    await engine.tenants?.limit("thrifty", { cost_per_day_usd: 1 });
    await verified("thrifty-1");
    expect(await engine.tenants?.view("nobody")).toBeNull();
  });

  test("SPEC 13: a tenant at its day's cost has one wake-up, however many wait; those that are over are gone", async () => {
    const database = openDatabase(dbosLibrary(), postgres.url, 2);
    onTestFinished(() => database.close());
    const wakeUps = async (): Promise<{ readonly waiting: readonly string[]; readonly over: readonly string[] }> => {
      const text = `SELECT workflow_uuid AS id, status FROM aot_dbos.workflow_status
        WHERE starts_with(workflow_uuid, 'tenant/broke/') AND status IN ('DELAYED', 'SUCCESS')`;
      const rows = await database.query(text);
      const ids = (wanted: string): string[] =>
        rows.filter(({ status }) => status === wanted).map(({ id }) => String(id));
      return { waiting: ids("DELAYED"), over: ids("SUCCESS") };
    };
    const due = (ms: number): Promise<unknown> =>
      database.query(
        `UPDATE aot_dbos.workflow_status SET delay_until_epoch_ms = $1
          WHERE status = 'DELAYED' AND starts_with(workflow_uuid, 'tenant/broke/')`,
        [ms],
      );
    await engine.tenants?.limit("broke", { cost_per_day_usd: 0 });
    const names = ["broke-1", "broke-2", "broke-3", "broke-4"];
    for (const name of names) await begin(name, { tenant: "broke" });
    expect((await tenant("broke")).waiting).toHaveLength(4);
    const first = await wakeUps();
    expect([first.waiting.length, first.over.length]).toEqual([1, 0]);
    // As if the clock of the host that asked for it were slow: it comes too early, and another one is asked for.
    let [last] = first.waiting;
    for (let turn = 0; turn < 3; turn++) {
      await due(1);
      const now = await eventually(
        "it ran, another one waits, and the one before it is gone",
        wakeUps,
        ({ waiting, over }) => waiting.length === 1 && waiting[0] !== last && over.join() === last,
      );
      [last] = now.waiting;
    }
    // As if it were fast: what comes much too late does not count.
    await due(Date.parse("2999-01-01"));
    await begin("broke-5", { tenant: "broke" });
    expect((await wakeUps()).waiting).toHaveLength(2);
    await engine.tenants?.limit("broke", {});
    for (const name of [...names, "broke-5"]) await verified(name);
  });

  test("SPEC 13: a loop that asks for labels waits for a worker with all of them, which takes nothing else, and no more than its slots", async () => {
    await begin("wants-gpu", { labels: ["gpu"], tenant: "acme" });
    await begin("wants-nothing", null);
    await verified("wants-nothing");
    expect((await view("wants-gpu")).working).toEqual([{ task: "A1.1", worker: null, runs: 0, labels: ["gpu"] }]);
    await begin("checked-there", { kinds: { check: ["gpu"] } });
    await eventually(
      "its check waits",
      () => view("checked-there"),
      ({ working }) => working.some(({ task, labels }) => task.startsWith("check_base_case#") && labels?.[0] === "gpu"),
    );
    const script = createScript();
    const asked = { both: ["claude", "gpu"], gpu: ["gpu"], claude: ["claude"] };
    // The script knows attempts by their atoms alone.
    const atomsOf = (name: string): string[] => [`${name}1`, `${name}2`];
    const atoms = Object.keys(asked).flatMap(atomsOf);
    for (const id of atoms) script.lines.set(id, [{ hold: true }]);
    await serve("labelled", ["claude", "gpu"], 2);
    await verified("wants-gpu");
    await verified("checked-there");
    for (const [name, labels] of Object.entries(asked))
      await begin(name, { labels }, { atoms: atomsOf(name).map((id) => ({ id })) }, script);
    await begin("wants-nothing-yet", null);
    await eventually(
      "two at work",
      async () => script.working.size,
      (size) => size > 0,
    );
    for (const id of atoms) script.letGo(`${id}.1`);
    for (const name of Object.keys(asked)) await verified(name);
    expect(script.peak.working).toBeLessThanOrEqual(2);
    expect((await view("wants-nothing-yet")).working).toEqual([{ task: "A1.1", worker: null, runs: 0 }]);
  });
});
