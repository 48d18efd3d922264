/** The state file that a call is about. */
import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { restoreLost } from "../adapters/store/kept-copy.ts";
import { DEFAULT_STATE_FILE } from "../host/loop-paths.ts";
import { findStateFile } from "../project/find-state-file.ts";
import type { Call } from "./call.ts";

export interface NamedFile {
  /** Absolute. */
  readonly path: string;
  /** As a person here would name it. */
  readonly shown: string;
}

/** Files of the loop that are gone are put back, which is said. */
export function stateFileOf(call: Call): NamedFile {
  const path = findStateFile(call.io.cwd, call.stateFile);
  const note = restoreLost(path);
  if (note !== null) call.io.err(`${note}\n`);
  return shownFrom(call, path);
}

/** The file of a goal that is aligned now. Its checks run in this folder, unless a file above holds a loop already. */
export function newStateFileOf(call: Call): NamedFile {
  const found = stateFileOf(call);
  if (call.stateFile !== undefined || existsSync(found.path)) return found;
  return shownFrom(call, join(call.io.cwd, DEFAULT_STATE_FILE));
}

function shownFrom(call: Call, path: string): NamedFile {
  const near = relative(call.io.cwd, path);
  return { path, shown: near.startsWith("..") && near.length > path.length ? path : near };
}
