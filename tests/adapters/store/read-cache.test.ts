import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { readCache, writeCache } from "../../../src/adapters/store/read-cache.ts";
import { temporaryFolder } from "../../support/bundle.ts";

function newPath(): string {
  return join(temporaryFolder(), "cache", "show");
}

const bytes = fc.uint8Array({ maxLength: 40 });
const key = fc.string({ maxLength: 8 });

test("a result is kept for exactly its source and key, byte for byte", () => {
  const path = newPath();
  fc.assert(
    fc.property(bytes, key, bytes, bytes, key, (source, name, result, otherSource, otherName) => {
      writeCache(path, [source.subarray(0, 3), source.subarray(3)], name, result);
      expect(Buffer.from(readCache(path, source, name) ?? []).equals(result)).toBe(true);
      const same = Buffer.compare(source, otherSource) === 0 && Buffer.from(name).equals(Buffer.from(otherName));
      expect(readCache(path, otherSource, otherName) !== null).toBe(same);
    }),
  );
});

test("a damaged cache is no cache: cut off anywhere, or with any byte changed", () => {
  const path = newPath();
  const [source, result] = [Buffer.from("the source"), Buffer.from("the result")];
  writeCache(path, [source], "key", result);
  const whole = readFileSync(path);
  for (let index = 0; index < whole.length; index++) {
    writeFileSync(path, whole.subarray(0, index));
    expect(readCache(path, source, "key")).toBeNull();
    const changed = Buffer.from(whole);
    changed[index] = (changed[index] ?? 0) ^ 0x20;
    writeFileSync(path, changed);
    expect(readCache(path, source, "key")).toBeNull();
  }
  writeFileSync(path, Buffer.concat([whole, Buffer.from("x")]));
  expect(readCache(path, source, "key")).toBeNull();
  writeFileSync(path, whole);
  expect(Buffer.from(readCache(path, source, "key") ?? [])).toEqual(result);
});

test("another source takes the place of the one before", () => {
  const path = newPath();
  for (const source of ["a", "b"]) writeCache(path, [Buffer.from(source)], "key", Buffer.from(source.toUpperCase()));
  expect(readCache(path, Buffer.from("a"), "key")).toBeNull();
  expect(Buffer.from(readCache(path, Buffer.from("b"), "key") ?? []).toString()).toBe("B");
});

test("where it cannot be written nothing is kept and nothing said, and a project without a loop stays untouched", () => {
  const folder = temporaryFolder();
  const source = Buffer.from("a");
  const written = (path: string): Uint8Array | null => {
    writeCache(path, [source], "key", Buffer.from("A"));
    return readCache(path, source, "key");
  };
  expect(written(join(folder, "aot-loop", "cache", "show"))).toBeNull();
  expect(readdirSync(folder)).toEqual([]);
  mkdirSync(join(folder, "show"));
  expect(written(join(folder, "show"))).toBeNull();
});

test.skipIf(process.platform === "win32")("the cache is for its owner's eyes only, as the source may be", () => {
  const path = newPath();
  writeCache(path, [Buffer.from("a")], "key", Buffer.from("A"));
  expect(statSync(path).mode & 0o777).toBe(0o600);
});
