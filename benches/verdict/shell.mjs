/** Commands of the bench: bounded in time, ended with all that they started. */
import { spawn } from "node:child_process";

const LONGEST_OUTPUT = 4_000_000;

/**
 * @param command a shell command, or a program and its arguments
 * @returns exit code (null: ended by a signal), stdout and stderr together, milliseconds
 */
export function shell(command, { cwd, timeout_ms = 60_000, env = {} } = {}) {
  const started = performance.now();
  const [program, args] = Array.isArray(command) ? [command[0], command.slice(1)] : ["/bin/sh", ["-c", command]];
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    let output = "";
    const take = (chunk) => (output = (output + chunk).slice(-LONGEST_OUTPUT));
    child.stdout.on("data", take);
    child.stderr.on("data", take);
    const end = (code) => {
      clearTimeout(timer);
      endGroup(child.pid);
      resolve({ code, output, ms: performance.now() - started });
    };
    const timer = setTimeout(() => endGroup(child.pid), timeout_ms);
    child.on("error", (error) => end(null, (output += String(error))));
    child.on("close", end);
  });
}

function endGroup(pid) {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch (error) {
    if (error.code !== "ESRCH" && error.code !== "EPERM") throw error;
  }
}

/** @throws when it does not end with 0 */
export async function mustRun(command, options) {
  const { code, output } = await shell(command, options);
  if (code !== 0) throw new Error(`${[command].flat().join(" ")} ended with ${code}: ${output.slice(-500)}`);
  return output;
}
