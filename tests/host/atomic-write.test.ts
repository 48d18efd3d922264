import { spawnSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { targetOf, writeFileAtomicSync } from "../../src/host/atomic-write.ts";
import { sweepWriteLeftovers } from "../../src/host/write-sweep.ts";
import { bundleFixture, chance, startWorker, temporaryFolder } from "../support/bundle.ts";
import { canMount, smallDisk } from "../support/small-disk.ts";

const posix = process.platform !== "win32";
if (!canMount) console.warn("SKIPPED: full disks and read-only file systems: mounting one needs Linux and root");

let writer = "";
beforeAll(async () => {
  writer = await bundleFixture("host/write-worker.ts");
});

test("what was written is read, byte for byte, and nothing else lies in the folder", () => {
  const folder = temporaryFolder();
  const path = join(folder, "a.md");
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 5000 }), (bytes) => {
      expect(writeFileAtomicSync(path, bytes)).toMatchObject({ ok: true });
      expect(readFileSync(path).equals(bytes)).toBe(true);
      expect(readdirSync(folder)).toEqual(["a.md"]);
    }),
    { numRuns: 50 },
  );
});

test("a date that is asked for is the file's, new or replaced", () => {
  const path = join(temporaryFolder(), "a.md");
  for (const seconds of [1_000_000, 2_000_000]) {
    const date = new Date(seconds * 1000);
    expect(writeFileAtomicSync(path, "x", { date, durable: seconds === 1_000_000 })).toMatchObject({ ok: true });
    expect(statSync(path).mtime).toEqual(date);
  }
});

test.skipIf(!posix)("the old file's mode and owner are kept", () => {
  const path = join(temporaryFolder(), "a.md");
  writeFileSync(path, "old");
  for (const mode of [0o600, 0o640, 0o755, 0o666]) {
    chmodSync(path, mode);
    const { uid, gid } = statSync(path);
    expect(writeFileAtomicSync(path, "new")).toMatchObject({ ok: true });
    expect(statSync(path)).toMatchObject({ uid, gid, mode: 0o100000 | mode });
  }
});

test.skipIf(process.platform !== "linux" || process.getuid?.() !== 0)(
  "the owner of somebody else's file is kept when root writes it",
  () => {
    const path = join(temporaryFolder(), "a.md");
    writeFileSync(path, "old");
    spawnSync("chown", ["1234:2345", path]);
    writeFileAtomicSync(path, "new");
    expect(statSync(path)).toMatchObject({ uid: 1234, gid: 2345 });
  },
);

test.skipIf(!posix)("a symbolic link stays one: its target is written, by whatever name it is reached", () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "deep"));
  symlinkSync("deep/a.md", join(folder, "link"));
  symlinkSync("link", join(folder, "link-to-link"));
  symlinkSync("deep", join(folder, "folder-link"));
  // The first write finds a dangling link.
  for (const [index, name] of ["link-to-link", "link", "folder-link/a.md", "deep/a.md"].entries()) {
    expect(writeFileAtomicSync(join(folder, name), `content ${index}`)).toMatchObject({ ok: true });
    expect(readFileSync(join(folder, "deep", "a.md"), "utf8")).toBe(`content ${index}`);
    expect(targetOf(join(folder, name))).toBe(targetOf(join(folder, "deep", "a.md")));
  }
  expect(lstatSync(join(folder, "link")).isSymbolicLink()).toBe(true);
  expect(readdirSync(join(folder, "deep"))).toEqual(["a.md"]);
});

test("a missing folder, a folder in its place and a circle of links are values with the next step", () => {
  const folder = temporaryFolder();
  expect(writeFileAtomicSync(join(folder, "none", "a.md"), "x")).toMatchObject({
    ok: false,
    code: "no_folder",
    hint: "create the folder first",
  });
  expect(writeFileAtomicSync(folder, "x")).toMatchObject({ ok: false, code: "not_a_file" });
  if (posix) {
    symlinkSync("b", join(folder, "a"));
    symlinkSync("a", join(folder, "b"));
    expect(writeFileAtomicSync(join(folder, "a"), "x")).toMatchObject({ ok: false, code: "no_folder" });
    rmSync(join(folder, "a"));
    rmSync(join(folder, "b"));
  }
  expect(readdirSync(folder)).toEqual([]);
});

