import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createFolderBlobs } from "../../../src/adapters/blobs/folder-blobs.ts";
import { tempFolder } from "../../fixtures/programs.ts";

test("SPEC 13: what was put under a name is got under it, and under no other, whatever the names are", async () => {
  const folder = tempFolder();
  const names = fc.uniqueArray(fc.array(fc.string({ minLength: 1, maxLength: 12 }).filter((s) => !s.includes("/"))), {
    minLength: 1,
    maxLength: 4,
    selector: (parts) => parts.join("/").toLowerCase(),
  });
  let round = 0;
  await fc.assert(
    fc.asyncProperty(names, async (many) => {
      const blobs = createFolderBlobs(join(folder, String(round++)));
      // A name is no folder of another one.
      const keys = many.map((parts, index) => [`n${index}`, ...parts, "log"].join("/"));
      for (const key of keys) await blobs.put(key, Buffer.from(key));
      for (const key of keys) expect(Buffer.from((await blobs.get(key)) ?? []).toString()).toBe(key);
      expect(await blobs.get(`${keys[0]}.other`)).toBeNull();
    }),
    { numRuns: 60 },
  );
});

test("SPEC 13: no name leads out of the folder, and the newer bytes stand", async () => {
  const folder = tempFolder();
  const blobs = createFolderBlobs(join(folder, "blobs"));
  await blobs.put("../../out", Buffer.from("1"));
  await blobs.put("../../out", Buffer.from("2"));
  expect(Buffer.from((await blobs.get("../../out")) ?? []).toString()).toBe("2");
  expect(readdirSync(folder)).toEqual(["blobs"]);
  expect(existsSync(join(folder, "..", "out"))).toBe(false);
});
