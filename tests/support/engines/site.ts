/**
 * A Restate server, workers as processes of their own (tests/fixtures/engines/worker.ts) and a balancer in front of them, on
 * loopback. Whoever is started here is ended by its process id.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { registerWorker } from "../../../src/engines/adapters/restate/restate-admin.ts";
import { createRestateEngine } from "../../../src/engines/adapters/restate/restate-engine.ts";
import type { JournalLine } from "../../../src/core/journal.ts";
import { createDbosEngine } from "../../../src/engines/adapters/dbos/dbos-engine.ts";
import type { Engine } from "../../../src/loop/engine.ts";
import { bundleFixture } from "../bundle.ts";
import { startBalancer } from "./balancer.ts";
import { startPostgres } from "./dbos-postgres.ts";
import { freePorts } from "./restate.ts";
import { hostedLines } from "../lines.ts";

const LIMIT_MS = 300_000;

export const pause = (ms: number): Promise<void> => new Promise((resume) => setTimeout(resume, ms));

const AGAIN_MS = 300;

/** A program that is killed and started again. One that ends by itself is started again, as a service manager does. */
export class Program {
  child: ChildProcess | null = null;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  constructor(command: readonly string[], env: Readonly<Record<string, string>> = {}) {
    this.command = command;
    this.env = env;
  }
  /** Nothing, if it is running. */
  start(): void {
    if (this.child !== null && this.child.exitCode === null && this.child.signalCode === null) return;
    const [file = "", ...args] = this.command;
    const { PATH = "" } = process.env;
    const child = spawn(file, args, { env: { PATH, ...this.env }, stdio: "ignore" });
    this.child = child;
    child.once("exit", () => {
      if (this.child === child) setTimeout(() => this.child === child && this.start(), AGAIN_MS);
    });
  }
  signal(name: NodeJS.Signals): void {
    this.child?.kill(name);
  }
  async kill(): Promise<void> {
    const { child } = this;
    this.child = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await gone;
  }
}

export interface Site {
  readonly engine: Engine;
  readonly server: { kill(): Promise<void>; start(): unknown };
  readonly workers: readonly Program[];
  /** Where the workers leave what they did. */
  readonly folder: string;
  /** Calls that Restate holds open, each as a line. */
  calls(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** @param settings of the workers, see the fixture */
export async function startSite(
  program: string,
  settings: { readonly workers: number; readonly agent_ms: number; readonly confirm?: true },
): Promise<Site> {
  const folder = mkdtempSync(join(tmpdir(), "aot-site-"));
  const worker = await bundleFixture("engines/worker.ts");
  const [ingress = 0, admin = 0, node = 0, ...ports] = await freePorts(3 + settings.workers);
  const url = `http://127.0.0.1:${ingress}`;
  const address = ["--listen-mode", "tcp", "--bind-ip", "127.0.0.1", "--advertised-host", "127.0.0.1"];
  const server = new Program(
    [program, "--no-logo", ...address, "--bind-port", `${node}`, "--base-dir", join(folder, "data")],
    {
      RESTATE_INGRESS__BIND_PORT: `${ingress}`,
      RESTATE_ADMIN__BIND_PORT: `${admin}`,
      RESTATE_DEFAULT_NUM_PARTITIONS: "4",
      RESTATE_LOG_FILTER: "error",
      RESTATE_DISABLE_TELEMETRY: "true",
    },
  );
  const workers = ports.map((port, index) => {
    const own = { ...settings, ingress: url, port, name: `w${index}`, folder };
    return new Program([process.execPath, worker, JSON.stringify(own)]);
  });
  const balancer = await startBalancer(ports.map((port) => `http://127.0.0.1:${port}`));
  const close = async (): Promise<void> => {
    await Promise.all([server, ...workers].map((one) => one.kill()));
    await balancer.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    for (const one of [server, ...workers]) one.start();
    await patiently(() => registerWorker({ url: `http://127.0.0.1:${admin}` }, balancer.url), 60_000);
  } catch (error) {
    await close();
    throw error;
  }
  const engine = createRestateEngine({ url, timeout_ms: 10_000 });
  return { engine, server, workers, folder, calls: () => callsOf(`http://127.0.0.1:${admin}`), close };
}

/** Of one that waits in these tests no longer than a worker is stopped. */
const LEASE_MS = 3_000;

/** The same on PostgreSQL. */
export async function startDbosSite(
  programs: string,
  settings: { readonly workers: number; readonly agent_ms: number },
): Promise<Site> {
  const folder = mkdtempSync(join(tmpdir(), "aot-site-"));
  const worker = await bundleFixture("engines/dbos-worker.ts");
  const postgres = await startPostgres(programs);
  const { url } = postgres;
  const workers = Array.from({ length: settings.workers }, (_, index) => {
    const own = { url, name: `w${index}`, folder, agent_ms: settings.agent_ms, lease_ms: LEASE_MS };
    return new Program([process.execPath, worker, JSON.stringify(own)]);
  });
  const engine = createDbosEngine(url);
  for (const one of workers) one.start();
  const close = async (): Promise<void> => {
    await Promise.all(workers.map((one) => one.kill()));
    await engine.close();
    await postgres.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  return { engine, server: postgres, workers, folder, calls: () => Promise.resolve([]), close };
}

async function callsOf(admin: string): Promise<readonly string[]> {
  const query = "select id, target, status, retry_count, last_failure from sys_invocation where status <> 'completed'";
  const answer = await fetch(`${admin}/query`, {
    method: "POST",
    headers: { accept: "application/json", "content-type": "application/json" },
    body: JSON.stringify({ query }),
  });
  const { rows } = (await answer.json()) as { readonly rows: readonly object[] };
  return rows.map((row) => JSON.stringify(row));
}

/** Asks until it is answered. @throws what was answered last, when the time is over */
export async function patiently<T>(ask: () => Promise<T>, limit_ms = LIMIT_MS): Promise<T> {
  for (const end = Date.now() + limit_ms; ;) {
    try {
      return await ask();
    } catch (error) {
      if (Date.now() > end) throw error;
      await pause(250);
    }
  }
}

export async function journalOf(engine: Engine, loop: string): Promise<readonly JournalLine[]> {
  return await hostedLines({ journal: (name, from) => patiently(() => engine.journal(name, from)) }, loop);
}
