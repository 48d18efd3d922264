/** Blobs as files of one folder, on a disk that all workers see or each its own. */
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { dirname, join } from "node:path";
import type { BlobStore } from "../../loop/blob-store.ts";

export function createFolderBlobs(folder: string): BlobStore {
  const fileOf = (name: string): string => join(folder, ...name.split("/").map(safe));
  return {
    put: async (name, bytes) => {
      const file = fileOf(name);
      await mkdir(dirname(file), { recursive: true });
      // Whoever reads sees the old bytes or the new ones, whole.
      const beside = `${file}.${randomBytes(4).toString("hex")}.part`;
      await writeFile(beside, bytes);
      await rename(beside, file);
    },
    get: async (name) => {
      try {
        return await readFile(fileOf(name));
      } catch (error) {
        if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
        throw error;
      }
    },
  };
}

/** One part of a name as a file name, on every system; different names stay different. */
function safe(part: string): string {
  const plain = part.replaceAll(/[^A-Za-z0-9_.-]/g, (char) => `%${Buffer.from(char).toString("hex")}`);
  return /^\.*$/.test(plain) ? `%${plain}` : plain;
}
