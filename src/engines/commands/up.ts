import { resolve } from "node:path";
import { authorityOf, findEngineServer, startEngineServer, type EngineServer } from "../server.ts";
import { checkFrontOptions, freeLoopbackPort, openEngineFront, type EngineFrontOptions } from "../front.ts";
import { guardRun } from "../../run/guardian.ts";
import { setGuardian } from "../../host/process.ts";
import type { Call } from "../../command/call.ts";
import { onInterrupt } from "../../command/interrupt.ts";
import { failure } from "../../command/problem-text.ts";
import type { Answer, Run } from "../../command/spec.ts";
import { Unusable } from "../../command/unusable.ts";

const READY_MS = 60_000;
const LOOPBACK = "127.0.0.1";

export const run: Run = async (call) => {
  const { io } = call;
  const program = findEngineServer(io.env, io.cwd);
  if (!program.ok) return failure(program.problems);
  const front = frontOf(call);
  const checked = front === null ? null : checkFrontOptions(front);
  if (checked?.ok === false) return failure(checked.problems);
  const dir = resolve(io.cwd, call.text("dir") ?? ".aot-engine");
  const ports = {
    ingress: front === null ? portOf(call) : await freeLoopbackPort(),
    admin: call.number("admin-port") ?? 9070,
    node: call.number("node-port") ?? 5122,
  };
  const host = front === null ? hostOf(call) : LOOPBACK;
  // A server that outlived this process would hold its ports and its data, and nobody would know.
  const guardian = await guardRun(dir, false);
  setGuardian(guardian);
  const interrupt = onInterrupt();
  try {
    const { signal } = interrupt;
    const options = { program: program.value, dir, host, ports, env: io.env, ready_ms: READY_MS, signal };
    const started = await startEngineServer(options);
    if (!started.ok) return failure(started.problems);
    return await served(call, started.value, front, { signal, dir });
  } finally {
    interrupt.release();
    setGuardian(null);
    guardian.close();
  }
};

function hostOf(call: Call): string {
  return call.text("host") ?? LOOPBACK;
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
  if (request === null && ![LOOPBACK, "localhost", "::1"].includes(hostOf(call)))
    io.err(`whoever reaches ${hostOf(call)} can use it: ask for tokens with --token-file\n`);
  const end = await ended;
  await front?.value.close();
  if (signal.aborted) {
    const text = "the server has ended; its loops are kept";
    return { exit: 0, json: { success: true, ingress: address, admin: register, dir, identity_key }, text };
  }
  const message = `the server ended by itself (${end.signal ?? `exit ${end.exit_code}`})`;
  return failure([{ code: "refused", message, hint: `see ${log}, then start it again: its loops are kept` }]);
}
