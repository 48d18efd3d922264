/** A Restate server on this host: found, started, watched until it is ready, and ended as a whole (SPEC section 13). */
import { existsSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { keepIdentityKey } from "./adapters/identity-key.ts";
import { accepted, refused, type Result } from "../core/problem.ts";
import { makeFolder } from "../host/make-folder.ts";
import { setLogAside } from "../host/own-file.ts";
import { runGroup, type GroupResult } from "../host/process.ts";

export interface EngineServerOptions {
  /** The program; see `findEngineServer`. */
  readonly program: string;
  /** Where it keeps the loops: durable, on a disk of its own where that can be. */
  readonly dir: string;
  /** What it listens on. Its interfaces ask nobody who they are: anything but loopback belongs behind a proxy that does. */
  readonly host: string;
  readonly ports: { readonly ingress: number; readonly admin: number; readonly node: number };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How long it may take to become ready, milliseconds. */
  readonly ready_ms: number;
  readonly signal?: AbortSignal;
}

export interface EngineServer {
  /** `http://host:port`. */
  readonly ingress: string;
  readonly admin: string;
  readonly log: string;
  /** What it signs its calls with, as workers get it (`--identity-key`). */
  readonly identity_key: string;
  /** Settles when the server has ended, whatever ended it. */
  readonly ended: Promise<GroupResult>;
  close(): Promise<void>;
}

/** Where a server may be: named, or installed beside the project. */
export function findEngineServer(env: Readonly<Record<string, string | undefined>>, folder: string): Result<string> {
  const named = env["AOT_RESTATE_SERVER"];
  if (named !== undefined && named !== "")
    return existsSync(named)
      ? accepted(resolve(named))
      : refused(`AOT_RESTATE_SERVER names ${named}, which is not there`, "correct it, or install the server with npm");
  const name = `@restatedev/restate-server-${process.platform}-${process.arch}`;
  try {
    const { resolve: find } = createRequire(join(resolve(folder), "package.json"));
    return accepted(join(find(`${name}/package.json`), "..", "bin", "restate-server"));
  } catch {
    return refused(
      `there is no Restate server for ${process.platform}-${process.arch} beside ${resolve(folder)}`,
      "npm install @restatedev/restate-server (its licence is its own: BSL 1.1), or name one with AOT_RESTATE_SERVER",
    );
  }
}

const SAID_OF_IT = 2_000;

/**
 * What one host is better served with than with Restate's own settings; the environment's come before them.
 * A task that waits for a slot holds one of the places for calls. With 1,000 (of each partition) many loops fill them, and
 * then nothing is answered any more, not even what tasks ask themselves.
 * Each partition is a log of its own: with 4 in place of 24 an attempt takes a third less of the server's time.
 */
const FOR_ONE_HOST = {
  RESTATE_WORKER__INVOKER__CONCURRENT_INVOCATIONS_LIMIT: "100000",
  RESTATE_DEFAULT_NUM_PARTITIONS: "4",
} as const;

/** Starts it and waits until it can be asked. */
export async function startEngineServer(options: EngineServerOptions): Promise<Result<EngineServer>> {
  const { dir, host, ports } = options;
  const identity = join(dir, "identity.pem");
  const made = readied(dir, identity);
  if (!made.ok) return made;
  const log = join(dir, "server.log");
  const closing = new AbortController();
  options.signal?.addEventListener("abort", () => closing.abort(), { once: true });
  const ended = runGroup({
    command: options.program,
    args: argsOf(options),
    cwd: dir,
    env: {
      ...FOR_ONE_HOST,
      ...options.env,
      RESTATE_INGRESS__BIND_PORT: String(ports.ingress),
      RESTATE_ADMIN__BIND_PORT: String(ports.admin),
      RESTATE_LOG_FILTER: options.env["RESTATE_LOG_FILTER"] ?? "warn",
      RESTATE_LOG_DISABLE_ANSI_CODES: "true",
      RESTATE_DISABLE_TELEMETRY: "true",
      RESTATE_REQUEST_IDENTITY_PRIVATE_KEY_PEM_FILE: identity,
    },
    signal: closing.signal,
    log_file: log,
    log_bytes: LOG_BYTES,
    grace_ms: 10_000,
  });
  const [ingress = "", admin = ""] = [ports.ingress, ports.admin].map((port) => `http://${authorityOf(host, port)}`);
  const close = async (): Promise<void> => {
    closing.abort();
    await ended;
  };
  const ready = await isReady([`${admin}/health`, `${ingress}/restate/health`], ended, options);
  if (ready) return accepted({ ingress, admin, log, identity_key: made.value, ended, close });
  await close();
  const { start_error, output } = await ended;
  const why = start_error ?? output.slice(-SAID_OF_IT).trim();
  return refused(
    `the Restate server did not become ready: ${why === "" ? "no output" : why}`,
    `see ${log}; if its ports are taken, choose others`,
  );
}

/** Of one start: one that goes on in a full log says nothing of why it ended. */
const LOG_BYTES = 64 * 1024 * 1024;

/** The folder, and in it the key that the server signs its calls with. */
function readied(dir: string, identity: string): Result<string> {
  try {
    makeFolder(dir);
    setLogAside(join(dir, "server.log"));
    const key = keepIdentityKey(identity);
    writeFileSync(join(dir, "identity.pub"), `${key}\n`);
    return accepted(key);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return refused(
      `the key in ${identity} cannot be had: ${why}`,
      "put back the one of the last back-up, or take it away: a new one is made, which workers need it",
    );
  }
}

function argsOf({ dir, host, ports }: EngineServerOptions): readonly string[] {
  return [
    "--no-logo",
    "--listen-mode",
    "tcp",
    "--bind-ip",
    host,
    "--advertised-host",
    hostInAddress(host),
    "--bind-port",
    String(ports.node),
    "--base-dir",
    join(dir, "data"),
  ];
}

async function isReady(
  urls: readonly string[],
  ended: Promise<GroupResult>,
  { ready_ms, signal }: EngineServerOptions,
): Promise<boolean> {
  const gone = ended.then(() => "gone" as const);
  const end = performance.now() + ready_ms;
  const isWanted = (): boolean => performance.now() < end && signal?.aborted !== true;
  while (isWanted()) {
    const answers = await Promise.all(urls.map(isHealthy));
    if (answers.every(Boolean)) return true;
    const pause = new Promise<"waited">((resume) => setTimeout(() => resume("waited"), 100));
    if ((await Promise.race([gone, pause])) === "gone") return false;
  }
  return false;
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(2_000) })).ok;
  } catch {
    return false;
  }
}

/** Host and port as an address has them. */
export function authorityOf(host: string, port: number): string {
  return `${hostInAddress(host)}:${port}`;
}

/** Of IPv6 a host is in brackets. */
function hostInAddress(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}
