/**
 * The state file on disk (SPEC section 2).
 *
 * The functions here read the canonical form with the small scanner and load the YAML parser only for a
 * file that needs it: most commands never pay for it. A caller that lives long takes `loadStateFile`,
 * whose operations do not wait for anything but the disk.
 */
import { checkChange } from "../../core/invariants.ts";
import { accepted, refused } from "../../core/problem.ts";
import type { Result } from "../../core/problem.ts";
import type { State } from "../../core/state.ts";
import { decodeState, MAX_BYTES } from "../../statefile/decode.ts";
import type { StateDocument } from "../../statefile/document.ts";
import { printState } from "../../statefile/print.ts";
import { scanState } from "../../statefile/scan.ts";
import { documentFile } from "./document-file.ts";
import { readBytes } from "./file-bytes.ts";
import type { ChangeOptions, DocumentFile, Edited, EditOptions } from "./document-file.ts";
import { ownerRefusal } from "./owner.ts";

const MISSING_HINT = 'create it with "aot align", or name another one with --state-file';

export type StateFile = DocumentFile<StateDocument, State>;
export type EditedState = Edited<StateDocument, State>;

/** The state file's operations, with the YAML parser loaded. */
export async function loadStateFile(): Promise<StateFile> {
  const { parseState } = await import("../../statefile/parse.ts");
  return stateFileBy((text) => {
    const answer = parseState(text);
    return answer.ok ? accepted(answer.document) : answer;
  });
}

/** Problems: `file_missing`, `file_unreadable`, or whatever is wrong with its text. Takes no lock: a reader sees a whole file. */
export function readStateFile(path: string): Promise<Result<StateDocument>> {
  return byWhicheverParser((file) => file.read(path));
}

/** As `readStateFile`; the bytes were read before. */
export function documentIn(bytes: Uint8Array): Promise<Result<StateDocument>> {
  return byWhicheverParser((file) => file.documentIn(bytes));
}

/** The state file's bytes; problems as of `readStateFile`. */
export function readStateBytes(path: string): Result<Uint8Array> {
  const read = readBytes(path, MAX_BYTES, MISSING_HINT);
  return read.ok ? accepted(read.value.bytes) : read;
}

/**
 * Lock, read, change, check, print, write, unlock. Nothing is written when the file is not valid, is an engine's view,
 * or the change is refused, gives an invalid state, or changes nothing.
 * @param change must be pure: it may be called more than once
 */
export function editStateFile(
  path: string,
  change: (document: StateDocument) => Result<State>,
  options: ChangeOptions<State> = {},
): Promise<Result<EditedState>> {
  const owned = (document: StateDocument): Result<State> => ownerRefusal(document.state) ?? change(document);
  return byWhicheverParser((file) => file.edit(path, owned, options));
}

/** As `editStateFile`, for who writes the view of a loop that an engine works (owner.ts). */
export function editView(
  path: string,
  change: (document: StateDocument) => Result<State>,
  options: EditOptions = {},
): Promise<Result<EditedState>> {
  return byWhicheverParser((file) => file.edit(path, change, options));
}

/** Writes a new state file; refused when one stands there, unless `replace`, or when `text` is not valid. */
export function createStateFile(
  path: string,
  text: string,
  options: EditOptions & { readonly replace?: boolean } = {},
): Promise<Result<StateDocument>> {
  return byWhicheverParser((file) => file.create(path, text, options));
}

let resident: StateFile | undefined;

/** From now on every operation here goes this way (kept-state.ts). */
export function useResident(file: StateFile): void {
  resident = file;
}

async function byWhicheverParser<T>(work: (file: StateFile) => T): Promise<T> {
  if (resident !== undefined) return work(resident);
  let canonical = true;
  const scanning = stateFileBy((text) => {
    const document = scanState(text);
    if (document !== "not canonical") return accepted(document);
    canonical = false;
    return refused("the file is not in the canonical form", "read it with the YAML parser");
  });
  const answer = work(scanning);
  return canonical ? answer : work(await loadStateFile());
}

function utf8(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}

/** @param print the whole text with another state in it */
export function stateFileBy(
  parse: (text: string) => Result<StateDocument>,
  print: (document: StateDocument, next: State) => Result<string> = printState,
): StateFile {
  return documentFile({
    max_bytes: MAX_BYTES,
    missing_hint: MISSING_HINT,
    decode: (bytes) => decodeState(bytes, utf8),
    parse,
    textOf: (document) => document.text,
    valueOf: (document) => document.state,
    check: (after, before) => checkChange(before, after),
    print,
  });
}
