/**
 * "None outlives the loop", even when the loop is killed with SIGKILL and can clean up nothing (SPEC section 7).
 *
 * A guardian is a tiny process in a session of its own that holds the reading end of a pipe; the operating
 * system closes the other end when the loop dies, however it dies. The guardian then ends every group that was
 * still registered (SIGTERM, 1 s, SIGKILL) and, on Linux, every process that carries a mark of this process, so
 * that not even a group that was just being started is missed: where one was, the guardian looks for 4 s, because a
 * child carries its mark only once it runs its own program. After `close` it leaves without killing.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { Socket } from "node:net";
import { dirname } from "node:path";
import { MARK_VARIABLE, PROCESS_MARK } from "./process-group.ts";
import type { GroupWatch } from "./process-registry.ts";

export interface Guardian extends GroupWatch {
  /** null: it could not be started; everything else works without it. */
  readonly pid: number | null;
  /** Lets the guardian go without killing anything. */
  close(): void;
}

/**
 * Starts the guardian of this process. Does not wait for it, never throws, and does not keep this process
 * alive. Hand it to `setGuardian` so that every group is registered.
 */
export function startGuardian(): Guardian {
  const child = launch();
  let open = child !== null;
  const tell = (line: string): void => {
    if (open) child?.stdin?.write(`${line}\n`);
  };
  return {
    pid: child?.pid ?? null,
    expect: () => tell("?"),
    spare: () => tell("!"),
    watch: (pid) => tell(`+${pid}`),
    forget: (pid) => tell(`-${pid}`),
    close() {
      tell(".");
      open = false;
      child?.stdin?.end();
    },
  };
}

function launch(): ChildProcess | null {
  const { NODE_OPTIONS: _, ...env } = process.env;
  try {
    const child = spawn(process.execPath, ["-e", SOURCE, PROCESS_MARK, MARK_VARIABLE], {
      stdio: ["pipe", "ignore", "ignore"],
      detached: true,
      windowsHide: true,
      env,
      // Anywhere but in the project: a folder that is somebody's working folder cannot be removed on Windows.
      cwd: dirname(process.execPath),
    });
    child.on("error", () => {});
    child.stdin.on("error", () => {});
    if (child.stdin instanceof Socket) child.stdin.unref();
    child.unref();
    return child;
  } catch {
    return null;
  }
}

/** Plain CommonJS in a string: the guardian must start from a bundle, from dist/lib and from sources alike. */
const SOURCE = String.raw`
const { readFileSync, readdirSync } = require("node:fs");
const { spawnSync } = require("node:child_process");
const [, mark, variable] = process.argv;
const windows = process.platform === "win32";
const groups = new Set();
let rest = "", released = false, ending = false, expected = false;

process.stdin.setEncoding("latin1");
process.stdin.on("data", (chunk) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop();
  for (const line of lines) {
    const pid = Number(line.slice(1));
    if (line === ".") released = true;
    else if (line === "?") expected = true;
    else if (line === "!") expected = false;
    else if (!Number.isInteger(pid) || pid < 2) continue;
    else if (line[0] === "+") groups.add(pid), (expected = false);
    else if (line[0] === "-") groups.delete(pid);
  }
});
process.stdin.on("end", end).on("error", end).on("close", end);

async function end() {
  if (ending) return;
  ending = true;
  if (released) return;
  if (windows) return groups.forEach((pid) => spawnSync("taskkill", ["/PID", String(pid), "/T", "/F"], { windowsHide: true }));
  const soft = Date.now() + 1000, hard = soft + 3000;
  const asked = new Set();
  for (let now = Date.now(); now < hard; now = Date.now()) {
    // Asked once, then only looked at (0), then forced.
    const signal = (pid) => (now >= soft ? "SIGKILL" : asked.has(pid) ? 0 : "SIGTERM");
    const left = targets().filter((pid) => send(pid, signal(pid)));
    if (left.length === 0 && !expected) return;
    left.forEach((pid) => asked.add(pid));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
function targets() {
  return [...groups].map((pid) => -pid).concat(process.platform === "linux" ? marked() : []);
}
function marked() {
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name) && carries(name)).map(Number);
}
function carries(pid) {
  try {
    const entry = readFileSync("/proc/" + pid + "/environ", "latin1").split("\0").find((e) => e.startsWith(variable + "="));
    return entry !== undefined && entry.slice(variable.length + 1).split(":").some((part) => part.startsWith(mark + "."));
  } catch {
    return false;
  }
}
function send(pid, signal) {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
`;
