/**
 * `aot state show --json` as bytes: kept from the last time while the state file is the same, byte for byte (C1 in
 * read-cache.ts). Only for files that are large enough to be worth it.
 */
import { join } from "node:path";
import { readCache, writeCache } from "../adapters/store/read-cache.ts";
import { documentIn, readStateBytes } from "../adapters/store/state-file.ts";
import { accepted, type Result } from "../core/problem.ts";
import { targetOf } from "../host/atomic-write.ts";
import { loopPaths } from "../host/loop-paths.ts";
import { showState } from "./show-state.ts";

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
  const cache = bytes.length < LEAST_BYTES ? null : join(loopPaths(targetOf(stateFile)).cache, "state-show");
  const key = `state show ${version}`;
  const kept = cache === null ? null : readCache(cache, bytes, key);
  if (kept !== null) return accepted(kept);
  const document = await documentIn(bytes);
  if (!document.ok) return document;
  const shown = Buffer.from(`${JSON.stringify({ success: true, ...showState(document.value.state) })}\n`);
  if (cache !== null) writeCache(cache, [bytes], key, shown);
  return accepted(shown);
}
