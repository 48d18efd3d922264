/**
 * Reading files in folders that somebody else writes in. Only regular files are read: opening a pipe would wait for a
 * writer for ever, and a device need not end.
 */
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import type { Stats } from "node:fs";
import { open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { readRegularFile } from "./regular-file.ts";

/** Bytes: what is written by hand is smaller. */
const MOST_BYTES = 16 * 1024 * 1024;

/** With it a pipe is opened at once; Windows has none, and no pipes among its files. */
const AT_ONCE = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Why a path is not read; as Node's own errors it has a code and the path. */
class NotPlain extends Error {
  readonly code: string;
  readonly path: string;

  constructor(path: string, code: "not_a_file" | "too_large", why: string) {
    super(`${path} ${why}`);
    this.name = "NotPlain";
    this.code = code;
    this.path = path;
  }
}

/** @param most bytes @throws Error when there is no regular file of at most that size, or it cannot be read */
export async function readPlainFile(path: string, most = MOST_BYTES): Promise<Buffer> {
  return await withPlainFile(path, async (file, stats) => {
    refuseLarge(path, stats, most);
    return await file.readFile();
  });
}

/** The same at once. */
export function readPlainFileSync(path: string, most = MOST_BYTES): Buffer {
  return readRegularFile(path, most).bytes;
}

/** SHA-256 of a regular file of any size, in hexadecimal. @throws Error when there is none, or it cannot be read */
export async function hashPlainFile(path: string): Promise<string> {
  return await withPlainFile(path, async (file) => {
    const hash = createHash("sha256");
    for await (const chunk of file.createReadStream({ autoClose: false })) hash.update(chunk as Buffer);
    return hash.digest("hex");
  });
}

async function withPlainFile<T>(path: string, use: (file: FileHandle, stats: Stats) => Promise<T>): Promise<T> {
  const file = await open(path, AT_ONCE);
  try {
    const stats = await file.stat();
    refuseOthers(path, stats);
    return await use(file, stats);
  } finally {
    await file.close();
  }
}

function refuseOthers(path: string, stats: Stats): void {
  if (!stats.isFile()) throw new NotPlain(path, "not_a_file", "is not a regular file");
}

function refuseLarge(path: string, { size }: Stats, most: number): void {
  if (size > most) throw new NotPlain(path, "too_large", `has ${size} bytes, and at most ${most} are read`);
}
