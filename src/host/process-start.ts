/** Starting the leader of a process group, on each platform, and saying why it could not be started. */
import { spawn, type ChildProcess } from "node:child_process";
import { statSync } from "node:fs";
import { MARK_VARIABLE } from "./process-group.ts";
import type { GroupOptions } from "./process-options.ts";

export type Started =
  | { readonly ok: true; readonly child: ChildProcess; readonly pid: number }
  | { readonly ok: false; readonly failure: Promise<string> };

/** Starts the program as the leader of a new group (POSIX: of a new session). Never throws. */
export function startLeader(options: GroupOptions, mark: string): Started {
  const windows = process.platform === "win32";
  const line =
    options.shell === true ? shellLine(options.command) : { file: options.command, args: [...(options.args ?? [])] };
  try {
    const child = spawn(line.file, line.args, {
      cwd: options.cwd,
      env: environment(options.env ?? process.env, mark),
      stdio: [(options.input ?? options.converse) === undefined ? "ignore" : "pipe", "pipe", "pipe"],
      detached: !windows,
      windowsHide: true,
      windowsVerbatimArguments: windows && options.shell === true,
    });
    if (child.pid === undefined)
      return {
        ok: false,
        failure: new Promise((resolve) => child.once("error", (error) => resolve(describe(error, options)))),
      };
    child.on("error", () => {});
    return { ok: true, child, pid: child.pid };
  } catch (error) {
    return { ok: false, failure: Promise.resolve(describe(error, options)) };
  }
}

function shellLine(command: string): { file: string; args: string[] } {
  if (process.platform !== "win32") return { file: "/bin/sh", args: ["-c", command] };
  return { file: process.env["ComSpec"] ?? "cmd.exe", args: ["/d", "/s", "/c", `"${command}"`] };
}

function environment(base: Readonly<Record<string, string | undefined>>, mark: string): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(base))
    if (value !== undefined && !isEngineKey(name, value)) env[name] = value;
  const outer = env[MARK_VARIABLE];
  env[MARK_VARIABLE] = outer === undefined || outer === "" ? mark : `${outer}:${mark}`;
  return env;
}

function describe(error: unknown, options: GroupOptions): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const what = `cannot start ${JSON.stringify(options.command)}`;
  // Node reports a missing working folder as a missing program.
  if (!isFolder(options.cwd))
    return `${what}: the working folder ${options.cwd} does not exist or is not a folder (${code})`;
  if (code === "ENOENT") return `${what}: no such program; is it installed and on PATH? (ENOENT)`;
  if (code === "EACCES") return `${what}: it is not executable, or permission is denied (EACCES)`;
  return `${what}: ${error instanceof Error ? error.message : String(error)}`;
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/**
 * Whether a variable opens the engine: whoever holds that may steer every loop there, which is no business of agents,
 * checks, and what a repository they wrote to makes git start (SPEC section 8).
 */
export function isEngineKey(name: string, value: string): boolean {
  // Windows does not tell case apart.
  return name.toUpperCase() === "AOT_ENGINE" && WITH_PASSWORD.test(value);
}

const WITH_PASSWORD = /^[^/]*\/\/[^/@]*:[^/@]*@|[?&]password=/i;
