/**
 * A lock file as such: who is written in it, and putting one in place. Who may take over whose is
 * decided in lock.ts.
 *
 * LOCK-FILE-1 a lock file appears whole: a finished file is linked to its name. Where the file system has no hard
 *    links it is created exclusively and filled at once; a writer that took suspiciously long gives up.
 */
import {
  closeSync,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  unlinkSync,
  writeSync,
  constants,
  fstatSync,
  readFileSync,
  statfsSync,
} from "node:fs";
import { isoNow, monotonicMs, pause } from "./clock.ts";
import { hostname } from "node:os";
import { isOfThisKernel, livenessOf, self, type Liveness } from "./liveness.ts";
import { clearWay } from "./own-file.ts";
import { readRegularFile, refuseLinks } from "./regular-file.ts";
import { errnoOf } from "./write-failure.ts";

/** The one line of JSON in a lock file. */
export interface Holder {
  readonly pid: number;
  /** Start stamp of the process, see liveness.ts. */
  readonly start: string;
  readonly host: string;
  /** Unique to this one taking of the lock. */
  readonly nonce: string;
  /** What the lock is held for: "aot run". */
  readonly what: string;
  /** ISO 8601. */
  readonly since: string;
  /** The number of the file system where the kernel holds it. */
  readonly device?: number;
}

export type Seen =
  | { readonly kind: "free" }
  | { readonly kind: "held"; readonly key: string; readonly holder: Holder }
  /** No holder can be read from it. `age_ms` since it was last written. */
  | { readonly kind: "garbage"; readonly key: string; readonly age_ms: number }
  | { readonly kind: "unreadable"; readonly errno: string };

/** The holder as it is written there, "taken" (another file is there), or the error code of the system. */
export type Placing = Holder | "taken" | { readonly errno: string };

export interface Manner {
  /** The kernel is to hold it, too, which costs the start of a program: for what is held for long. */
  readonly lasting?: boolean;
  /** false: as on a file system without hard links. */
  readonly hard_links?: boolean;
}

/** A writer without hard links that took longer than this gives up; see STALE_GARBAGE_MS in lock.ts. */
const SLOW_WRITE_MS = 5000;
/** No line of ours has more bytes. */
const LONGEST = 64 * 1024;

export function newHolder(what: string): Holder {
  const identity = self();
  return {
    pid: process.pid,
    start: identity.slice(identity.indexOf("/") + 1),
    host: hostname(),
    nonce: newNonce(),
    what,
    since: isoNow(),
  };
}

/** Identities of processes whose death the kernel told: what else they held it tells of the lasting locks alone. */
const gone = new Set<string>();

/** "unknown" for another machine's process, and for one that cannot be seen where the kernel does not tell. */
export function livenessOfHolder(path: string, { pid, start, host, nonce, device }: Holder): Liveness {
  const identity = `${pid}/${start}`;
  const isHere = isOfThisKernel(start);
  const seen = isHere || host === hostname() ? livenessOf(identity) : "unknown";
  if (seen !== "unknown" || !isHere) return seen;
  if (gone.has(identity)) return "dead";
  const isLocked = device === undefined ? null : isLockedInKernel(path, nonce, device);
  if (isLocked === false) gone.add(identity);
  return isLocked === null ? "unknown" : isLocked ? "alive" : "dead";
}

/** What is at `path`. `key` names this very content: it never stands anywhere again once it is gone. */
export function look(path: string): Seen {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return { kind: "free" };
    const isOurs = found.isFile() && found.size <= LONGEST;
    const holder = isOurs ? holderIn(readRegularFile(path, LONGEST, "refuse").bytes.toString("utf8")) : null;
    if (holder !== null) return { kind: "held", key: holder.nonce, holder };
    const { ino, mtimeMs } = found;
    return {
      kind: "garbage",
      key: `g-${ino.toString(36)}-${Math.floor(mtimeMs).toString(36)}`,
      age_ms: Date.now() - mtimeMs,
    };
  } catch (error) {
    const errno = errnoOf(error);
    const transient = process.platform === "win32" && BUSY.has(errno);
    return errno === "ENOENT" || transient ? { kind: "free" } : { kind: "unreadable", errno };
  }
}

/** Puts a lock file where none stands. */
export function place(path: string, holder: Holder, manner: Manner): Placing {
  if (manner.hard_links === false) return createExclusively(path, holder, manner);
  const temporary = temporaryOf(path, holder);
  let written: Holder;
  try {
    written = write(temporary, holder, manner);
  } catch (error) {
    remove(temporary);
    return failure(error);
  }
  try {
    linkSync(temporary, path);
    return written;
  } catch (error) {
    const errno = errnoOf(error);
    // A network file system may have linked it and lost the answer.
    if (bears(path, holder)) return written;
    if (errno === "EEXIST") return "taken";
    return NO_HARD_LINKS.has(errno) ? createExclusively(path, holder, manner) : failure(error);
  } finally {
    remove(temporary);
  }
}

/** Puts a lock file in the place of the one that is there. */
export function replace(path: string, holder: Holder, manner: Manner): Placing {
  const temporary = temporaryOf(path, holder);
  try {
    if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true) {
      // No file takes the place of a folder. Once that is set aside whoever comes first has the lock.
      clearWay(path);
      return place(path, holder, manner);
    }
    const written = write(temporary, holder, manner);
    renameSync(temporary, path);
    return written;
  } catch (error) {
    remove(temporary);
    return failure(error);
  }
}

export function bears(path: string, holder: Holder): boolean {
  const seen = look(path);
  return seen.kind === "held" && seen.key === holder.nonce;
}

