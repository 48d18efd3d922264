/** What a command has that serves an engine until it is ended. */
import { resolve } from "node:path";
import { engineFigures } from "../metrics.ts";
import { serveMetrics } from "../worker-observability.ts";
import { accepted, type Result } from "../../core/problem.ts";
import { setGuardian } from "../../host/process.ts";
import type { Engine } from "../../loop/engine.ts";
import { guardRun } from "../../run/guardian.ts";
import type { Call } from "../../command/call.ts";
import { onInterrupt } from "../../command/interrupt.ts";
import type { Answer } from "../../command/spec.ts";
import { placeIn } from "./place-flag.ts";

export const READY_MS = 60_000;

export function hostOf(call: Call): string {
  return call.text("host") ?? "127.0.0.1";
}

export function dirOf(call: Call): string {
  return resolve(call.io.cwd, call.text("dir") ?? ".aot-engine");
}

/** Figures of the engine, where --metrics says. @returns what ends them */
export async function metricsListener(call: Call, engine: Engine): Promise<Result<() => Promise<void>>> {
  const at = call.text("metrics");
  if (at === undefined) return accepted(() => engine.close());
  const figures = engineFigures(() => engine);
  const listener = await serveMetrics(placeIn("metrics", at), { "/metrics": figures.text });
  if (!listener.ok) return listener;
  (call.json ? call.io.err : call.io.out)(`its figures are on port ${listener.value.port}, GET /metrics\n`);
  return accepted(async () => {
    await listener.value.close();
    await figures.close();
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
