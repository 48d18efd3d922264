import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createFolderBlobs } from "../../../src/engines/blobs/folder-blobs.ts";
import { blobsContract } from "../../contracts/blobs.ts";
import { tempFolder } from "../../fixtures/programs.ts";

blobsContract({ name: "folder", rounds: 25, open: () => Promise.resolve(createFolderBlobs(join(tempFolder(), "b"))) });

test("SPEC 13: the folder holds its blobs and nothing else: no way out, and no half of one", async () => {
  const folder = tempFolder();
  const blobs = createFolderBlobs(join(folder, "blobs"));
  const source = join(folder, "source");
  writeFileSync(source, "1");
  await blobs.put("../../out", source);
  await blobs.put("x/y", source);
  expect(readdirSync(folder).toSorted()).toEqual(["blobs", "source"]);
  expect(existsSync(join(folder, "..", "out"))).toBe(false);
  expect(readdirSync(join(folder, "blobs", "x"))).toEqual(["y"]);
});