/** Files that the kernel holds for this process, by nonce. */
const kept = new Map<string, number>();

/** Ends what the kernel holds for a holder. */
export function letGo({ nonce }: Holder): void {
  const file = kept.get(nonce);
  if (kept.delete(nonce) && file !== undefined) closeSync(file);
}

/** Removes a file; one that is not there, or cannot be removed, is left. */
export function remove(path: string): void {
  // Windows refuses while another process has the file open for a moment.
  for (let tries = 0; tries < 5; tries++) {
    try {
      refuseLinks(path);
      unlinkSync(path);
      return;
    } catch (error) {
      if (!BUSY.has(errnoOf(error)) || process.platform !== "win32") return;
      pause(5);
    }
  }
}

/** What `newHolder` gives out: nothing else may become part of a file name. */
const NONCE = /^[0-9a-z]{1,7}-[0-9a-z]{8,9}-[0-9a-z]{10}$/;
const NO_HARD_LINKS = new Set(["EPERM", "ENOSYS", "ENOTSUP", "EOPNOTSUPP", "EINVAL", "EMLINK", "EACCES", "UNKNOWN"]);
const BUSY = new Set(["EPERM", "EACCES", "EBUSY"]);

function createExclusively(path: string, holder: Holder, manner: Manner): Placing {
  const started = monotonicMs();
  let file: number;
  try {
    refuseLinks(path);
    file = openSync(path, "wx");
  } catch (error) {
    return failure(error);
  }
  let written: Holder;
  try {
    written = fill(file, holder, manner);
  } catch (error) {
    remove(path);
    return failure(error);
  }
  if (monotonicMs() - started < SLOW_WRITE_MS) return written;
  if (bears(path, holder)) remove(path);
  return "taken";
}

/** Windows refuses the name of a file that is just being removed: for that moment it is taken. */
function failure(error: unknown): Placing {
  const errno = errnoOf(error);
  const transient = process.platform === "win32" && BUSY.has(errno);
  return errno === "EEXIST" || transient ? "taken" : { errno };
}

/** Creates a file that must not be there yet. */
function write(path: string, holder: Holder, manner: Manner): Holder {
  refuseLinks(path);
  return fill(openSync(path, "wx"), holder, manner);
}

/**
 * Writes the line, and closes the file unless the kernel holds it: which it does before anybody can read in it that it does.
 * One line of a few hundred bytes is written at once or not at all.
 */
function fill(file: number, holder: Holder, { lasting = false }: Manner): Holder {
  const device = lasting ? lockInKernel(file) : null;
  letGo(holder);
  if (device !== null) kept.set(holder.nonce, file);
  const named = device === null ? holder : { ...holder, device };
  const line = Buffer.from(`${JSON.stringify(named)}\n`);
  try {
    if (writeSync(file, line) < line.length) throw Object.assign(new Error("the disk is full"), { code: "ENOSPC" });
    return named;
  } finally {
    if (device === null) closeSync(file);
  }
}

function temporaryOf(path: string, holder: Holder): string {
  return `${path}.${holder.nonce}.tmp`;
}

function holderIn(text: string): Holder | null {
  let value: Partial<Holder> | null;
  try {
    value = JSON.parse(text) as Partial<Holder> | null;
  } catch {
    return null;
  }
  if (value === null || typeof value !== "object") return null;
  const { pid, start, host, nonce, what, since, device } = value;
  const whole =
    typeof pid === "number" &&
    typeof start === "string" &&
    typeof host === "string" &&
    typeof what === "string" &&
    typeof since === "string" &&
    typeof nonce === "string" &&
    NONCE.test(nonce);
  if (!whole) return null;
  return { pid, start, host, nonce, what, since, ...(typeof device === "number" && { device }) };
}

/** `<pid>-<time>-<50 bits of chance>`: unique among all lock files ever (node:crypto would cost its loading). */
function newNonce(): string {
  const chance = Math.floor(Math.random() * 2 ** 50)
    .toString(36)
    .padStart(10, "0");
  return `${process.pid.toString(36)}-${Date.now().toString(36)}-${chance}`;
}

// A lock on an open file that the kernel takes away when its holder dies, and not before. Linux only: it tells whether a holder
// lives where its process cannot be seen, in the PID namespace of another container that shares the folder.

/** Two mounts of an overlay are copies of their own: what is taken over in one is still held in the other. */
const OVERLAY = 0x794c7630;

/** The lock stays until `file` is closed. @returns the number of its file system; null: the kernel holds none here */
function lockInKernel(file: number): number | null {
  return flock(file, "-x") === 0 ? fstatSync(file).dev : null;
}

/**
 * Whether the file that contains `nonce` is locked: null where it cannot be known.
 * @param device of the file system where it was locked: the same file seen through another one has locks of its own
 */
function isLockedInKernel(path: string, nonce: string, device: number): boolean | null {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const isSame = fstatSync(file).dev === device || statfsSync(path).type === OVERLAY;
    if (!isSame || !readFileSync(file, "utf8").includes(nonce)) return null;
    const status = flock(file, "-s");
    return status === 0 || status === 1 ? status === 1 : null;
  } catch {
    return null;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** The program locks what this process has opened, and the lock outlives it. @returns its exit code; null: it could not be asked */
function flock(file: number, how: "-x" | "-s"): number | null {
  if (process.platform !== "linux") return null;
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  return spawnSync("flock", [how, "-n", "3"], { stdio: ["ignore", "ignore", "ignore", file], timeout: 5000 }).status;
}
