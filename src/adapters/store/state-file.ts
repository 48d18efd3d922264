/** The state file on disk (SPEC section 2). */
import { checkInvariants } from "../../core/invariants.ts";
import { accepted, type Result } from "../../core/problem.ts";
import type { State } from "../../core/state.ts";
import { decodeState, MAX_BYTES } from "../../statefile/decode.ts";
import type { StateDocument } from "../../statefile/parse.ts";
import { parseState } from "../../statefile/parse.ts";
import { printState } from "../../statefile/print.ts";
import { documentFile, type ChangeOptions, type Edited, type EditOptions } from "./document-file.ts";
import { readBytes } from "./file-bytes.ts";
import { forgetCopy, keepCopy, restoreLost } from "./kept-copy.ts";
import { ownerRefusal } from "./owner.ts";

export const MISSING_HINT = 'create it with "aot align", or name another one with --state-file';

export type EditedState = Edited<StateDocument, State>;

/** The state file's operations; none of them waits for anything but the disk. */
export const stateFile = documentFile<StateDocument, State>({
  max_bytes: MAX_BYTES,
  missing_hint: MISSING_HINT,
  decode: decodeState,
  parse: (text) => {
    const parsed = parseState(text);
    return parsed.ok ? accepted(parsed.document) : parsed;
  },
  textOf: (document) => document.text,
  valueOf: (document) => document.state,
  check: checkInvariants,
  print: printState,
});

/** Problems: `file_missing`, `file_unreadable`, or whatever is wrong with its text. Takes no lock: a reader sees a whole file. */
export async function readStateFile(path: string): Promise<Result<StateDocument>> {
  restoreLost(path);
  return stateFile.read(path);
}

/** The state file's bytes; problems as of `readStateFile`. */
export function readStateBytes(path: string): Result<Uint8Array> {
  restoreLost(path);
  const read = readBytes(path, MAX_BYTES, MISSING_HINT);
  return read.ok ? accepted(read.value.bytes) : read;
}

/**
 * Lock, read, change, check, print, write, unlock. Nothing is written when the file is not valid, is an engine's view,
 * or the change is refused, gives an invalid state, or changes nothing.
 * @param change must be pure: it may be called more than once
 */
export async function editStateFile(
  path: string,
  change: (document: StateDocument) => Result<State>,
  options: ChangeOptions<State> = {},
): Promise<Result<EditedState>> {
  const owned = (document: StateDocument): Result<State> => ownerRefusal(document.state) ?? change(document);
  return kept(path, () => stateFile.edit(path, owned, options));
}

/** As `editStateFile`, for who writes the view of a loop that an engine works (owner.ts). */
export async function editView(
  path: string,
  change: (document: StateDocument) => Result<State>,
  options: EditOptions = {},
): Promise<Result<EditedState>> {
  return kept(path, () => stateFile.edit(path, change, options));
}

function kept(path: string, edit: () => Result<EditedState>): Result<EditedState> {
  restoreLost(path);
  const edited = edit();
  if (edited.ok && edited.value.changed) keepOpen(path, edited.value.after);
  return edited;
}

/** A loop that is completed needs nothing to go on. */
export function keepOpen(path: string, { control }: State): void {
  if (control.status === "completed") forgetCopy(path);
  else keepCopy(path);
}

/** Writes a new state file; refused when one is there, unless `replace`, or when `text` is not valid. */
export async function createStateFile(
  path: string,
  text: string,
  options: EditOptions & { readonly replace?: boolean } = {},
): Promise<Result<StateDocument>> {
  const created = stateFile.create(path, text, options);
  if (created.ok) keepOpen(path, created.value.state);
  return created;
}
