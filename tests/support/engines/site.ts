/**
 * A PostgreSQL and workers as processes of their own (tests/fixtures/engines/dbos-worker.ts), on loopback. Whoever is started
 * here is ended by its process id.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JournalLine } from "../../../src/core/journal.ts";
import { createDbosEngine } from "../../../src/engines/adapters/dbos/dbos-engine.ts";
import type { Engine } from "../../../src/loop/engine.ts";
import { bundleFixture } from "../bundle.ts";
import { startPostgres } from "./dbos-postgres.ts";
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
  close(): Promise<void>;
}

/** Of one that waits in these tests no longer than a worker is stopped. */
const LEASE_MS = 3_000;

/** @param settings of the workers, see the fixture */
export async function startSite(
  programs: string,
  { workers: count, ...settings }: { readonly workers: number; readonly agent_ms: number },
): Promise<Site> {
  const folder = mkdtempSync(join(tmpdir(), "aot-site-"));
  const worker = await bundleFixture("engines/dbos-worker.ts");
  const postgres = await startPostgres(programs);
  const { url } = postgres;
  const workers = Array.from({ length: count }, (_, index) => {
    const own = { ...settings, url, name: `w${index}`, folder, lease_ms: LEASE_MS };
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
  return { engine, server: postgres, workers, folder, close };
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
