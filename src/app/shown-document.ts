/**
 * `aot state show --json` as bytes: kept from the last time while the state file is the same, byte for byte (C1 in
 * read-cache.ts). Only for files that are large enough to be worth it.
 */
import { join } from "node:path";
import { readOutline } from "../adapters/store/kept-outline.ts";
import { readKept, writeCache, type Kept } from "../adapters/store/read-cache.ts";
import { documentIn, readStateBytes } from "../adapters/store/state-file.ts";
import { accepted, type Result } from "../core/problem.ts";
import { targetOf } from "../host/atomic-write.ts";
import { loopPaths } from "../host/loop-paths.ts";
import { showState } from "./show-state.ts";
import { shownAgain } from "./shown-again.ts";

/** Smaller files are read faster than a cache beside them. Bytes. */
const LEAST_BYTES = 64 * 1024;

/**
 * One JSON document and a line end.
 * @param version of this program: another one may show another document
 */
export async function shownDocument(stateFile: string, version: string): Promise<Result<Uint8Array>> {
  const read = readStateBytes(stateFile);
  if (!read.ok) return read;
  const bytes = read.value;
  const folder = bytes.length < LEAST_BYTES ? null : loopPaths(targetOf(stateFile)).cache;
  const key = `state show ${version}`;
  const kept = folder === null ? null : readKept(join(folder, FILE), key);
  if (kept !== null && Buffer.compare(kept.source, bytes) === 0) return accepted(kept.result);
  const again = folder === null || kept === null ? null : goneOnFrom(kept, folder, bytes);
  const shown = again === null ? await shownWhole(bytes) : accepted(again);
  if (folder !== null && shown.ok) writeCache(join(folder, FILE), [bytes], key, shown.value);
  return shown;
}

const FILE = "state-show";

/** What was shown last, with what updates have changed since; null: it cannot be told. */
function goneOnFrom(kept: Kept, folder: string, bytes: Uint8Array): Uint8Array | null {
  const outline = readOutline(folder, bytes);
  if (outline === null) return null;
  return shownAgain(kept, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), outline);
}

async function shownWhole(bytes: Uint8Array): Promise<Result<Uint8Array>> {
  const document = await documentIn(bytes);
  if (!document.ok) return document;
  return accepted(Buffer.from(`${JSON.stringify({ success: true, ...showState(document.value.state) })}\n`));
}
