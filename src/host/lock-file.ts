/**
 * A lock file as such: who is written in it, and putting one in place. Who may take over whose is
 * decided in lock.ts.
 *
 * LOCK-FILE-1 a lock file appears whole: a finished file is linked to its name. Where the file system has no hard
 *    links it is created exclusively and filled at once; a writer that took suspiciously long gives up.
 */
import { closeSync, linkSync, lstatSync, openSync, renameSync, unlinkSync, writeSync } from "node:fs";
import { isoNow, monotonicMs, pause } from "./clock.ts";
import { hostname } from "node:os";
import { livenessOf, self, type Liveness } from "./liveness.ts";
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
}

export type Seen =
  | { readonly kind: "free" }
  | { readonly kind: "held"; readonly key: string; readonly holder: Holder }
  /** No holder can be read from it. `age_ms` since it was last written. */
  | { readonly kind: "garbage"; readonly key: string; readonly age_ms: number }
  | { readonly kind: "unreadable"; readonly errno: string };

/** "placed", "taken" (another file is there), or the error code of the system. */
export type Placing = "placed" | "taken" | { readonly errno: string };

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

/** Always "unknown" for another host's process. */
export function livenessOfHolder(holder: Holder): Liveness {
  return holder.host === hostname() ? livenessOf(`${holder.pid}/${holder.start}`) : "unknown";
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
export function place(path: string, holder: Holder, hardLinks: boolean): Placing {
  if (!hardLinks) return createExclusively(path, holder);
  const temporary = temporaryOf(path, holder);
  try {
    write(temporary, holder);
  } catch (error) {
    remove(temporary);
    return failure(error);
  }
  try {
    linkSync(temporary, path);
    return "placed";
  } catch (error) {
    const errno = errnoOf(error);
    // A network file system may have linked it and lost the answer.
    if (bears(path, holder)) return "placed";
    if (errno === "EEXIST") return "taken";
    return NO_HARD_LINKS.has(errno) ? createExclusively(path, holder) : failure(error);
  } finally {
    remove(temporary);
  }
}

/** Puts a lock file in the place of the one that is there. */
export function replace(path: string, holder: Holder): Placing {
  const temporary = temporaryOf(path, holder);
  try {
    if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true) {
      // No file takes the place of a folder. Once that is set aside whoever comes first has the lock.
      clearWay(path);
      return place(path, holder, true);
    }
    write(temporary, holder);
    renameSync(temporary, path);
    return "placed";
  } catch (error) {
    remove(temporary);
    return failure(error);
  }
}

export function bears(path: string, holder: Holder): boolean {
  const seen = look(path);
  return seen.kind === "held" && seen.key === holder.nonce;
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

function createExclusively(path: string, holder: Holder): Placing {
  const started = monotonicMs();
  let file: number;
  try {
    refuseLinks(path);
    file = openSync(path, "wx");
  } catch (error) {
    return failure(error);
  }
  try {
    fill(file, holder);
  } catch (error) {
    remove(path);
    return failure(error);
  }
  if (monotonicMs() - started < SLOW_WRITE_MS) return "placed";
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
function write(path: string, holder: Holder): void {
  refuseLinks(path);
  fill(openSync(path, "wx"), holder);
}

/** Writes the line and closes the file, whatever comes. One line of a few hundred bytes is written at once or not at all. */
function fill(file: number, holder: Holder): void {
  const line = Buffer.from(`${JSON.stringify(holder)}\n`);
  try {
    if (writeSync(file, line) < line.length) throw Object.assign(new Error("the disk is full"), { code: "ENOSPC" });
  } finally {
    closeSync(file);
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
  const { pid, start, host, nonce, what, since } = value;
  const whole =
    typeof pid === "number" &&
    typeof start === "string" &&
    typeof host === "string" &&
    typeof what === "string" &&
    typeof since === "string" &&
    typeof nonce === "string" &&
    NONCE.test(nonce);
  return whole ? { pid, start, host, nonce, what, since } : null;
}

/** `<pid>-<time>-<50 bits of chance>`: unique among all lock files ever (node:crypto would cost its loading). */
function newNonce(): string {
  const chance = Math.floor(Math.random() * 2 ** 50)
    .toString(36)
    .padStart(10, "0");
  return `${process.pid.toString(36)}-${Date.now().toString(36)}-${chance}`;
}
