/**
 * Programs for tests that need real processes: a TypeScript fixture is bundled into one file that plain
 * Node runs (Node 20 cannot run TypeScript itself).
 */
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { afterAll } from "vitest";

const folders: string[] = [];
const running = new Set<ChildProcessWithoutNullStreams>();

afterAll(() => {
  for (const child of running) child.kill("SIGKILL");
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A folder that is removed after the test file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "aot-test-"));
  folders.push(folder);
  return folder;
}

/** @param fixture path below `tests/fixtures/`. @returns path of a runnable `.mjs`, removed after the test file */
export async function bundleFixture(fixture: string): Promise<string> {
  const input = fileURLToPath(new URL(`../fixtures/${fixture}`, import.meta.url));
  const file = join(temporaryFolder(), `${basename(fixture, ".ts")}.mjs`);
  const bundle = await rolldown({ input, platform: "node", logLevel: "silent" });
  await bundle.write({ file, format: "esm", codeSplitting: false });
  await bundle.close();
  return file;
}

/** A fixture running, spoken to line by line. */
export interface Worker {
  readonly pid: number;
  /** The next line of its stdout; rejects when it ended without one. */
  line(): Promise<string>;
  say(text: string): void;
  kill(signal?: NodeJS.Signals): void;
  /** Its exit code, once it has ended; null: killed. Errors of the program reject, with its stderr. */
  ended(): Promise<number | null>;
}

/** Starts a bundled fixture. It is killed after the test file at the latest. */
export function startWorker(program: string, ...args: string[]): Worker {
  return startProgram([process.execPath, program, ...args]);
}

export function startProgram(command: readonly string[]): Worker {
  const [name = "", ...args] = command;
  const child = spawn(name, args, { stdio: "pipe" });
  running.add(child);
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  child.stdin.on("error", () => {});
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const exit = once(child, "close").then(([code]) => {
    running.delete(child);
    if (code !== 0 && code !== null) throw new Error(`${command.join(" ")} ended with ${code}:\n${stderr}`);
    return code as number | null;
  });
  exit.catch(() => {});
  return {
    pid: child.pid ?? -1,
    line: async () => {
      const next = await lines.next();
      if (next.done !== true) return next.value;
      await exit;
      throw new Error(`${command.join(" ")} said nothing more\n${stderr}`);
    },
    say: (text) => child.stdin.write(`${text}\n`),
    kill: (signal = "SIGKILL") => {
      child.kill(signal);
    },
    ended: () => exit,
  };
}

/** Waits, bounded, until the condition holds. */
export async function eventually(
  what: string,
  holds: () => boolean | Promise<boolean>,
  limit_ms = 15_000,
): Promise<void> {
  const end = performance.now() + limit_ms;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`not within ${limit_ms} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** A repeatable source of chance (mulberry32): 0 <= x < 1. */
export function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
