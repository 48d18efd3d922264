/**
 * The past atoms of a project's loops, in one file beside them.
 *
 * PAST-ATOMS-FILE-1 the file is bounded: the newest MOST atoms;
 * PAST-ATOMS-FILE-2 what cannot be read or written costs a run nothing: there is no history then.
 */
import { dirname, join } from "node:path";
import { DEFAULT_STATE_FILE, loopPaths } from "../host/loop-paths.ts";
import { removeOwnFile, writeOwnFile } from "../host/own-file.ts";
import { readOwnFile } from "../host/regular-file.ts";
import { projectOf } from "../project/find-state-file.ts";
import { isPastAtom, type PastAtom } from "./past-atoms.ts";

const MOST = 2_000;

function fileOf(stateFile: string): string {
  return join(dirname(loopPaths(join(projectOf(stateFile), DEFAULT_STATE_FILE)).journal), "past-atoms.jsonl");
}

/** Oldest first; none: there is no history. PAST-ATOMS-FILE-2 */
export function readPastAtoms(stateFile: string): readonly PastAtom[] {
  let text = "";
  try {
    text = readOwnFile(fileOf(stateFile)) ?? "";
  } catch {
    return [];
  }
  return text.split("\n").flatMap((line) => {
    try {
      const value: unknown = JSON.parse(line);
      return isPastAtom(value) ? [value] : [];
    } catch {
      return [];
    }
  });
}

/** PAST-ATOMS-FILE-1, PAST-ATOMS-FILE-2 */
export function keepPastAtoms(stateFile: string, fresh: readonly PastAtom[]): void {
  if (fresh.length === 0) return;
  const lines = [...readPastAtoms(stateFile), ...fresh].slice(-MOST).map((one) => JSON.stringify(one));
  writeOwnFile(fileOf(stateFile), `${lines.join("\n")}\n`);
}

/** True when there was a history, and now there is none. */
export function forgetPastAtoms(stateFile: string): boolean {
  return removeOwnFile(fileOf(stateFile));
}
