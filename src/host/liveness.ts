/**
 * Whether the process that wrote its name somewhere still lives, or only another one under its pid.
 *
 * An identity is `<pid>/<start>`. `start` tells two bearers of one pid apart: on Linux
 * `<start ticks>.<boot id>.<pid namespace>.<machine id>`, on macOS the start time as `ps` prints it, on
 * Windows nothing. LOCK-4: "dead" is said only when it is certain. A pid of another pid namespace (a
 * sandboxed agent's, a container's) means another process here, and is "unknown" unless it can be found.
 */
import { readFileSync, readdirSync, statSync } from "node:fs";

export type Liveness = "alive" | "dead" | "unknown";

/** `PROC_PID_INIT_INO` of Linux: the namespace in which every process is visible. */
const INITIAL_NAMESPACE = "4026531836";

let own: string | undefined;

/** Identity of this process. Constant; on Linux no process is started for it. */
export function self(): string {
  own ??= processIdentity(process.pid) ?? `${process.pid}/`;
  return own;
}

/**
 * Identity of a process as this one sees it.
 * @param pid a process id of this machine and pid namespace
 * @returns null when no such process lives (a zombie does not live)
 */
export function processIdentity(pid: number): string | null {
  if (!isPid(pid)) return null;
  if (process.platform === "linux") {
    const stat = statOf(pid);
    if (stat === "gone") return null;
    return stat === "hidden" ? `${pid}/` : `${pid}/${stat.started}.${placeSuffix()}`;
  }
  if (!answersSignal(pid)) return null;
  return `${pid}/${process.platform === "darwin" ? startByPs(pid) : ""}`;
}

/** False for a dead pid and for a reused one. Not known (LOCK-4): true. */
export function isAlive(identity: string): boolean {
  return livenessOf(identity) !== "dead";
}

/** As `isAlive`, with "unknown" where it is not known; also for what is no identity at all. */
export function livenessOf(identity: string): Liveness {
  const parts = /^([1-9]\d{0,9})\/(.*)$/.exec(identity);
  const pid = Number(parts?.[1]);
  if (parts === null || !isPid(pid)) return "unknown";
  const start = parts[2] ?? "";
  if (process.platform === "linux" && start !== "") return onLinux(pid, start);
  if (!answersSignal(pid)) return "dead";
  if (start === "" || process.platform !== "darwin") return "alive";
  const now = startByPs(pid);
  return now === "" || now === start ? "alive" : "dead";
}

/** 0 and what the system would cut to 32 bits mean other processes than they say. */
function isPid(pid: number): boolean {
  return Number.isInteger(pid) && pid > 0 && pid < 2 ** 31;
}

function answersSignal(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** Time zone and language are fixed, so that two processes print one start alike. Empty: not known. */
function startByPs(pid: number): string {
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const ps = spawnSync("ps", ["-o", "lstart=", "-p", String(pid)], {
    env: { PATH: "/bin:/usr/bin", TZ: "UTC", LC_ALL: "C" },
    encoding: "utf8",
    timeout: 5000,
  });
  return ps.status === 0 ? ps.stdout.trim().replaceAll(/\s+/g, "_") : "";
}

// ── Linux ───────────────────────────────────────────────────────────────────

interface HostIdentity {
  readonly boot: string;
  readonly namespace: string;
  readonly machine: string;
}

let here: HostIdentity | undefined;

function place(): HostIdentity {
  here ??= {
    boot: readShort("/proc/sys/kernel/random/boot_id").slice(0, 8),
    namespace: ownNamespace(),
    machine: readShort("/etc/machine-id").slice(0, 8),
  };
  return here;
}

/** Whether the process of a start stamp runs, or ran, under the kernel that runs this one: in a container, too. */
export function isOfThisKernel(start: string): boolean {
  const boot = start.split(".")[1] ?? "";
  return process.platform === "linux" && boot !== "" && boot === place().boot;
}

function placeSuffix(): string {
  return `${place().boot}.${place().namespace}.${place().machine}`;
}

function ownNamespace(): string {
  try {
    // What the link there names, pid:[4026531836]; to read a link costs a short command one more of Node's functions.
    return String(statSync("/proc/self/ns/pid").ino);
  } catch {
    return "";
  }
}

function onLinux(pid: number, start: string): Liveness {
  const [ticks = "", boot, namespace, machine] = start.split(".");
  // Another boot of this machine: none of its processes lives. Of another machine nothing is known.
  if (boot !== place().boot)
    return boot !== "" && place().boot !== "" && machine === place().machine ? "dead" : "unknown";
  if (namespace !== place().namespace) return inOtherNamespace(pid, ticks);
  const stat = statOf(pid);
  if (stat === "gone") return "dead";
  if (stat === "hidden") return "alive";
  return String(stat.started) === ticks ? "alive" : "dead";
}

/** A process of a namespace below ours is visible under another pid; from the initial one all are. */
function inOtherNamespace(pid: number, ticks: string): Liveness {
  for (const entry of processIds()) {
    const nested = /^NSpid:((?:\t\d+)+)$/m.exec(readShort(`/proc/${entry}/status`))?.[1]?.split("\t") ?? [];
    if (nested.at(-1) !== String(pid)) continue;
    const stat = statOf(entry);
    if (stat !== "gone" && stat !== "hidden" && String(stat.started) === ticks) return "alive";
  }
  const allVisible = place().namespace === INITIAL_NAMESPACE && readShort("/proc/1/stat") !== "";
  return allVisible ? "dead" : "unknown";
}

/** "hidden": it lives, but its /proc entry cannot be read (hidepid). */
function statOf(pid: number): Stat | "gone" | "hidden" {
  const stat = readStat(pid);
  if (stat === null) return answersSignal(pid) ? "hidden" : "gone";
  return stat.dead ? "gone" : stat;
}

interface Stat {
  readonly dead: boolean;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Clock ticks since boot. */
  readonly started: number;
  /** Bytes; 0: it is being ended. */
  readonly memory: number;
}

/** `/proc/<pid>/stat`: "pid (name) state ppid pgrp session ... starttime vsize ..."; the name may hold anything, ")" too. */
export function readStat(pid: number): Stat | null {
  const text = process.platform === "linux" ? readShort(`/proc/${pid}/stat`) : "";
  if (text === "") return null;
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [parent, group, session, started, memory] = [1, 2, 3, 19, 20].map((place) => Number(fields[place])) as [
    number,
    number,
    number,
    number,
    number,
  ];
  return { dead: /^[ZX]/.test(fields[0] ?? ""), parent, group, session, started, memory };
}

/** Of all that can be seen; none where the system does not tell. */
export function processIds(): number[] {
  return listed("/proc").flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
}

function readShort(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return "";
  }
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
