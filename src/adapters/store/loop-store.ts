/**
 * Where a running loop is kept: its journal and its state file (port `Store`, SPEC sections 2 and 8).
 *
 * LOOP-STORE-1 while a run is active its own state is the truth: what somebody else wrote into the file meanwhile
 *    is kept beside it, never lost and never obeyed, but for a request to stop;
 * LOOP-STORE-2 comments, unknown keys and the body are the file's: the run's values are spliced into what is there;
 * LOOP-STORE-3 a link or a folder that somebody put in the file's place is set aside, never written through.
 */
import { lstatSync, renameSync } from "node:fs";
import { join } from "node:path";
import type { JournalLine } from "../../core/journal.ts";
import { accepted, problem, type Result } from "../../core/problem.ts";
import type { Control, State } from "../../core/state.ts";
import { targetOf } from "../../host/atomic-write.ts";
import { acquireLockSync } from "../../host/lock.ts";
import { loopPaths } from "../../host/loop-paths.ts";
import { makeOwnFolder, writeOwnFile } from "../../host/own-file.ts";
import { readOwnFile } from "../../host/regular-file.ts";
import type { Foreign, Store } from "../../loop/ports.ts";
import { MAX_BYTES } from "../../statefile/decode.ts";
import type { StateDocument } from "../../statefile/parse.ts";
import { parseState } from "../../statefile/parse.ts";
import { printState } from "../../statefile/print.ts";
import { replace, sizeRefusal, stampAt } from "./file-bytes.ts";
import type { Journal } from "./journal.ts";
import { steadyNow } from "../../host/clock.ts";
import { restoreBeside } from "./kept-copy.ts";
import { keepOpen } from "./state-file.ts";

export interface LoopStoreOptions {
  readonly stateFile: string;
  /** What the run read when it started. */
  readonly document: StateDocument;
  readonly journal: Journal;
  readonly run: string;
}

const LOCK_WAIT_MS = 10_000;
/** Of a program that changes the file again and again. */
const MOST_KEPT = 100;
/** How often a save looks anew at what somebody else wrote meanwhile. */
const MOST_TRIES = 5;

export function createLoopStore(options: LoopStoreOptions): Store {
  const path = targetOf(options.stateFile);
  const paths = loopPaths(path);
  const { journal } = options;
  let document = options.document;
  /** Of what is in the file as `document` has it; null: not looked yet since it was read. */
  let stamp: string | null = null;
  /** Whether what is in the file is `document`, and not something that cannot be read. */
  let stands = true;
  let kept = 0;

  const noteOf = (where: string): string =>
    `${options.stateFile} was changed during the run; the run's own values were kept (use \`aot redirect\` to change a running loop)${where}`;

  /**
   * LOOP-STORE-3: links of the person's were followed when the run began, so that one that is here now is a
   * stranger's.
   */
  const clearWay = (): Foreign => {
    if (isFileOrMissing(path)) return {};
    const aside = join(paths.dir, `foreign-${process.pid}-${++kept}`);
    makeOwnFolder(paths.dir);
    renameSync(path, aside);
    return { note: noteOf(`; what was put in its place is kept as ${aside}`) };
  };

  /** Takes up what is in the file if somebody else wrote it. */
  const takeUp = (): Foreign => {
    const now = stampAt(path);
    if (now === stamp) return {};
    stamp = now;
    const text = readOwnFile(path, MAX_BYTES);
    stands = text === document.text;
    if (text === null) return { gone: true };
    if (stands) return {};
    const theirs = parseState(text);
    stands = theirs.ok;
    const foreign = theirs.ok ? differenceOf(document.state, theirs.document.state) : { other: true };
    if (theirs.ok) document = theirs.document;
    const stop = foreign.stop === undefined ? {} : { stop: foreign.stop };
    if (!foreign.other) return stop;
    if (kept >= MOST_KEPT) return { ...stop, gone: true };
    const copy = join(paths.dir, `foreign-${process.pid}-${++kept}.md`);
    const saved = writeOwnFile(copy, text);
    const where = saved.ok ? `; what was written is kept in ${copy}` : "";
    const last =
      kept < MOST_KEPT ? "" : `; that was the ${MOST_KEPT}th time: further ones are neither kept nor reported`;
    return { ...stop, note: noteOf(`${where}${last}`) };
  };

  /** The state in the place of what was taken up. @param heed "changed" where somebody wrote the file since */
  const putInPlace = (state: State, heed: boolean): Result<null> | "changed" => {
    const printed = printState(document, state);
    if (!printed.ok) return printed;
    const text = printed.value;
    // Read back before it is written: what cannot be read again must not replace what can (SPEC section 2).
    const next = text === document.text ? { ok: true as const, document } : parseState(text);
    if (!next.ok) return next;
    const large = sizeRefusal(options.stateFile, text, MAX_BYTES);
    if (large !== null) return large;
    if (!stands || text !== document.text || stampAt(path) === null) {
      const written = replace(path, text, heed ? stamp : "any");
      if (written === "changed" || !written.ok) return written;
      stamp = written.value;
      stands = true;
    }
    // What differs from the next state is found by what both share with this one.
    document = { ...next.document, state };
    return accepted(null);
  };

  return {
    append: (lines: readonly JournalLine[]) => journal.append(lines),

    save: (state: State): Result<Foreign> => {
      const lock = acquireLockSync(paths.lock, { what: "aot run", timeout_ms: LOCK_WAIT_MS });
      if (!lock.ok) return problem("file_locked", lock.message, lock.hint);
      try {
        const isGone = stampAt(path) === null;
        let foreign: Foreign = {};
        let put: ReturnType<typeof putInPlace> = "changed";
        // Somebody who never stops writing does not keep the run from it.
        for (let tries = 0; put === "changed"; tries++) {
          foreign = { ...foreign, ...clearWay(), ...takeUp() };
          put = putInPlace(state, tries < MOST_TRIES);
        }
        if (!put.ok) return put;
        const { iteration } = state.control;
        const mark = journal.append([{ time: steadyNow(), run: options.run, iteration, event: "state_saved" }]);
        if (isGone) restoreBeside(path);
        keepOpen(path, state);
        return mark.ok ? accepted(foreign) : mark;
      } finally {
        lock.release();
      }
    },

    look: takeUp,
  };
}

/** Judged without following a link. */
function isFileOrMissing(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? true;
}

/** What differs in meaning: a request to stop, and whether anything else does. */
function differenceOf(ours: State, theirs: State): { readonly stop?: string; readonly other: boolean } {
  const stop =
    theirs.control.stop_requested && !ours.control.stop_requested ? { stop: theirs.control.stop_reason ?? "" } : {};
  return { ...stop, other: meaningOf(ours) !== meaningOf(theirs) };
}

function meaningOf(state: State): string {
  const control: Control = { ...state.control, stop_requested: false, stop_reason: null };
  return JSON.stringify({ ...state, control, atoms: state.atoms, or_groups: state.or_groups });
}
