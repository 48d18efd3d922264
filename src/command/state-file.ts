/** The state file that a call is about. */
import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { DEFAULT_STATE_FILE } from "../host/loop-paths.ts";
import { findStateFile } from "../project/find-state-file.ts";
import type { Call } from "./call.ts";

export interface NamedFile {
  /** Absolute. */
  readonly path: string;
  /** As a person here would name it. */
  readonly shown: string;
}

export function stateFileOf(call: Call): NamedFile {
  return shownFrom(call, findStateFile(call.io.cwd, call.stateFile));
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
