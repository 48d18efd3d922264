// What DBOS does by itself: tasks that take as long as an agent, with no loop around them, on as many workers and slots.
import { createClient } from "../dist/lib/engines/adapters/dbos/dbos-client.js";
import { openDatabase } from "../dist/lib/engines/adapters/dbos/dbos-database.js";
import { tryLock } from "../dist/lib/engines/adapters/dbos/dbos-lock.js";
import { APPLICATION, DBOS_SCHEMA, POLL_MS, VERSION } from "../dist/lib/engines/adapters/dbos/dbos-names.js";
import { loadDbosSdk } from "../dist/lib/engines/adapters/dbos/dbos-sdk.js";

const NAME = "Bare";
const LOOK_MS = 100;
const quiet = () => {};
const pause = (ms) => new Promise((resume) => setTimeout(resume, ms));

export async function serveBareDbos({ database, slots, agent_ms, name }) {
  const { sdk } = loadDbosSdk();
  sdk.DBOS.registerWorkflow(() => sdk.DBOS.runStep(() => pause(agent_ms), { name: NAME }), { name: NAME });
  sdk.registerInternalQueue(NAME, { minPollingIntervalMs: POLL_MS, workerConcurrency: slots });
  sdk.DBOS.setConfig({
    name: APPLICATION,
    systemDatabaseUrl: database,
    systemDatabaseSchemaName: DBOS_SCHEMA,
    executorID: name,
    applicationVersion: VERSION,
    useListenNotify: false,
    logger: { info: quiet, debug: quiet, warn: quiet, error: quiet },
  });
  // Workers that start on an empty database at once break each other off.
  const locks = openDatabase(sdk, database, 1);
  let held = await tryLock(locks, "launch", DBOS_SCHEMA);
  for (; held === null; held = await tryLock(locks, "launch", DBOS_SCHEMA)) await pause(LOOK_MS);
  await sdk.DBOS.launch();
  held.release(true);
  await locks.close();
}

/** @returns tasks per second */
export async function bareRate({ database }, attempts) {
  const from = performance.now();
  await allOnDbos(database, attempts);
  return attempts / ((performance.now() - from) / 1_000);
}

async function allOnDbos(url, attempts) {
  const { sdk } = loadDbosSdk();
  const opened = openDatabase(sdk, url, 4);
  const client = await createClient(sdk, opened.pool);
  const task = { workflowName: NAME, queueName: NAME, appVersion: VERSION };
  await Promise.all(Array.from({ length: attempts }, () => client.enqueue(task)));
  const done = `SELECT count(*) AS n FROM ${DBOS_SCHEMA}.workflow_status WHERE status = 'SUCCESS'`;
  while (Number((await opened.query(done))[0].n) < attempts) await pause(LOOK_MS);
  await opened.close();
}
