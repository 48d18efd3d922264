/** `aot engine up`: a server of loops on this host, PostgreSQL or Restate. */
import { resolve } from "node:path";
import { createDbosEngine } from "../adapters/dbos/dbos-engine.ts";
import { openDatabase } from "../adapters/dbos/dbos-database.ts";
import { loadDbosSdk, type DbosSdk } from "../adapters/dbos/dbos-sdk.ts";
import { makeTables } from "../adapters/dbos/dbos-tables.ts";
import { createEngineMetrics } from "../metrics.ts";
import { findPostgres, isLoopback, startPostgresServer, type PostgresServer } from "../postgres-server.ts";
import { watchEngine } from "../watch.ts";
import { serveMetrics } from "../worker-observability.ts";
import { accepted, type Result } from "../../core/problem.ts";
import { setGuardian } from "../../host/process.ts";
import type { Engine } from "../../loop/engine.ts";
import { systemClock } from "../../project/clock.ts";
import { guardRun } from "../../run/guardian.ts";
import type { Call } from "../../command/call.ts";
import { onInterrupt } from "../../command/interrupt.ts";
import { failure } from "../../command/problem-text.ts";
import type { Answer, Run } from "../../command/spec.ts";
import { Unusable } from "../../command/unusable.ts";
import { placeIn } from "./place-flag.ts";

export const READY_MS = 60_000;
export const LOOPBACK = "127.0.0.1";
export const POSTGRES_PORT = 5462;

const ONLY_RESTATE = ["token-file", "admin-port", "node-port"] as const;

export const run: Run = async (call) => {
  if (call.text("kind") === "restate") return await (await import("./up-restate.ts")).restateUp(call);
  const flag = ONLY_RESTATE.find((one) => call.isSet(one) || call.text(one) !== undefined);
  if (flag !== undefined) throw new Unusable(`--${flag} is for Restate`, "leave it out, or add --kind restate");
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

export function hostOf(call: Call): string {
  return call.text("host") ?? LOOPBACK;
}

export function dirOf(call: Call): string {
  return resolve(call.io.cwd, call.text("dir") ?? ".aot-engine");
}

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
  await makeTables(database).finally(() => database.close());
}

/** Figures of the engine, where --metrics says. @returns what ends them */
export async function metricsListener(call: Call, engine: Engine): Promise<Result<() => Promise<void>>> {
  const at = call.text("metrics");
  if (at === undefined) return accepted(() => engine.close());
  const watch = watchEngine(engine, systemClock.now);
  const text = createEngineMetrics(watch, new Map(), systemClock.monotonic);
  const listener = await serveMetrics(placeIn("metrics", at), text);
  if (!listener.ok) return listener;
  (call.json ? call.io.err : call.io.out)(`its figures are on port ${listener.value.port}, GET /metrics\n`);
  return accepted(async () => {
    await listener.value.close();
    watch.close();
    await engine.close();
  });
}

const LOOK_EVERY_MS = 500;

/**
 * A server that outlived this process would hold its ports and its data, and nobody would know. Nor does it outlive the
 * `npx` that started this process, which tells nobody when it is killed.
 */
export async function guarded(
  dir: string,
  env: Readonly<Record<string, string | undefined>>,
  work: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const guardian = await guardRun(dir, false);
  setGuardian(guardian);
  const interrupt = onInterrupt();
  const over = new AbortController();
  const end = (): void => over.abort();
  interrupt.signal.addEventListener("abort", end, { once: true });
  const parent = process.ppid;
  const look = setInterval(() => {
    if (env["npm_command"] === "exec" && process.ppid !== parent) end();
  }, LOOK_EVERY_MS);
  try {
    return await work(over.signal);
  } finally {
    clearInterval(look);
    interrupt.release();
    setGuardian(null);
    guardian.close();
  }
}
