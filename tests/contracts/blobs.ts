/** The contract of `BlobStore` (src/loop/blob-store.ts), one suite for every implementation (SPEC section 13). */
import { open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { BlobStore } from "../../src/loop/blob-store.ts";
import { tempFolder } from "../fixtures/programs.ts";

export interface BlobsSubject {
  readonly name: string;
  /** An empty store; whatever it needs is gone when the test ends. */
  open(): Promise<BlobStore>;
  /** How many rounds of a law it is worth. */
  readonly rounds: number;
}

const MB = 1024 * 1024;

export async function textIn(store: BlobStore, name: string): Promise<string | null> {
  const bytes = await store.get(name);
  if (bytes === null) return null;
  const parts: Uint8Array[] = [];
  for await (const part of bytes) parts.push(part);
  return Buffer.concat(parts).toString();
}

export function blobsContract(subject: BlobsSubject): void {
  const put = async (store: BlobStore, name: string, text: string): Promise<void> => {
    const file = join(tempFolder(), "source");
    await writeFile(file, text);
    await store.put(name, file);
  };

  describe(`blobs: ${subject.name}`, () => {
    test("SPEC 13: what was put under a name is got under it and under no other, and listed, whatever the names are", async () => {
      const store = await subject.open();
      const part = fc.string({ minLength: 1, maxLength: 12, unit: "binary" }).filter((text) => !text.includes("/"));
      const names = fc.uniqueArray(fc.array(part, { maxLength: 3 }), { minLength: 1, maxLength: 4 });
      let round = 0;
      await fc.assert(
        fc.asyncProperty(names, async (many) => {
          const top = `round${round++}`;
          // A name is no folder of another one.
          const keys = many.map((parts, index) => [top, `n${index}`, ...parts, "log"].join("/"));
          for (const key of keys) await put(store, key, `of ${key}`);
          for (const key of keys) expect(await textIn(store, key)).toBe(Buffer.from(`of ${key}`).toString());
          expect(await store.get(`${keys[0]}.other`)).toBeNull();
          const listed = await store.list(top);
          expect(listed.map(({ name }) => name).toSorted()).toEqual(keys.toSorted());
          for (const { name, bytes, at } of listed) {
            expect(bytes).toBe(Buffer.byteLength(`of ${name}`));
            expect(at).toBe(new Date(at).toISOString());
          }
          expect(await store.list(`${top}/n`)).toEqual([]);
        }),
        { numRuns: subject.rounds },
      );
    });

    test("SPEC 13: no name leads out of the store, and the newer bytes stand", async () => {
      const store = await subject.open();
      for (const name of ["../../out", "./x/..", ".../a"]) {
        await put(store, name, "1");
        await put(store, name, "2");
        expect(await textIn(store, name)).toBe("2");
      }
      expect((await store.list("..")).map(({ name }) => name)).toEqual(["../../out"]);
    });

    test("SPEC 13: a name of any length and any letters is a name: an atom can be called in a whole sentence", async () => {
      const store = await subject.open();
      const long = ["テ".repeat(64), "%".repeat(200), "a".repeat(400), `${"b".repeat(180)}..`, ".".repeat(181)];
      for (const part of long) {
        const name = ["loop", part, "r1", "log"].join("/");
        await put(store, name, part);
        expect(await textIn(store, name)).toBe(part);
        expect((await store.list(`loop/${part}`)).map((blob) => blob.name)).toEqual([name]);
      }
      expect(await store.list("loop")).toHaveLength(long.length);
    });

    test("SPEC 13: a store that was never written to holds nothing, and a folder of blobs is no blob", async () => {
      const store = await subject.open();
      expect(await store.list("nothing")).toEqual([]);
      expect(await store.get("nothing")).toBeNull();
      await put(store, "a/b/c", "1");
      expect(await store.get("a/b/c/d")).toBeNull();
      await put(store, "empty", "");
      expect(await textIn(store, "empty")).toBe("");
    });

    test("SPEC 13: a file that is not there cannot be put, and leaves nothing behind", async () => {
      const store = await subject.open();
      await expect(store.put("gone/log", join(tempFolder(), "none"))).rejects.toThrow(/ENOENT/);
      expect(await store.list("gone")).toEqual([]);
    });

    test("SPEC 13: a large file is streamed: what is held of it in memory is a fraction", async () => {
      const store = await subject.open();
      const source = join(tempFolder(), "large");
      const size = 192 * MB;
      const file = await open(source, "w");
      await file.truncate(size);
      await file.close();
      const before = process.memoryUsage().arrayBuffers;
      let most = 0;
      const look = (): void => void (most = Math.max(most, process.memoryUsage().arrayBuffers - before));
      const timer = setInterval(look, 5);
      let got = 0;
      try {
        await store.put("large", source);
        for await (const part of (await store.get("large")) ?? []) {
          got += part.length;
          look();
        }
      } finally {
        clearInterval(timer);
      }
      expect(got).toBe(size);
      expect(most).toBeLessThan(size / 2);
    });
  });
}