test.skipIf(!canMount)("SPEC 2: on a full disk the old file stands, whole, and no temporary file is left", () => {
  const folder = smallDisk("256k");
  const path = join(folder, "a.md");
  writeFileSync(path, "old");
  const big = "x".repeat(300_000);
  for (let tries = 0; tries < 3; tries++) {
    expect(writeFileAtomicSync(path, big)).toMatchObject({
      ok: false,
      code: "no_space",
      hint: expect.stringContaining("free some space"),
    });
    expect(readFileSync(path, "utf8")).toBe("old");
    expect(readdirSync(folder)).toEqual(["a.md"]);
  }
  expect(writeFileAtomicSync(path, "new")).toMatchObject({ ok: true });
});

test.skipIf(!canMount)("SPEC 2: on a read-only file system the old file stands", () => {
  const folder = smallDisk("256k");
  const path = join(folder, "a.md");
  writeFileSync(path, "old");
  spawnSync("mount", ["-o", "remount,ro", folder]);
  expect(writeFileAtomicSync(path, "new")).toMatchObject({ ok: false, code: "read_only" });
  expect(readFileSync(path, "utf8")).toBe("old");
  expect(readdirSync(folder)).toEqual(["a.md"]);
});

test("SPEC 2: killed at any moment, a writer leaves the old file or the new one, whole", async () => {
  const seed = Date.now() % 1_000_000;
  console.log(`chance seed ${seed}`);
  const random = chance(seed);
  const folder = temporaryFolder();
  const path = join(folder, "a.md");
  const size = 200_000;
  writeFileSync(path, "z".repeat(size));
  for (let kills = 0; kills < 60; kills++) {
    const worker = startWorker(writer, path, String(size));
    await worker.line();
    await new Promise((resolve) => setTimeout(resolve, random() * 15));
    worker.kill();
    await worker.ended();
    const content = readFileSync(path, "utf8");
    expect(content === content.charAt(0).repeat(size)).toBe(true);
  }
  for (const name of readdirSync(folder)) if (name !== "a.md") utimesSync(join(folder, name), 1, 1);
  sweepWriteLeftovers(path);
  expect(readdirSync(folder)).toEqual(["a.md"]);
}, 120_000);

test("SPEC 2: readers that race a writer never see a torn file", async () => {
  const path = join(temporaryFolder(), "a.md");
  const size = 200_000;
  writeFileSync(path, "z".repeat(size));
  const worker = startWorker(writer, path, String(size));
  await worker.line();
  const seen = new Set<string>();
  for (let reads = 0; reads < 50_000 && seen.size < 20; reads++) {
    const content = readFileSync(path, "utf8");
    expect(content === content.charAt(0).repeat(size)).toBe(true);
    seen.add(content.charAt(0));
  }
  worker.kill();
  await worker.ended();
  expect(seen.size).toBe(20);
}, 60_000);

test("sweeping takes old files of dead writers only, by our name pattern only", () => {
  const folder = temporaryFolder();
  const dead = spawnSync(process.execPath, ["-e", ""]).pid;
  const kept = [`a.md.${process.pid}-3.tmp`, "a.md.tmp", "a.md.1-2.bak", `b.md.${dead}-1.tmp`, "a.md"];
  for (const name of [...kept, `a.md.${dead}-7.tmp`]) {
    writeFileSync(join(folder, name), "");
    utimesSync(join(folder, name), 1, 1);
  }
  writeFileSync(join(folder, `a.md.${dead}-8.tmp`), "");
  sweepWriteLeftovers(join(folder, "a.md"));
  expect(readdirSync(folder).toSorted()).toEqual([...kept, `a.md.${dead}-8.tmp`].toSorted());
});
