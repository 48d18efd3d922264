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
  const why = result.start_error ?? `${command} --version gave exit code ${result.exit_code ?? result.signal}`;
  return { ok: false, reason: `${why}; ${install}` };
}
