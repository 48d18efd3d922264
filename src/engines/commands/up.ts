/** `aot engine up`: PostgreSQL on this host. */
import { resolve } from "node:path";
import { createDbosEngine } from "../adapters/dbos/dbos-engine.ts";
import { openDatabase } from "../adapters/dbos/dbos-database.ts";
import { loadDbosSdk, type DbosSdk } from "../adapters/dbos/dbos-sdk.ts";
import { makeTables } from "../adapters/dbos/dbos-tables.ts";
import { findPostgres, isLoopback, startPostgresServer, type PostgresServer } from "../postgres-server.ts";
import type { Call } from "../../command/call.ts";
import { failure } from "../../command/problem-text.ts";
import type { Answer, Run } from "../../command/spec.ts";
import { Unusable } from "../../command/unusable.ts";
import { dirOf, guarded, hostOf, metricsListener, READY_MS } from "./serve.ts";

const POSTGRES_PORT = 5462;

export const run: Run = async (call) => {
  const { io } = call;
  const programs = findPostgres(io.env, io.cwd);
  if (!programs.ok) return failure(programs.problems);
  const [host, dir, port] = [hostOf(call), dirOf(call), call.number("port") ?? POSTGRES_PORT];
  const tls = tlsOf(call);
  return await guarded(dir, io.env, async (signal) => {
    const options = { programs: programs.value, dir, host, port, ...tls, ready_ms: READY_MS, signal };
    const started = await startPostgresServer(options);
    if (!started.ok) return failure(started.problems);
    return await served(call, started.value, signal);
  });
};

/** @throws Unusable */
function tlsOf(call: Call): { readonly tls?: { readonly cert: string; readonly key: string } } {
  const [cert, key] = ["cert", "key"].map((flag) => call.text(flag));
  if (cert === undefined && key === undefined) return {};
  if (cert === undefined || key === undefined)
    throw new Unusable("TLS needs both the certificate and its key", "name them with --cert and --key");
  return { tls: { cert: resolve(call.io.cwd, cert), key: resolve(call.io.cwd, key) } };
}

/** Until the server ends, or is asked to. */
async function served(call: Call, server: PostgresServer, signal: AbortSignal): Promise<Answer> {
  const { io, json } = call;
  const { address, password_file, log } = server;
  const say = json ? io.err : io.out;
  const metrics = await metricsListener(call, createDbosEngine(server.url));
  if (!metrics.ok) {
    await server.close();
    return failure(metrics.problems);
  }
  say(`${address} is ready; its log is ${log}\n`);
  say(`workers, on each host: aot worker --engine ${address}\n`);
  if (password_file !== null) say(`its password is in ${password_file}: workers and commands get it as PGPASSWORD\n`);
  if (!isLoopback(hostOf(call)) && call.text("cert") === undefined)
    io.err("what travels to it can be read on the way: name a certificate with --cert and --key\n");
  const loaded = loadDbosSdk();
  if (loaded.ok) await withTables(loaded.sdk, server.url);
  else io.err(`workers and commands need DBOS's library; ${loaded.hint}\n`);
  const end = await server.ended;
  await metrics.value();
  if (signal.aborted) {
    await server.close();
    const text = "the server has ended; its loops are kept";
    return { exit: 0, json: { success: true, engine: address, dir: dirOf(call), password_file }, text };
  }
  const message = `the server ended by itself (${end.signal ?? `exit ${end.exit_code}`})`;
  return failure([{ code: "refused", message, hint: `see ${log}, then start it again: its loops are kept` }]);
}

/** So that it can be asked before a worker has come. */
async function withTables(sdk: DbosSdk, url: string): Promise<void> {
  const database = openDatabase(sdk, url, 1);
  try {
    await makeTables(database);
  } finally {
    await database.close();
  }
}
