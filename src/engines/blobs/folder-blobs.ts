/**
 * Blobs as files of one folder, on a disk that all workers see or each its own (contract BLOB-STORE-1 to 3 of the
 * port).
 */
import { randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { copyFile, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import type { Blob, BlobStore } from "../../loop/blob-store.ts";
import { nameFrom, pathFrom } from "./blob-name.ts";

/** Of a blob that is being written. */
const PART = ".part~";

export function createFolderBlobs(folder: string): BlobStore {
  const fileOf = (name: string): string => join(folder, ...pathFrom(name));
  return {
    name: folder,
    put: async (name, source) => {
      const file = fileOf(name);
      await mkdir(dirname(file), { recursive: true });
      const beside = `${file}.${randomBytes(4).toString("hex")}${PART}`;
      try {
        await copyFile(source, beside);
        // BLOB-STORE-2
        await rename(beside, file);
      } finally {
        await rm(beside, { force: true });
      }
    },
    get: async (name) => {
      const file = await open(fileOf(name)).catch(nothing);
      return file === null ? null : createReadStream("", { fd: file });
    },
    list: async (under) => await filesBelow(folder, fileOf(under)),
  };
}

function nothing(error: unknown): null {
  if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")) return null;
  throw error;
}

async function filesBelow(folder: string, place: string): Promise<readonly Blob[]> {
  const found: Blob[] = [];
  for (const entry of (await readdir(place, { recursive: true, withFileTypes: true }).catch(nothing)) ?? []) {
    if (!entry.isFile() || entry.name.endsWith(PART)) continue;
    const file = join(entry.parentPath, entry.name);
    const known = await stat(file).catch(nothing);
    if (known === null) continue;
    const name = nameFrom(relative(folder, file).split(sep));
    found.push({ name, bytes: known.size, at: known.mtime.toISOString() });
  }
  return found;
}
