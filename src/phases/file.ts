/** A phase loop on disk: its state under the lock and the atomicity of every state file, and its definition. */
import { documentFile, type DocumentFile } from "../adapters/store/document-file.ts";
import { readBytes } from "../adapters/store/file-bytes.ts";
import { accepted, problem, type Problem, type Result } from "../core/problem.ts";
import { writeFileAtomicSync } from "../host/atomic-write.ts";
import type { LoopDefinition } from "./core/definition.ts";
import { printState } from "./core/print-state.ts";
import { readDefinition } from "./core/read-definition.ts";
import { readState, type StateText } from "./core/read-state.ts";
import type { PhaseLoop } from "./core/state.ts";
import { decodeState, MAX_BYTES } from "../statefile/decode.ts";
import { learn } from "../adapters/store/journal-reader.ts";
import { createHistory, type PhaseHistory } from "./core/history.ts";
import { journalOf } from "../history/loop-log.ts";
import { readOwnFile } from "../host/regular-file.ts";
import { taskBeside } from "../project/find-phase-file.ts";

const BEGIN = "begin a loop with `aot phases init LOOP.json`";

export const phaseFile: DocumentFile<StateText, PhaseLoop> = documentFile({
  max_bytes: MAX_BYTES,
  missing_hint: BEGIN,
  decode: (bytes) => decodeState(bytes),
  parse: readState,
  textOf: (document) => document.text,
  valueOf: (document) => document.loop,
  // What may be in it depends on its definition, which this file does not know.
  check: () => [],
  print: printState,
});

export interface DefinitionFile {
  readonly text: string;
  readonly definition: LoopDefinition;
  /** What had to be assumed, and what contradicts itself. */
  readonly warnings: readonly Problem[];
}

/** @param hint what to do when there is no such file */
export function readDefinitionFile(path: string, hint: string): Result<DefinitionFile> {
  const bytes = readBytes(path, MAX_BYTES, hint);
  if (!bytes.ok) return bytes;
  const text = decodeState(bytes.value.bytes);
  if (!text.ok) return { ok: false, problems: text.problems.map((problem) => asDefinition(path, problem)) };
  const read = readDefinition(text.value);
  return read.ok ? accepted({ text: text.value, definition: read.definition, warnings: read.warnings }) : read;
}

/** What is wrong with its bytes is informed of it, not of a state file. */
function asDefinition(path: string, problem: Problem): Problem {
  const message = problem.message.replace("the state file", path);
  return problem.code === "not_text" ? { ...problem, message, hint: "save it as UTF-8" } : { ...problem, message };
}

export function writeDefinitionFile(path: string, text: string): Result<null> {
  const written = writeFileAtomicSync(path, text);
  return written.ok ? accepted(null) : problem("file_unwritable", written.message, written.hint);
}

/** What its journal tells of it (SPEC section 8). */
export function readHistory(stateFile: string, definition: LoopDefinition): PhaseHistory {
  return learn(journalOf(stateFile), createHistory(definition));
}

/** What it is about, in a person's words: a text beside its state that anybody may edit. */
export function readTask(stateFile: string): string {
  return (readOwnFile(taskBeside(stateFile)) ?? "").trim();
}

export function writeTask(stateFile: string, task: string): Result<null> {
  return writeDefinitionFile(taskBeside(stateFile), `${task.trim()}\n`);
}
