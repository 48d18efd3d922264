/**
 * A real PostgreSQL on loopback for a test file, and a worker of it in this process: Debian's (`apt-get install postgresql`), or one on the PATH. Without any, tests that need it fail in CI, and are skipped elsewhere with
 * the reason printed.
 */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { openDatabase } from "../../../src/engines/adapters/dbos/dbos-database.ts";
import { loadDbosSdk, type DbosSdk } from "../../../src/engines/adapters/dbos/dbos-sdk.ts";
import {
  serveDbosWorker,
  type DbosWorker,
  type DbosWorkerOptions,
} from "../../../src/engines/adapters/dbos/dbos-worker.ts";
import { guardRun } from "../../../src/run/guardian.ts";
import { runGroup, setGuardian, type GroupResult } from "../../../src/host/process.ts";
import { freePorts } from "../free-ports.ts";

export interface Postgres {
  /** Of an empty database. */
  readonly url: string;
  /** As a power cut: without a word to anybody. Settles when it is gone. */
  kill(): Promise<void>;
  /** On the same data and port. */
  start(): Promise<void>;
  close(): Promise<void>;
}

interface Account {
  readonly uid: number;
  readonly gid: number;
}

const READY_MS = 60_000;
const DATABASE = "aot";

/** The folder of its programs; null: there is none here, and the reason was printed. */
export function postgresPrograms(): string | null {
  const found = foldersOfPrograms().find((folder) =>
    ["initdb", "postgres"].every((name) => existsSync(join(folder, name))),
  );
  if (found !== undefined) return found;
  const missing = "there is no PostgreSQL here (apt-get install postgresql)";
  if (process.env["CI"] === "true") throw new Error(`${missing}: in CI its tests are not left out`);
  console.warn(`${missing}: the tests of DBOS are left out`);
  return null;
}

function foldersOfPrograms(): readonly string[] {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).toSorted((a, b) => Number(b) - Number(a)) : [];
  return [...versions.map((version) => join(debian, version, "bin")), ...(process.env["PATH"] ?? "").split(delimiter)];
}

/** It refuses to run as root: then it gets an account that has no rights. Null: nobody is root here. */
function account(): Account | null {
  if (process.getuid?.() !== 0) return null;
  const lines = readFileSync("/etc/passwd", "utf8").split("\n");
  const line = ["postgres", "nobody"].flatMap((name) => lines.filter((one) => one.startsWith(`${name}:`)))[0];
  const [, , uid, gid] = (line ?? "").split(":");
  return { uid: Number(uid), gid: Number(gid) };
}

/**
 * Ended and its folder removed by `close()`; ended, too, when the test's process is killed.
 * @param tls PEM files: it speaks TLS with them, too
 */
export async function startPostgres(
  programs: string,
  tls?: { readonly cert: string; readonly key: string },
): Promise<Postgres> {
  const dir = mkdtempSync(join(tmpdir(), "aot-postgres-"));
  const who = account();
  if (who !== null) chownSync(dir, who.uid, who.gid);
  const data = join(dir, "data");
  const [port = 0] = await freePorts(1);
  execFileSync(
    join(programs, "initdb"),
    ["-D", data, "-A", "trust", "-U", DATABASE, "-E", "UTF8", "--no-locale", "--no-sync"],
    { stdio: ["ignore", "ignore", "inherit"], cwd: dir, ...who },
  );
  const guardian = await guardRun(dir, false);
  setGuardian(guardian);
  const secure = tls === undefined ? [] : ["ssl=on", ...ownSecrets(tls, dir, who)];
  const plain = [`port=${port}`, "listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=off"];
  const settings = [...plain, ...secure];
  const server = [join(programs, "postgres"), "-D", data, ...settings.flatMap((setting) => ["-c", setting])];
  const asWho = who === null ? [] : ["setpriv", `--reuid=${who.uid}`, `--regid=${who.gid}`, "--clear-groups"];
  let running: { readonly abort: AbortController; readonly ended: Promise<GroupResult> } | null = null;

  const start = async (): Promise<void> => {
    const [command = "", ...args] = [...asWho, ...server];
    const abort = new AbortController();
    for (const end = performance.now() + READY_MS; ;) {
      const ended = runGroup({
        command,
        args,
        cwd: dir,
        signal: abort.signal,
        log_file: join(dir, "log"),
        grace_ms: 0,
      });
      const state = await Promise.race([ended.then(() => "ended" as const), isReady(port, end)]);
      running = { abort, ended };
      if (state === "ready") return;
      // What its predecessor left is still ending: then it refuses to start.
      if (performance.now() > end) throw new Error(`PostgreSQL is not ready: ${(await ended).output.slice(-2_000)}`);
    }
  };
  const kill = async (): Promise<void> => {
    running?.abort.abort();
    await running?.ended;
    running = null;
  };
  await start();
  await asked(port, `CREATE DATABASE ${DATABASE}`);
  return {
    url: `postgres://${DATABASE}@127.0.0.1:${port}/${DATABASE}`,
    kill,
    start,
    close: async () => {
      // Asked to end it gives its shared memory back; killed it would keep it until it starts again.
      if (running !== null) {
        process.kill(Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0]), "SIGINT");
        await Promise.race([running.ended, new Promise((resume) => setTimeout(resume, 10_000).unref())]);
      }
      await kill();
      setGuardian(null);
      guardian.close();
      rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** PostgreSQL takes no key that others may read, nor one of another account. @returns its settings */
function ownSecrets(tls: { readonly cert: string; readonly key: string }, dir: string, who: Account | null): string[] {
  return (["cert", "key"] as const).map((name) => {
    const file = join(dir, `server.${name}`);
    copyFileSync(tls[name], file);
    chmodSync(file, 0o600);
    if (who !== null) chownSync(file, who.uid, who.gid);
    return `ssl_${name}_file=${file}`;
  });
}

async function isReady(port: number, end: number): Promise<"ready" | "late"> {
  while (performance.now() < end) {
    const answers = await asked(port, "SELECT 1").then(
      () => true,
      () => false,
    );
    if (answers) return "ready";
    await new Promise((resume) => setTimeout(resume, 50));
  }
  return "late";
}

export function dbosLibrary(): DbosSdk {
  const loaded = loadDbosSdk();
  if (!loaded.ok) throw new Error(loaded.message);
  return loaded.sdk;
}

export type WorkerOptionTexts = Pick<DbosWorkerOptions, "name" | "url" | "open"> & Partial<DbosWorkerOptions>;

/** One at a time: DBOS's library is one. */
export function serveDbos(requests: WorkerOptionTexts): Promise<DbosWorker> {
  return serveDbosWorker(dbosLibrary(), { slots: 10, tries: 2, ...requests });
}

async function asked(port: number, question: string): Promise<void> {
  const database = openDatabase(dbosLibrary(), `postgres://${DATABASE}@127.0.0.1:${port}/postgres`, 1);
  try {
    await database.query(question);
  } finally {
    await database.close();
  }
}
