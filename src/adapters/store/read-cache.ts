/**
 * What was once computed from a file's bytes, for commands that only read (`aot state show`).
 *
 * C1 the cache is never a second truth: an answer is used only when the bytes it was computed from, kept
 *    beside it whole, equal the file's bytes now;
 * C2 a missing, foreign, damaged or unwritable cache means computing, and is never reported.
 *
 * File: "AOT1", four lengths and a checksum of the result (little-endian), key, source, result.
 */
import { mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { writeFileAtomicSync } from "../../host/atomic-write.ts";

const MAGIC = "AOT1";
const HEAD_BYTES = 20;
/** Larger ones are not kept: reading them back would cost as much as it saves. */
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * The result for these bytes: kept, or computed and then kept.
 * @param path the cache file. Its folder is made, but not the one above: a project without a loop stays untouched
 * @param source the whole content of the file that the result depends on
 * @param key everything else that it depends on: the program's version, the command, its options
 */
export async function cached(
  path: string,
  source: Uint8Array,
  key: string,
  compute: () => Promise<Uint8Array | null>,
): Promise<Uint8Array | null> {
  const kept = readCache(path, source, key);
  if (kept !== null) return kept;
  const result = await compute();
  if (result !== null) writeCache(path, source, key, result);
  return result;
}

/** The kept result, or null. */
export function readCache(path: string, source: Uint8Array, key: string): Uint8Array | null {
  let file: Buffer;
  try {
    file = readFileSync(path);
  } catch {
    return null;
  }
  if (file.length < HEAD_BYTES || file.toString("latin1", 0, 4) !== MAGIC) return null;
  const [keyBytes, sourceBytes, resultBytes, checksum] = [4, 8, 12, 16].map((at) => file.readUInt32LE(at));
  const wanted = Buffer.from(key);
  if (keyBytes !== wanted.length || sourceBytes !== source.length) return null;
  const sourceAt = HEAD_BYTES + wanted.length;
  const resultAt = sourceAt + source.length;
  if (file.length !== resultAt + (resultBytes ?? 0)) return null;
  if (
    !wanted.equals(file.subarray(HEAD_BYTES, sourceAt)) ||
    file.compare(source, 0, source.length, sourceAt, resultAt) !== 0
  )
    return null;
  const result = file.subarray(resultAt);
  return checksumOf(result) === checksum ? result : null;
}

/** Keeps a result; quietly does not where it cannot. Readable by its owner only, as the source may be. */
export function writeCache(path: string, source: Uint8Array, key: string, result: Uint8Array): void {
  const keyBytes = Buffer.from(key);
  if (source.length + result.length > MOST_BYTES) return;
  const head = Buffer.alloc(HEAD_BYTES);
  head.write(MAGIC, "latin1");
  [keyBytes.length, source.length, result.length, checksumOf(result)].forEach((value, index) => {
    head.writeUInt32LE(value, 4 + 4 * index);
  });
  try {
    mkdirSync(dirname(path));
  } catch {
    // It is there already; or else the write fails, which is as good.
  }
  writeFileAtomicSync(path, Buffer.concat([head, keyBytes, source, result]), { mode: 0o600, durable: false });
}

/** Loaded only here: node:zlib costs more than the sum. */
function checksumOf(bytes: Uint8Array): number {
  return process.getBuiltinModule("node:zlib").crc32(bytes);
}
