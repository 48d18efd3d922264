/** The state file that a call is about. */
import { relative } from "node:path";
import { findStateFile } from "../project/find-state-file.ts";
import type { Call } from "./call.ts";

export interface NamedFile {
  /** Absolute. */
  readonly path: string;
  /** As a person here would name it. */
  readonly shown: string;
}

export function stateFileOf(call: Call): NamedFile {
  const path = findStateFile(call.io.cwd, call.stateFile);
  const near = relative(call.io.cwd, path);
  return { path, shown: near.startsWith("..") && near.length > path.length ? path : near };
}
