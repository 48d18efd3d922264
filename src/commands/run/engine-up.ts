import { resolve } from "node:path";
import { guardRun } from "../../app/run/run-guard.ts";
import { findEngineServer, startEngineServer } from "../../app/engine/engine-server.ts";
import { setGuardian } from "../../host/process.ts";
import { onInterrupt } from "../interrupt.ts";
import { failure } from "../problem-text.ts";
import type { Run } from "../spec.ts";

const READY_MS = 60_000;
const PORTS = { ingress: 8080, admin: 9070, node: 5122 };

export const run: Run = async (call) => {
  const { io, json } = call;
  const program = findEngineServer(io.env, io.cwd);
  if (!program.ok) return failure(program.problems);
  const host = call.text("host") ?? "127.0.0.1";
  const dir = resolve(io.cwd, call.text("dir") ?? ".aot-engine");
  const ports = {
    ingress: call.number("port") ?? PORTS.ingress,
    admin: call.number("admin-port") ?? PORTS.admin,
    node: call.number("node-port") ?? PORTS.node,
  };
  // A server that outlived this process would hold its ports and its data, and nobody would know.
  const guardian = await guardRun(dir, false);
  setGuardian(guardian);
  const interrupt = onInterrupt();
  try {
    const { signal } = interrupt;
    const started = await startEngineServer({
      program: program.value,
      dir,
      host,
      ports,
      env: io.env,
      ready_ms: READY_MS,
      signal,
    });
    if (!started.ok) return failure(started.problems);
    const { ingress, admin, log, ended } = started.value;
    const say = json ? io.err : io.out;
    say(`${ingress.replace(/^http/, "restate")} is ready; workers register at ${admin}; its log is ${log}\n`);
    if (host !== "127.0.0.1" && host !== "localhost" && host !== "::1")
      io.err(`whoever reaches ${host} can use it: put a proxy that asks for a token in front of it\n`);
    const end = await ended;
    if (signal.aborted)
      return {
        exit: 0,
        json: { success: true, ingress, admin, dir },
        text: "the server has ended; its loops are kept",
      };
    const message = `the server ended by itself (${end.signal ?? `exit ${end.exit_code}`})`;
    return failure([{ code: "refused", message, hint: `see ${log}, then start it again: its loops are kept` }]);
  } finally {
    interrupt.release();
    setGuardian(null);
    guardian.close();
  }
};
