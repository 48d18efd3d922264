/** Workers that come to one database at the same time, as processes, against a real PostgreSQL on loopback (SPEC section 13). */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDatabase } from "../../../../src/adapters/engines/dbos/dbos-database.ts";
import { dbosLibrary, postgresPrograms, startPostgres, type Postgres } from "../../../engines/dbos-postgres.ts";
import { bundleFixture, startWorker, temporaryFolder } from "../../../support/bundle.ts";

const AT_ONCE = (process.env["AT_ONCE"] ?? "2,4").split(",").map(Number);
const ROUNDS = Number(process.env["ROUNDS"] ?? 1);

const programs = postgresPrograms();
describe.skipIf(programs === null)("a real PostgreSQL", () => {
  let postgres: Postgres;
  let program: string;
  beforeAll(async () => {
    postgres = await startPostgres(programs ?? "");
    program = await bundleFixture("engines/dbos-worker.ts");
  });
  afterAll(() => postgres?.close());

  test.each(AT_ONCE)(
    "SPEC 13: %i workers that come together where nobody was before all serve",
    async (count) => {
      const database = openDatabase(dbosLibrary(), postgres.url, 1);
      const failures: string[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const name = `fresh_${count}_${round}`;
        await database.query(`CREATE DATABASE ${name}`);
        const url = postgres.url.replace(/[^/]+$/, name);
        const folder = temporaryFolder();
        const workers = Array.from({ length: count }, (_, index) =>
          startWorker(program, JSON.stringify({ url, name: `w${index}`, folder, agent_ms: 10 })),
        );
        const said = await Promise.all(workers.map((worker) => worker.line().catch((error: unknown) => String(error))));
        failures.push(...said.filter((line) => line !== "ready"));
        for (const worker of workers) worker.kill();
        await Promise.all(workers.map((worker) => worker.ended().catch(() => null)));
        await database.query(`DROP DATABASE ${name} WITH (FORCE)`);
      }
      await database.close();
      if (failures.length > 0) console.warn(failures.length, failures.map((one) => one.slice(0, 1500)).join("\n---\n"));
      expect(failures).toEqual([]);
    },
    600_000,
  );
});
