/**
 * A copy of what an open loop needs to go on (its state file, and the files of its own folder), where nothing sweeps it
 * away that sweeps the project: `git clean -x` and `git stash --all` take ignored files, too. It lies in git's folder of the
 * working tree; where there is no git in the user's state folder.
 *
 * KEPT-COPY-1 it is written after the original, from what the original holds, and never replaces a file that is there;
 * KEPT-COPY-2 a loop whose files are gone is put back from it, the state file first, so that nobody takes it for given up;
 *    what is gone besides, the next one who reads the loop puts back;
 * KEPT-COPY-3 a person who removes the state file alone has given the loop up, unless a run works it just now: the copy
 *    goes, and so does that of a loop that is completed.
 */
import { createHash } from "node:crypto";
import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
  type Stats,
} from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { BY_HAND } from "../../core/journal-line.ts";
import { writeFileAtomicSync } from "../../host/atomic-write.ts";
import { isoNow } from "../../host/clock.ts";
import { gitFolderAbove } from "../../host/git-folder.ts";
import { acquireLockSync, holderOf } from "../../host/lock.ts";
import { loopPaths } from "../../host/loop-paths.ts";
import { makeFolder } from "../../host/make-folder.ts";
import { makeOwnFolder, removeOwnFile } from "../../host/own-file.ts";
import { realPath } from "../../host/real-path.ts";
import { ownNames, readOwnFile, readRegularFile } from "../../host/regular-file.ts";
import { sweepWriteLeftovers } from "../../host/write-sweep.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Of the copy. It bears the name that the hooks' quick front looks for. */
const STATE = "aot-loop-state.md";
/** Of the loop's own folder: what a session's person has yet to read. */
const RESTORED = "restored";
const JOURNAL = /^journal(?:\.\d+)?\.jsonl$/;
/** What a loop goes on with; the rest comes and goes with a process, or is somebody's draft. */
const LASTING = /^(?:journal(?:\.\d+)?\.jsonl|name|session|(?:session|tests)\.json)$/;
const MOST_BYTES = 16 * 1024 * 1024;
const LONGEST_NAME = 200;

