import { existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeFolder } from "../../src/host/make-folder.ts";
import { writeNamedFile } from "../../src/host/atomic-write.ts";
import { tempFolder } from "../fixtures/programs.ts";

test("makes what is not there, and leaves what is", () => {
  const root = tempFolder();
  makeFolder(join(root, "a", "b", "c"));
  writeFileSync(join(root, "a", "b", "kept"), "x");
  makeFolder(join(root, "a", "b", "c"));
  expect(statSync(join(root, "a", "b", "c")).isDirectory()).toBe(true);
  expect(existsSync(join(root, "a", "b", "kept"))).toBe(true);
});

test("a link to a folder is one; a file is none", () => {
  const root = tempFolder();
  mkdirSync(join(root, "real"));
  symlinkSync(join(root, "real"), join(root, "link"));
  makeFolder(join(root, "link", "below"));
  expect(existsSync(join(root, "real", "below"))).toBe(true);
  writeFileSync(join(root, "file"), "");
  expect(() => makeFolder(join(root, "file"))).toThrow(/EEXIST/);
});

test("SPEC 9: a file below a file is refused with the next step", () => {
  const root = tempFolder();
  writeFileSync(join(root, "file"), "");
  expect(writeNamedFile(join(root, "file", "report.xml"), "x")).toMatchObject({ ok: false, hint: expect.any(String) });
  expect(writeNamedFile(join(root, "new", "report.xml"), "x")).toMatchObject({ ok: true });
});

test.runIf(process.platform === "linux")("SPEC 9: below /proc no folder can be made, and that is said", () => {
  expect(writeNamedFile("/proc/nope/deep/report.xml", "x")).toMatchObject({ ok: false, code: "no_folder" });
});
