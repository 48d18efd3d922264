import { resolve } from "node:path";
import { engineUrl } from "../client.ts";
import { startWorker, type RunningWorker } from "../worker.ts";
import { hostname } from "node:os";
import type { Call } from "../../command/call.ts";
import { failure } from "../../command/problem-text.ts";
import type { Answer, Run } from "../../command/spec.ts";
import { configOf } from "../../run/commands/call-config.ts";
import { sandboxOf } from "../../verify/sandbox.ts";
import { VERSION } from "../../command/version.ts";
import { Unusable } from "../../command/unusable.ts";
/** What docs/engine.md starts. */
const LOCAL_ENGINE = "postgres://aot@127.0.0.1:5432/aot";
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export const run: Run = async (call) => {
  const { io } = call;
  const engine = engineUrl(call.text("engine") ?? LOCAL_ENGINE);
  if (!engine.ok) return failure(engine.problems);
  const config = await configOf(call, io.cwd);
  if ("answer" in config) return config.answer;
  const name = call.text("name") ?? `${hostname()}:${process.pid}`;
  const slots = call.number("slots") ?? 3;
  const started = await startWorker({
    engine: engine.value,
    name,
    version: VERSION,
    slots,
    ...metricsOf(call),
    sandbox: sandboxOf(config.settings),
    dir: resolve(io.cwd, call.text("dir") ?? ".aot-worker"),
    warn: (message) => io.err(`${message}\n`),
  });
  if (!started.ok) return failure(started.problems);
  const say = call.json ? io.err : io.out;
  const { metrics_port } = started.value;
  say(`worker ${name} is ready: ${slots} at a time\n`);
  if (metrics_port !== undefined) say(`its figures are on port ${metrics_port}, GET /metrics\n`);
  return await untilEnded(started.value, name, (text) => io.err(`${text}\n`));
};

function metricsOf(call: Call): { readonly metrics?: { readonly host: string; readonly port: number } } {
  const text = call.text("metrics");
  return text === undefined ? {} : { metrics: placeIn("metrics", text) };
}

/** The first signal drains, the second one ends. */
async function untilEnded(worker: RunningWorker, name: string, say: (text: string) => void): Promise<Answer> {
  const presses: (() => void)[] = [];
  const pressed = [0, 1].map(() => new Promise<void>((resolve) => presses.push(resolve)));
  const press = (): void => presses.shift()?.();
  for (const signal of SIGNALS) process.on(signal, press);
  try {
    await pressed[0];
    say("draining: nothing new is taken, what was begun ends first; Ctrl-C again ends it");
    const drained = worker.drain().then(() => "drained");
    const ended = pressed[1]?.then(() => "ended; its running tasks start again elsewhere");
    const text = (await Promise.race([drained, ended])) ?? "drained";
    if (text !== "drained") await worker.close();
    return { exit: 0, json: { success: true, name, message: text }, text };
  } finally {
    for (const signal of SIGNALS) process.removeListener(signal, press);
  }
}

/** `HOST:PORT`. @throws Unusable */
function placeIn(flag: string, text: string): { readonly host: string; readonly port: number } {
  const match = /^(.+):(\d{1,5})$/.exec(text);
  if (match?.[1] === undefined || Number(match[2]) > 65_535)
    throw new Unusable(
      `invalid value for --${flag}: ${JSON.stringify(text)}`,
      "write HOST:PORT, such as 127.0.0.1:9080",
    );
  return { host: match[1].replace(/^\[(.*)\]$/, "$1"), port: Number(match[2]) };
}