/** Where the copy of a loop lies, or would lie; null: there is no place for one. */
export function copyFolder(stateFile: string, env: Environment = process.env): string | null {
  const file = realPath(stateFile);
  const git = gitFolderAbove(dirname(file));
  if (git !== null) {
    const name = encodeURIComponent(relative(git.root, file).split(sep).join("/"));
    return join(git.own, "aot-loop", `at-${name.length > LONGEST_NAME ? digestOf(name) : name}`);
  }
  const home = env["HOME"] === undefined ? env["LOCALAPPDATA"] : join(env["HOME"], ".local", "state");
  const folder = env["XDG_STATE_HOME"] || home;
  return folder === undefined ? null : join(folder, "aot-loop", digestOf(file));
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/** Whether a copy stands for a loop whose state file is not there. */
export function hasCopy(stateFile: string): boolean {
  const folder = copyFolder(stateFile);
  return folder !== null && existsSync(join(folder, STATE));
}

/**
 * Brings the copy up to date. What cannot be written is left: the loop goes on without a copy.
 * @param begin false: only if there is one
 */
export function keepCopy(stateFile: string, begin = true): void {
  const folder = copyFolder(stateFile);
  if (folder === null || (!begin && !existsSync(join(folder, STATE)))) return;
  const { dir } = loopPaths(realPath(stateFile));
  try {
    makeFolder(folder);
    for (const name of ownNames(dir)) if (LASTING.test(name)) copyFile(join(dir, name), join(folder, name));
    copyFile(realPath(stateFile), join(folder, STATE));
  } catch {
    // A full disk, or a folder that is not ours to write to.
  }
}

/** The copy holds nothing of the loop that the state file held before. */
export function beginCopy(stateFile: string): void {
  forgetCopy(stateFile);
  keepCopy(stateFile);
}

export function forgetCopy(stateFile: string): void {
  const folder = copyFolder(stateFile);
  if (folder === null) return;
  try {
    rmSync(folder, { recursive: true, force: true });
    // The last one takes the folder of all with it.
    if (ownNames(dirname(folder)).length === 0) rmSync(dirname(folder), { recursive: true, force: true });
  } catch {
    // It stays as it is.
  }
}

/** Files of the loop's own folder that are gone for good. */
export function forgetCopied(stateFile: string, files: readonly string[]): void {
  const folder = copyFolder(stateFile);
  if (folder !== null) for (const file of files) removeOwnFile(join(folder, basename(file)));
}

function copyFile(from: string, to: string): void {
  const found = lstatSync(from, { throwIfNoEntry: false });
  const copied = statSync(to, { throwIfNoEntry: false });
  if (found?.isFile() !== true || (copied !== undefined && isAlike(found, copied))) return;
  if (JOURNAL.test(basename(from)) && copied !== undefined && copied.size <= found.size)
    return addEnd(from, to, copied.size);
  if (found.size > MOST_BYTES && !JOURNAL.test(basename(from))) return;
  const { bytes, stats } = readRegularFile(from, Math.max(MOST_BYTES, found.size), "refuse");
  const still = (): boolean => {
    const now = statSync(from, { throwIfNoEntry: false });
    return now !== undefined && isAlike(now, stats);
  };
  writeFileAtomicSync(to, bytes, { durable: false, is_target: true, date: stats.mtime, still });
}

function isAlike(one: Stats, other: Stats): boolean {
  // A date that is set loses what is below a microsecond.
  return one.size === other.size && Math.abs(one.mtimeMs - other.mtimeMs) < 0.01;
}

const CHUNK_BYTES = 256 * 1024;

/** Nothing of a journal ever changes. Several who add the same do no harm: each byte has its place. */
function addEnd(from: string, to: string, at: number): void {
  const [source, target] = [openSync(from, "r"), openSync(to, constants.O_WRONLY)];
  try {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    for (let read = readSync(source, chunk, 0, chunk.length, at); read > 0;) {
      for (let put = 0; put < read;) put += writeSync(target, chunk, put, read - put, at + put);
      at += read;
      read = readSync(source, chunk, 0, chunk.length, at);
    }
  } finally {
    closeSync(source);
    closeSync(target);
  }
}

const LOCK_WAIT_MS = 10_000;

/**
 * Puts the loop's files back where they are gone (KEPT-COPY-2, -3). To be asked before a loop is read.
 * @returns what a person should know; null: nothing is gone, or there is no copy
 */
export function restoreLost(stateFile: string): string | null {
  const { journal } = loopPaths(stateFile);
  if (existsSync(stateFile) && existsSync(journal)) return null;
  const folder = copyFolder(stateFile);
  if (folder === null || !existsSync(join(folder, STATE))) return null;
  const isLost = (): boolean =>
    !existsSync(stateFile) || (!existsSync(journal) && existsSync(join(folder, basename(journal))));
  if (!isLost()) return null;
  const file = realPath(stateFile);
  if (isGivenUp(file)) {
    forgetCopy(stateFile);
    return null;
  }
  const said = `the loop's files were gone from ${dirname(stateFile)} (\`git clean\` takes ignored files, too)`;
  try {
    makeFolder(dirname(file));
    const lock = acquireLockSync(loopPaths(file).lock, {
      what: "putting the loop's files back",
      timeout_ms: LOCK_WAIT_MS,
    });
    if (!lock.ok) throw new Error(lock.message);
    try {
      if (lock.taken_over) sweepWriteLeftovers(file);
      if (!isLost()) return null;
      const note = `${said}; they are back from ${folder}. To give the loop up remove ${basename(file)} alone`;
      putBack(file, folder, note);
      return note;
    } finally {
      lock.release();
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return `${said}, and cannot be put back from ${folder}: ${why}`;
  }
}

/** For a run that puts state file and journal back by itself: what else is gone. */
export function restoreBeside(stateFile: string): void {
  const folder = copyFolder(stateFile);
  if (folder === null || !existsSync(join(folder, STATE))) return;
  const { dir } = loopPaths(realPath(stateFile));
  try {
    for (const name of ownNames(folder)) if (name !== STATE) put(join(folder, name), join(dir, name), "");
  } catch {
    // The run goes on without.
  }
}

/** KEPT-COPY-3. */
function isGivenUp(file: string): boolean {
  const { journal, runLock } = loopPaths(file);
  return !existsSync(file) && existsSync(journal) && holderOf(runLock) === null;
}

function putBack(file: string, folder: string, note: string): void {
  const { dir } = loopPaths(file);
  makeOwnFolder(dir);
  put(join(folder, STATE), file, note);
  for (const name of ownNames(folder)) if (name !== STATE) put(join(folder, name), join(dir, name), note);
  if (existsSync(join(dir, "session"))) writeFileAtomicSync(join(dir, RESTORED), note);
}

function put(from: string, to: string, note: string): void {
  if (existsSync(to)) return;
  const { bytes, stats } = readRegularFile(from, Infinity);
  const isJournal = basename(to) === "journal.jsonl";
  const line = { time: isoNow(), run: BY_HAND, iteration: 0, event: "note", message: note };
  const end = !isJournal ? "" : `${bytes.at(-1) === 10 ? "" : "\n"}${JSON.stringify(line)}\n`;
  const content = isJournal ? Buffer.concat([bytes, Buffer.from(end)]) : bytes;
  const written = writeFileAtomicSync(to, content, { date: stats.mtime, still: () => !existsSync(to) });
  if (!written.ok && written.code !== "changed") throw new Error(written.message);
}

/** What the session's person has yet to read, once. Null: nothing. */
export function takeRestored(stateFile: string): string | null {
  const file = join(loopPaths(stateFile).dir, RESTORED);
  const note = readOwnFile(file);
  if (note !== null) removeOwnFile(file);
  return note;
}
