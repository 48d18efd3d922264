/** Whether a client is logged in, as it says itself: from its files and its environment, asking no service. */
import { runGroup } from "../../host/process.ts";
import type { Agent } from "../../loop/ports.ts";

export type Login =
  | { readonly standing: "in"; readonly how?: string }
  /** `next`: what to do about it. */
  | { readonly standing: "out"; readonly next: string };

type Environment = Readonly<Record<string, string | undefined>>;

interface LoginQuestion {
  readonly args: readonly string[];
  read(exit: number | null, stdout: string, stderr: string): Login | null;
}

/** The clients that can be asked. */
const CLIENTS: Readonly<Partial<Record<string, LoginQuestion>>> = {
  claude: { args: ["auth", "status", "--json"], read: readClaude },
  codex: { args: ["login", "status"], read: readCodex },
};

/**
 * @param name as given to --agent
 * @returns null: it does not say (another agent, an older client)
 */
export async function clientLogin(name: string, env: Environment): Promise<Login | null> {
  const [command = ""] = name.split(":");
  const client = CLIENTS[command];
  if (client === undefined) return null;
  const { args, read } = client;
  const { start_error, exit_code, stdout, stderr } = await runGroup({
    command,
    args,
    cwd: process.cwd(),
    env,
    timeout_ms: 20_000,
  });
  return start_error === undefined ? read(exit_code, stdout, stderr) : null;
}

/** The answer also names the account, which is left out on purpose. */
function readClaude(_exit: number | null, stdout: string): Login | null {
  try {
    const { loggedIn, authMethod } = JSON.parse(stdout) as { loggedIn?: unknown; authMethod?: unknown };
    if (loggedIn === true) return { standing: "in", ...(typeof authMethod === "string" ? { how: authMethod } : {}) };
    return loggedIn === false
      ? { standing: "out", next: "log in with `claude auth login`, or set ANTHROPIC_API_KEY" }
      : null;
  } catch {
    return null;
  }
}

/** `codex login status` knows Codex's own login only: a provider in config.toml may have a key of its own. */
function readCodex(exit: number | null, stdout: string, stderr: string): Login | null {
  const said = `${stdout}\n${stderr}`;
  const out = /^not logged in/im.test(said);
  if (exit === 0) return !out && /logged in|api key/i.test(said) ? { standing: "in" } : null;
  const next = "log in with `codex login`, unless your config.toml names a provider with a key of its own";
  return out ? { standing: "out", next } : null;
}

/** Whether `<command> --version` names a version, which spends nothing. @param install what to do if not */
export async function installedVersion(
  command: string,
  env: Environment | undefined,
  install: string,
): ReturnType<Agent["available"]> {
  const result = await runGroup({
    command,
    args: ["--version"],
    cwd: process.cwd(),
    env: env ?? process.env,
    timeout_ms: 20_000,
  });
  const version = /\d+\.\d+\.\d+/.exec(result.stdout)?.[0];
  if (result.exit_code === 0 && version !== undefined) return { ok: true, version };
  const gave = `${command} --version gave exit code ${result.exit_code ?? result.signal}`;
  // Most who read this have simply not installed it.
  const isAbsent = result.start_error?.includes(": no such program;") === true && !/[\\/]/.test(command);
  const why = isAbsent ? `there is no ${command} on PATH` : (result.start_error ?? gave);
  return { ok: false, reason: `${why} (${install})` };
}
