/**
 * What a process group is to the operating system: how to signal it, and who of it is still alive.
 *
 * On Linux a member is anyone in the group, anyone in the leader's session, and anyone whose start
 * environment carries the group's mark, which finds daemons that left by `setsid`. A process that left
 * the session *and* was started with an emptied environment (`env -i setsid ...`) is not found. On other
 * POSIX systems only the group itself is known; on Windows the process tree, as long as its root lives.
 */
import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { processIds, readStat } from "./liveness.ts";

export interface ProcessGroup {
  /** The leader's process id, which is the group's id. */
  readonly pid: number;
  /** Value that every process of the group carries in `AOT_GROUP`. */
  readonly mark: string;
  /** When the leader started, in clock ticks since boot; null where the system does not tell. */
  readonly started: number | null;
}

/** The variable that marks a group's processes. Nested runs are chained by ":". */
export const MARK_VARIABLE = "AOT_GROUP";

/** Every mark given out by this process begins with this; the guardian looks for it. */
export const PROCESS_MARK: string = randomBytes(9).toString("hex");

let marks = 0;
export function nextMark(): string {
  marks += 1;
  return `${PROCESS_MARK}.${marks}`;
}

/** The group that `pid` leads. Call before the leader can have been reaped, in the tick that spawned it. */
export function groupOf(pid: number, mark: string): ProcessGroup {
  return { pid, mark, started: readStat(pid)?.started ?? null };
}

/** Signals the whole group. Gone or foreign processes are no error. On Windows every signal ends the tree by force. */
export function signalGroup(group: ProcessGroup, signal: "SIGTERM" | "SIGKILL"): void {
  if (process.platform !== "win32") return send(-group.pid, signal);
  spawn("taskkill", TREE_KILL(group.pid), { stdio: "ignore", windowsHide: true }).on("error", () => {});
}

/** Kills the group and all members that can be found, without waiting. For use when the process exits. */
export function killGroupNow(group: ProcessGroup): void {
  if (process.platform === "win32") {
    spawnSync("taskkill", TREE_KILL(group.pid), {
      stdio: "ignore",
      windowsHide: true,
      timeout: 5_000,
    });
    return;
  }
  send(-group.pid, "SIGKILL");
  for (const pid of membersOf(group)) send(pid, "SIGKILL");
}

/**
 * Ends whatever is left of the group: SIGTERM, `grace_ms` to go by themselves, SIGKILL. Bounded: a process that
 * survives SIGKILL for 3 s (uninterruptible I/O) is left behind.
 * @param grace_ms milliseconds; 0 kills at once
 */
export async function sweepGroup(group: ProcessGroup, grace_ms: number): Promise<void> {
  const soft = performance.now() + grace_ms;
  const hard = soft + 3_000;
  for (let left = membersOf(group); left.length > 0; left = membersOf(group)) {
    const now = performance.now();
    if (now > hard) return;
    const gentle = now < soft;
    const signal = gentle ? "SIGTERM" : "SIGKILL";
    // The group as one first: a signal to a group cannot miss a child that is being forked.
    send(-group.pid, signal);
    for (const pid of left) send(pid, signal);
    await allGone(left, gentle ? soft : hard);
  }
}

/** Ids of the living members that can be found; a negative id stands for a group as a whole. Zombies do not count. */
function membersOf(group: ProcessGroup): number[] {
  if (process.platform === "win32") return [];
  const processes = process.platform === "linux" ? processIds() : [];
  if (processes.length === 0 || group.started === null) return isAlive(-group.pid) ? [-group.pid] : [];
  const since = group.started;
  return processes.filter((pid) => {
    const stat = readStat(pid);
    if (stat === null || stat.started < since || pid === process.pid) return false;
    // What cannot be signalled (another user's) is no member: the sweep could only wait for it.
    const member = stat.group === group.pid || stat.session === group.pid || carries(pid, group.mark);
    return member && isAlive(pid);
  });
}

async function allGone(pids: readonly number[], until: number): Promise<void> {
  let pause = 2;
  while (pids.some(isAlive) && performance.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    pause = Math.min(pause * 2, 25);
  }
}

/** Whether a process (or, negative, a group) exists and is not a zombie as far as the system tells. */
export function isAlive(pid: number): boolean {
  if (!exists(pid)) return false;
  const stat = pid < 0 ? null : readStat(pid);
  // Nothing to read: there is no /proc, or the process went between the two looks.
  return stat === null ? exists(pid) : !stat.dead;
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // EPERM counts as gone: macOS says so of a group of zombies, and we could not signal it anyway.
    return false;
  }
}

function send(pid: number, signal: "SIGTERM" | "SIGKILL"): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Already gone.
  }
}

const TREE_KILL = (pid: number): string[] => ["/PID", String(pid), "/T", "/F"];

/**
 * Whether a child is no program: a signal ended it between its fork and its own program, or it has run to its end
 * already. Ask once `spawn` has returned: then it has begun its own program, or has no memory any more. What it carries
 * says nothing, for a program has its memory a moment before its environment. False where the system does not tell.
 */
export function isStillborn({ pid, started }: ProcessGroup): boolean {
  if (started === null) return false;
  const stat = readStat(pid);
  return stat === null || stat.dead || stat.memory === 0;
}

function carries(pid: number, mark: string): boolean {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, "latin1").split("\0");
    const variable = environment.find((entry) => entry.startsWith(`${MARK_VARIABLE}=`));
    return (
      variable
        ?.slice(MARK_VARIABLE.length + 1)
        .split(":")
        .includes(mark) ?? false
    );
  } catch {
    return false;
  }
}
