import { runGroup } from "../../host/process.ts";
import type { Agent } from "../../loop/ports.ts";

/** Whether `<command> --version` names a version, which spends nothing. @param install what to do if not */
export async function installedVersion(
  command: string,
  env: Readonly<Record<string, string | undefined>>,
  install: string,
): ReturnType<Agent["available"]> {
  const result = await runGroup({ command, args: ["--version"], cwd: process.cwd(), env, timeout_ms: 20_000 });
  const version = /\d+\.\d+\.\d+/.exec(result.stdout)?.[0];
  if (result.exit_code === 0 && version !== undefined) return { ok: true, version };
  const gave = `${command} --version gave exit code ${result.exit_code ?? result.signal}`;
  // Most who read this have simply not installed it.
  const isAbsent = result.start_error?.includes(": no such program;") === true && !/[\\/]/.test(command);
  const why = isAbsent ? `there is no ${command} on PATH` : (result.start_error ?? gave);
  return { ok: false, reason: `${why} (${install})` };
}
