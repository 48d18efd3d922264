/**
 * A real Restate server on loopback for a test file, if one is installed (`node scripts/install-engines.mjs`), and workers of
 * it in this process.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { registerWorker } from "../../../src/engines/adapters/restate/restate-admin.ts";
import { loadRestateSdk } from "../../../src/engines/adapters/restate/restate-sdk.ts";
import { serveWorker, type Worker, type WorkerOptions } from "../../../src/engines/adapters/restate/restate-worker.ts";
import { findEngineServer, startEngineServer, type EngineServer } from "../../../src/engines/server.ts";
import { guardRun } from "../../../src/run/guardian.ts";
import { describeProblems } from "../../../src/core/problem.ts";
import { setGuardian } from "../../../src/host/process.ts";

const CACHE = join(process.cwd(), "node_modules/.cache/aot-engines");

/** The server's program; null: it is not installed here. */
export function restateProgram(): string | null {
  const found = findEngineServer(process.env, CACHE);
  return found.ok && existsSync(found.value) ? found.value : null;
}

export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve) =>
          server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)),
        ),
    ),
  );
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

/**
 * Ended and its folder removed by `close()`; ended, too, when the test's process is killed.
 * @param host an address of this host
 * @param more of its environment
 */
export async function startRestate(
  program: string,
  host = "127.0.0.1",
  more: Readonly<Record<string, string>> = {},
): Promise<EngineServer> {
  const dir = mkdtempSync(join(tmpdir(), "aot-restate-"));
  const [ingress = 0, admin = 0, node = 0] = await freePorts(3);
  const env = { PATH: process.env["PATH"], ...more };
  const options = { program, dir, host, ports: { ingress, admin, node }, env, ready_ms: 60_000 };
  const guardian = await guardRun(dir, false);
  setGuardian(guardian);
  const unguard = (): void => {
    setGuardian(null);
    guardian.close();
  };
  const started = await startEngineServer(options);
  if (!started.ok) {
    unguard();
    rmSync(dir, { recursive: true, force: true });
    throw new Error(describeProblems(started.problems));
  }
  const close = async (): Promise<void> => {
    await started.value.close();
    unguard();
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
  };
  return { ...started.value, close };
}

export type WorkerOptionTexts = Pick<WorkerOptions, "name" | "open"> & Partial<WorkerOptions>;

/** The server is informed of it unless it takes the place of another, on its port. */
export async function serveRestate({ ingress, admin }: EngineServer, requests: WorkerOptionTexts): Promise<Worker> {
  const loaded = await loadRestateSdk();
  if (!loaded.ok) throw new Error(loaded.message);
  const own = { ingress: { url: ingress }, slots: 10, host: "127.0.0.1", port: 0, tries: 2, ...requests };
  const worker = await serveWorker(loaded.sdk, own);
  if (own.port === 0) await registerWorker({ url: admin }, `http://127.0.0.1:${worker.port}`);
  return worker;
}
