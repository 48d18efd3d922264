/** Labels on DBOS, against a real PostgreSQL on loopback (SPEC section 13). */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDbosEngine } from "../../../../src/engines/adapters/dbos/dbos-engine.ts";
import type { DbosWorker } from "../../../../src/engines/adapters/dbos/dbos-worker.ts";
import type { Engine } from "../../../../src/loop/engine.ts";
import {
  postgresPrograms,
  serveDbos,
  startPostgres,
  type Postgres,
} from "../../../support/engines/dbos-postgres.ts";
import { createScript } from "../../../support/engines/script.ts";
import { createPlacedLoops, createScriptedLoops, eventually } from "../../../support/engines/scripted-loops.ts";

const programs = postgresPrograms();

describe.skipIf(programs === null)("a real PostgreSQL", () => {
  let postgres: Postgres;
  let worker: DbosWorker | null = null;
  let engine: Engine;
  const loops = createScriptedLoops();
  const { begin, view, verified } = createPlacedLoops(loops, () => engine);

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

  test("SPEC 13: a loop that asks for labels waits for a worker with all of them, which takes nothing else, and no more than its slots", async () => {
    await begin("wants-gpu", { labels: ["gpu"] });
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
