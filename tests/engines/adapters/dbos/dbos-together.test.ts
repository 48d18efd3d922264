/** Workers that come to one database at the same time, as processes, against a real PostgreSQL on loopback (SPEC section 13). */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { openDatabase, type Database } from "../../../../src/engines/adapters/dbos/dbos-database.ts";
import { tryLock } from "../../../../src/engines/adapters/dbos/dbos-lock.ts";
import { DBOS_SCHEMA } from "../../../../src/engines/adapters/dbos/dbos-names.ts";
import { dbosLibrary, postgresPrograms, startPostgres, type Postgres } from "../../../support/engines/dbos-postgres.ts";
import { eventually } from "../../../support/engines/scripted-loops.ts";
import { bundleFixture, startWorker, temporaryFolder, type Worker } from "../../../support/bundle.ts";

/** TOGETHER_ROUNDS says how often; without the turns (DBOS-WORKER-3) each of seven had workers that ended. */
const ROUNDS = Number(process.env["TOGETHER_ROUNDS"] ?? 1);
const WORKERS = 4;
const LIMIT_MS = 60_000;

const programs = postgresPrograms();
describe.skipIf(programs === null)("a real PostgreSQL", () => {
  let postgres: Postgres;
  let program: string;
  let databases = 0;
  beforeAll(async () => {
    postgres = await startPostgres(programs ?? "");
    program = await bundleFixture("engines/dbos-worker.ts");
  });
  afterAll(() => postgres?.close());

  const opened = (url: string): Database => {
    const database = openDatabase(dbosLibrary(), url, 2);
    onTestFinished(() => database.close());
    return database;
  };
  /** Of a database that nobody has used yet. */
  const freshUrl = async (): Promise<string> => {
    const name = `fresh_${++databases}`;
    await opened(postgres.url).query(`CREATE DATABASE ${name}`);
    return postgres.url.replace(/[^/]+$/, name);
  };
  const end = async (worker: Worker): Promise<void> => {
    worker.kill();
    await worker.ended().catch(() => null);
  };
  const start = (url: string, name: string): Worker => {
    const worker = startWorker(program, JSON.stringify({ url, name, folder: temporaryFolder(), agent_ms: 10 }));
    onTestFinished(() => end(worker));
    return worker;
  };
  const saidBy = (worker: Worker): Promise<string> => worker.line().catch(String);

  test(
    "DBOS-WORKER-3: workers that come together where nobody was before all serve",
    async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const url = await freshUrl();
        const workers = Array.from({ length: WORKERS }, (_, index) => start(url, `w${index}`));
        expect(await Promise.all(workers.map(saidBy))).toEqual(workers.map(() => "ready"));
        // PostgreSQL has space for the connections of few workers.
        await Promise.all(workers.map(end));
      }
    },
    LIMIT_MS + ROUNDS * LIMIT_MS,
  );

  test("DBOS-WORKER-3: whose turn it is not waits, and has it when the one before is gone", async () => {
    const url = await freshUrl();
    const database = opened(url);
    const turn = await tryLock(database, "launch", DBOS_SCHEMA);
    const worker = start(url, "patient");
    // Each of its tries is a connection of its own.
    await eventually("it has tried a few times", async () => {
      const text = "SELECT sessions FROM pg_stat_database WHERE datname = current_database()";
      const [row] = await database.query(text);
      return Number(row?.["sessions"]) > 10;
    });
    expect(await database.query(`SELECT to_regnamespace('${DBOS_SCHEMA}') AS made`)).toEqual([{ made: null }]);
    turn?.release(true);
    expect(await saidBy(worker)).toBe("ready");
  });
});
