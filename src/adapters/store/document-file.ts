/**
 * A text file that is read whole and edited in place, whatever its format (SPEC section 2).
 *
 * DOCUMENT-FILE-1 every write is read, change, write under the file's lock: no update is lost;
 * DOCUMENT-FILE-2 nothing is written when the file is not valid, the change is refused, its result is not valid or too
 *    large to be read again, or nothing would change;
 * DOCUMENT-FILE-3 a program that writes the file without taking the lock (an editor) is noticed until just before
 *    the rename; the change is then made anew on what it wrote.
 */
import { dirname } from "node:path";
import { accepted, problem, type Problem, type Result } from "../../core/problem.ts";
import {
  isMissing,
  makeFolder,
  missing,
  readBytes,
  replace,
  sizeRefusal,
  stampAt,
  write,
  unreadable,
} from "./file-bytes.ts";
import { targetOf } from "../../host/atomic-write.ts";
import { acquireLockSync, noteDeath } from "../../host/lock.ts";
import { loopPaths } from "../../host/loop-paths.ts";
import { sweepWriteLeftovers } from "../../host/write-sweep.ts";

/** What a format has to say for itself. `D`: a parsed document, `V`: the value that is in it. */
export interface Format<D, V> {
  readonly max_bytes: number;
  /** What to do when there is no file yet. */
  readonly missing_hint: string;
  decode(bytes: Uint8Array): Result<string>;
  parse(text: string): Result<D>;
  textOf(document: D): string;
  valueOf(document: D): V;
  /** Why a value may not be written in the place of another that was read; empty: it may. */
  check(value: V, before: V): readonly Problem[];
  print(document: D, next: V): Result<string>;
}

export type EditOptions = LockOptions;

/** An edit of a file that holds a `V`. */
export interface ChangeOptions<V> extends EditOptions {
  /**
   * Called under the lock when the change is accepted, before the file says it: what has to be on disk first. Nothing is
   * written when it refuses. Called also when there is nothing to write, and again after DOCUMENT-FILE-3.
   */
  readonly ahead?: (after: V) => Result<null>;
}

export interface Edited<D, V> {
  readonly before: V;
  readonly after: V;
  /** The document that `before` is in. */
  readonly document: D;
  /** The file's whole text after the edit. */
  readonly text: string;
  /** false: nothing was written. */
  readonly changed: boolean;
}

export interface DocumentFile<D, V> {
  read(path: string): Result<D>;
  /** @param change must be pure: it is called again when the file changed meanwhile (DOCUMENT-FILE-3) */
  edit(path: string, change: (document: D) => Result<V>, options?: ChangeOptions<V>): Result<Edited<D, V>>;
  /** Writes a new file and makes its folder; refused when a file is there, unless `replace`. */
  create(path: string, text: string, options?: EditOptions & { readonly replace?: boolean }): Result<D>;
}

const MOST_TRIES = 10;

export function documentFile<D, V>(format: Format<D, V>): DocumentFile<D, V> {
  return {
    read: (path) => {
      const loaded = load(format, path);
      return loaded.ok ? accepted(loaded.value.document) : loaded;
    },

    edit: (path, change, options = {}) => {
      // Looked at before locking, so that a wrong path leaves nothing behind.
      if (isMissing(path)) return missing(path, format.missing_hint);
      const { ahead = () => accepted(null), ...lock } = options;
      return underLock(path, lock, (target) => {
        for (let tries = 0; tries < MOST_TRIES; tries++) {
          const answer = editOnce(format, target, change, ahead);
          if (answer !== "again") return answer;
        }
        return problem(
          "file_locked",
          `${path} keeps being changed by another program`,
          "close the program that writes it, then do it again",
        );
      });
    },

    create: (path, text, options = {}) => {
      const document = format.parse(text);
      if (!document.ok) return document;
      const large = sizeRefusal(path, text, format.max_bytes);
      if (large !== null) return large;
      const folder = makeFolder(dirname(path));
      if (!folder.ok) return folder;
      return underLock(path, options, (target) => {
        const stands = stampAt(target) !== null;
        if (stands && options.replace !== true)
          return problem("refused", `${path} already exists`, "name another file, or say that it is to be replaced");
        const written = write(target, text, { is_target: true });
        return written.ok ? document : written;
      });
    },
  };
}

interface Loaded<D> {
  readonly document: D;
  readonly stamp: string;
}

function load<D, V>(format: Format<D, V>, path: string): Result<Loaded<D>> {
  const bytes = readBytes(path, format.max_bytes, format.missing_hint);
  if (!bytes.ok) return bytes;
  const text = format.decode(bytes.value.bytes);
  if (!text.ok) return text;
  const document = format.parse(text.value);
  return document.ok ? accepted({ document: document.value, stamp: bytes.value.stamp }) : document;
}

function editOnce<D, V>(
  format: Format<D, V>,
  path: string,
  change: (document: D) => Result<V>,
  ahead: (after: V) => Result<null>,
): Result<Edited<D, V>> | "again" {
  const loaded = load(format, path);
  if (!loaded.ok) return loaded;
  const { document, stamp } = loaded.value;
  const before = format.valueOf(document);
  const changed = change(document);
  if (!changed.ok) return changed;
  const after = changed.value;
  const old = format.textOf(document);
  const unchanged = (): Result<Edited<D, V>> => {
    const reported = ahead(after);
    return reported.ok ? accepted({ before, after, document, text: old, changed: false }) : reported;
  };
  if (after === before) return unchanged();
  const problems = format.check(after, before);
  if (problems.length > 0) return { ok: false, problems };
  const text = format.print(document, after);
  if (!text.ok) return text;
  if (text.value === old) return unchanged();
  const large = sizeRefusal(path, text.value, format.max_bytes);
  if (large !== null) return large;
  const reported = ahead(after);
  if (!reported.ok) return reported;
  const written = replace(path, text.value, stamp);
  if (written === "changed") return "again";
  return written.ok ? accepted({ before, after, document, text: text.value, changed: true }) : written;
}

// Work on a file under its lock (SPEC section 2).

export interface LockOptions {
  /** What the lock is held for; shown to those who wait. */
  readonly what?: string;
  /** How long to wait for other writers, in milliseconds; default 10 s. */
  readonly timeout_ms?: number;
}

/** @param work gets the file that `path` means once links are followed. Problems: `file_locked`, `file_unwritable` */
function underLock<T>(path: string, options: LockOptions, work: (target: string) => Result<T>): Result<T> {
  let target: string;
  try {
    target = targetOf(path);
  } catch (error) {
    return unreadable(path, error);
  }
  const paths = loopPaths(target);
  noteDeath(paths.runLock);
  const lock = acquireLockSync(paths.lock, {
    timeout_ms: 10_000,
    ...options,
    what: options.what ?? "an edit of the state",
  });
  if (!lock.ok) return problem(lock.code === "unwritable" ? "file_unwritable" : "file_locked", lock.message, lock.hint);
  try {
    if (lock.taken_over) sweepWriteLeftovers(target);
    return work(target);
  } finally {
    lock.release();
  }
}
