import { resolve } from "node:path";
import { authorityOf, findEngineServer, startEngineServer, type EngineServer } from "../server.ts";
import { checkFrontOptions, freeLoopbackPort, openEngineFront, type EngineFrontOptions } from "../front.ts";
import type { Call } from "../../command/call.ts";
import { failure } from "../../command/problem-text.ts";
import type { Answer } from "../../command/spec.ts";
import { Unusable } from "../../command/unusable.ts";
import { createRestateEngine } from "../adapters/restate/restate-engine.ts";
import { isLoopback } from "../postgres-server.ts";
import { dirOf, guarded, hostOf, LOOPBACK, metricsListener, READY_MS } from "./serve.ts";

/** @throws Unusable */
export async function restateUp(call: Call): Promise<Answer> {
  const { io } = call;
  const program = findEngineServer(io.env, io.cwd);
  if (!program.ok) return failure(program.problems);
  const front = frontOf(call);
  const checked = front === null ? null : checkFrontOptions(front);
  if (checked?.ok === false) return failure(checked.problems);
  const dir = dirOf(call);
  const ports = {
    ingress: front === null ? portOf(call) : await freeLoopbackPort(),
    admin: call.number("admin-port") ?? 9070,
    node: call.number("node-port") ?? 5122,
  };
  const host = front === null ? hostOf(call) : LOOPBACK;
  return await guarded(dir, io.env, async (signal) => {
    const options = { program: program.value, dir, host, ports, env: io.env, ready_ms: READY_MS, signal };
    const started = await startEngineServer(options);
    if (!started.ok) return failure(started.problems);
    return await served(call, started.value, front, { signal, dir });
  });
}

function portOf(call: Call): number {
  return call.number("port") ?? 8080;
}

/** @throws Unusable */
function frontOf(call: Call): EngineFrontOptions | null {
  const { io } = call;
  const path = (flag: string): string | undefined => {
    const given = call.text(flag);
    return given === undefined ? undefined : resolve(io.cwd, given);
  };
  const [token_file, cert, key] = [path("token-file"), path("cert"), path("key")];
  if (token_file === undefined) {
    if (cert === undefined && key === undefined) return null;
    throw new Unusable(
      "--cert and --key are for the front, which asks for tokens",
      "name a file of them with --token-file",
    );
  }
  const tell = (message: string): void => io.err(`${message}\n`);
  const tls = { ...(cert === undefined ? {} : { cert }), ...(key === undefined ? {} : { key }) };
  return { host: hostOf(call), port: portOf(call), token_file, ...tls, tell };
}

/** Until the server ends, or is asked to. */
async function served(
  call: Call,
  server: EngineServer,
  request: EngineFrontOptions | null,
  { signal, dir }: { readonly signal: AbortSignal; readonly dir: string },
): Promise<Answer> {
  const { io, json } = call;
  const { ingress, admin, log, ended, identity_key } = server;
  const front = request === null ? null : await openEngineFront(request, { ingress, admin });
  if (front?.ok === false) {
    await server.close();
    return failure(front.problems);
  }
  const address =
    request === null
      ? ingress
      : `${request.cert === undefined ? "http" : "https"}://${authorityOf(request.host, request.port)}`;
  const say = json ? io.err : io.out;
  const register = request === null ? admin : address;
  say(`${address.replace(/^http/, "restate")} is ready; workers register at ${register}; its log is ${log}\n`);
  say(`its calls are signed: aot worker --identity-key ${identity_key}\n`);
  if (request === null && !isLoopback(hostOf(call)))
    io.err(`whoever reaches ${hostOf(call)} can use it: ask for tokens with --token-file\n`);
  const metrics = await metricsListener(call, createRestateEngine({ url: ingress }));
  if (!metrics.ok) {
    await server.close();
    return failure(metrics.problems);
  }
  const end = await ended;
  await metrics.value();
  await front?.value.close();
  if (signal.aborted) {
    const text = "the server has ended; its loops are kept";
    return { exit: 0, json: { success: true, ingress: address, admin: register, dir, identity_key }, text };
  }
  const message = `the server ended by itself (${end.signal ?? `exit ${end.exit_code}`})`;
  return failure([{ code: "refused", message, hint: `see ${log}, then start it again: its loops are kept` }]);
}
