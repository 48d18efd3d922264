import { findEngineServer, startEngineServer, type EngineServer } from "../server.ts";
import type { Call } from "../../command/call.ts";
import { failure } from "../../command/problem-text.ts";
import type { Answer } from "../../command/spec.ts";
import { Unusable } from "../../command/unusable.ts";
import { createRestateEngine } from "../adapters/restate/restate-engine.ts";
import { isLoopback } from "../postgres-server.ts";
import { dirOf, guarded, hostOf, metricsListener, READY_MS } from "./serve.ts";

/** @throws Unusable */
export async function restateUp(call: Call): Promise<Answer> {
  const { io } = call;
  const host = hostOf(call);
  const flag = ["cert", "key"].find((one) => call.text(one) !== undefined);
  if (flag !== undefined || !isLoopback(host))
    throw new Unusable(
      flag === undefined
        ? `Restate asks nobody who calls: it does not listen on ${host}`
        : `--${flag} is for PostgreSQL`,
      "leave it on loopback, with a reverse proxy in front for other hosts: see docs/engine-operation.md",
    );
  const program = findEngineServer(io.env, io.cwd);
  if (!program.ok) return failure(program.problems);
  const dir = dirOf(call);
  const ports = {
    ingress: call.number("port") ?? 8080,
    admin: call.number("admin-port") ?? 9070,
    node: call.number("node-port") ?? 5122,
  };
  return await guarded(dir, io.env, async (signal) => {
    const options = { program: program.value, dir, host, ports, env: io.env, ready_ms: READY_MS, signal };
    const started = await startEngineServer(options);
    if (!started.ok) return failure(started.problems);
    return await served(call, started.value, { signal, dir });
  });
}

/** Until the server ends, or is asked to. */
async function served(
  call: Call,
  server: EngineServer,
  { signal, dir }: { readonly signal: AbortSignal; readonly dir: string },
): Promise<Answer> {
  const { io, json } = call;
  const { ingress, admin, log, ended, identity_key } = server;
  const say = json ? io.err : io.out;
  say(`${ingress.replace(/^http/, "restate")} is ready; workers register at ${admin}; its log is ${log}\n`);
  say(`its calls are signed: aot worker --identity-key ${identity_key}\n`);
  const metrics = await metricsListener(call, createRestateEngine({ url: ingress }));
  if (!metrics.ok) {
    await server.close();
    return failure(metrics.problems);
  }
  const end = await ended;
  await metrics.value();
  if (signal.aborted) {
    const text = "the server has ended; its loops are kept";
    return { exit: 0, json: { success: true, ingress, admin, dir, identity_key }, text };
  }
  const message = `the server ended by itself (${end.signal ?? `exit ${end.exit_code}`})`;
  return failure([{ code: "refused", message, hint: `see ${log}, then start it again: its loops are kept` }]);
}
