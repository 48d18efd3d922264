import { spawnSync } from "node:child_process";
import {
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { documentFile } from "../../../src/adapters/store/document-file.ts";
import { acquireLockSync } from "../../../src/host/lock.ts";
import { COUNTERS } from "../../support/counters-format.ts";
import { temporaryFolder } from "../../support/bundle.ts";
import { needs } from "../../support/needs.ts";
import { canMount, smallDisk } from "../../support/small-disk.ts";

const linux = process.platform === "linux";
const file = documentFile(COUNTERS);

function newFile(text = "a 1\nb 2\n"): string {
  const path = join(temporaryFolder(), "counters.md");
  writeFileSync(path, text);
  return path;
}

function plus(value: ReadonlyMap<string, number>, name: string): ReadonlyMap<string, number> {
  return new Map(value).set(name, (value.get(name) ?? 0) + 1);
}

test("an edit answers before and after, and what it wrote is what is read", () => {
  const path = newFile();
  const answer = file.edit(path, (document) => ({ ok: true, value: plus(document.value, "a") }));
  expect(answer).toMatchObject({
    ok: true,
    value: {
      changed: true,
      text: "a 2\nb 2\n",
      before: new Map([
        ["a", 1],
        ["b", 2],
      ]),
      after: new Map([
        ["a", 2],
        ["b", 2],
      ]),
    },
  });
  expect(readFileSync(path, "utf8")).toBe("a 2\nb 2\n");
  expect(file.read(path)).toMatchObject({ ok: true, value: { text: "a 2\nb 2\n" } });
  expect(readdirSync(join(path, ".."))).toEqual(["counters.md"]);
});

test.each([
  [
    "the change is refused",
    "a 1\n",
    () => ({ ok: false as const, problems: [{ code: "refused" as const, message: "no" }] }),
    "refused",
  ],
  ["its result is not valid", "a 1\n", () => ({ ok: true as const, value: new Map<string, number>() }), "wrong_type"],
  ["the file is not valid", "a one\n", () => ({ ok: true as const, value: new Map([["a", 2]]) }), "wrong_type"],
])("SPEC 2: nothing is written when %s", (_when, text, change, code) => {
  const path = newFile(text);
  const before = statSync(path);
  expect(file.edit(path, change)).toMatchObject({ ok: false, problems: [{ code }] });
  expect(statSync(path)).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs });
  expect(readFileSync(path, "utf8")).toBe(text);
  expect(readdirSync(join(path, ".."))).toEqual(["counters.md"]);
});

test("nothing is written when nothing changes, be it the same value or one that prints alike", () => {
  const path = newFile();
  const { ino } = statSync(path);
  for (const change of [(v: ReadonlyMap<string, number>) => v, (v: ReadonlyMap<string, number>) => new Map(v)]) {
    const answer = file.edit(path, (document) => ({ ok: true, value: change(document.value) }));
    expect(answer).toMatchObject({ ok: true, value: { changed: false, text: "a 1\nb 2\n" } });
    expect(statSync(path).ino).toBe(ino);
  }
});

test("a change that throws gives the lock back", () => {
  const path = newFile();
  expect(() =>
    file.edit(path, () => {
      throw new Error("a defect");
    }),
  ).toThrow("a defect");
  expect(file.edit(path, (document) => ({ ok: true, value: plus(document.value, "a") })).ok).toBe(true);
});

test("a missing file is named with the next step, and no lock is left behind", () => {
  const folder = temporaryFolder();
  for (const path of [join(folder, "none.md"), join(folder, "no", "folder.md")]) {
    const expected = {
      ok: false,
      problems: [{ code: "file_missing", message: expect.stringContaining(path), hint: "make one" }],
    };
    expect(file.read(path)).toMatchObject(expected);
    expect(file.edit(path, (document) => ({ ok: true, value: document.value }))).toMatchObject(expected);
  }
  expect(readdirSync(folder)).toEqual([]);
});

test("SPEC 2: what would be too large to be read again is not written: the old file stands", () => {
  const path = newFile("a 1\n");
  const big = new Map(Array.from({ length: 60_000 }, (_, n) => [`counter_number_${n}`, n]));
  const refused = {
    ok: false,
    problems: [{ code: "file_too_large", message: expect.stringContaining("at most 1000000 are read") }],
  };
  expect(file.edit(path, () => ({ ok: true, value: big }))).toMatchObject(refused);
  expect(readFileSync(path, "utf8")).toBe("a 1\n");
  const text = [...big].map(([name, value]) => `${name} ${value}\n`).join("");
  expect(file.create(path, text, { replace: true })).toMatchObject(refused);
  expect(readFileSync(path, "utf8")).toBe("a 1\n");
  expect(readdirSync(join(path, ".."))).toEqual(["counters.md"]);
});

test("a folder, a pipe and a file that is too large are refused without being read", () => {
  if (linux) needs("mkfifo");
  const folder = temporaryFolder();
  expect(file.read(folder)).toMatchObject({ ok: false, problems: [{ code: "file_unreadable" }] });
  if (linux) {
    spawnSync("mkfifo", [join(folder, "pipe")]);
    expect(file.read(join(folder, "pipe"))).toMatchObject({ ok: false, problems: [{ code: "file_unreadable" }] });
  }
  writeFileSync(join(folder, "large.md"), Buffer.alloc(1_000_001));
  expect(file.read(join(folder, "large.md"))).toMatchObject({
    ok: false,
    problems: [{ code: "file_too_large", message: expect.stringContaining("1000001") }],
  });
});

test("a held lock is waited for, bounded, and then named", () => {
  const path = newFile();
  // Held under another name of the lock's holder, so that it is not this thread's own.
  writeFileSync(
    `${path}.lock`,
    JSON.stringify({
      pid: 1,
      start: "",
      host: "elsewhere",
      nonce: "abc-mf3k2j1a-0123456789",
      what: "aot run",
      since: "2026-01-01T00:00:00.000Z",
    }),
  );
  const answer = file.edit(path, (document) => ({ ok: true, value: plus(document.value, "a") }), { timeout_ms: 50 });
  expect(answer).toMatchObject({
    ok: false,
    problems: [{ code: "file_locked", message: expect.stringContaining('"aot run", pid 1 on host elsewhere') }],
  });
  expect(readFileSync(path, "utf8")).toBe("a 1\nb 2\n");
});

test("SPEC 2: what an editor without the lock writes during an edit is not lost: the change is made anew on it", () => {
  const path = newFile();
  const change = vi.fn((document: { value: ReadonlyMap<string, number> }) => {
    if (change.mock.calls.length === 1) writeFileSync(path, "a 10\nb 2\nc 3\n");
    return { ok: true as const, value: plus(document.value, "a") };
  });
  expect(file.edit(path, change)).toMatchObject({ ok: true, value: { text: "a 11\nb 2\nc 3\n" } });
  expect(change).toHaveBeenCalledTimes(2);
  let n = 0;
  const restless = file.edit(path, (document) => {
    writeFileSync(path, `a ${"1".repeat(++n)}\n`);
    return { ok: true, value: plus(document.value, "b") };
  });
  expect(restless).toMatchObject({
    ok: false,
    problems: [{ code: "file_locked", message: expect.stringContaining("keeps being changed") }],
  });
});

test.skipIf(process.platform === "win32")(
  "through a symbolic link the target is edited, under the target's lock",
  () => {
    const path = newFile();
    const link = join(temporaryFolder(), "link.md");
    symlinkSync(path, link);
    const lock = acquireLockSync(`${path}.lock`, { what: "the test" });
    expect(
      file.edit(link, (document) => ({ ok: true, value: plus(document.value, "a") }), { timeout_ms: 0 }),
    ).toMatchObject({ ok: false });
    if (lock.ok) lock.release();
    expect(file.edit(link, (document) => ({ ok: true, value: plus(document.value, "a") }))).toMatchObject({ ok: true });
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(path, "utf8")).toBe("a 2\nb 2\n");
  },
);

test("create writes a valid new file and its folder, and replaces one only when asked", () => {
  const path = join(temporaryFolder(), ".claude", "counters.md");
  expect(file.create(path, "a one\n")).toMatchObject({ ok: false, problems: [{ code: "wrong_type" }] });
  expect(file.create(path, "a 1\n")).toMatchObject({ ok: true, value: { text: "a 1\n" } });
  expect(file.create(path, "a 2\n")).toMatchObject({
    ok: false,
    problems: [{ code: "refused", message: expect.stringContaining("already exists") }],
  });
  expect(readFileSync(path, "utf8")).toBe("a 1\n");
  expect(file.create(path, "a 2\n", { replace: true })).toMatchObject({ ok: true });
  expect(readFileSync(path, "utf8")).toBe("a 2\n");
});

test.skipIf(!canMount)(
  "SPEC 2: on a full or read-only disk the edit is refused with the next step and the old file stands (Linux, as root)",
  () => {
    const folder = smallDisk("64k");
    const path = join(folder, "counters.md");
    writeFileSync(path, "a 1\n");
    writeFileSync(join(folder, "ballast"), Buffer.alloc(52_000));
    const big = new Map(Array.from({ length: 2000 }, (_, n) => [`counter_${n}`, n]));
    for (let tries = 0; tries < 2; tries++) {
      expect(file.edit(path, () => ({ ok: true, value: big }))).toMatchObject({
        ok: false,
        problems: [{ code: "file_unwritable", hint: expect.stringContaining("free some") }],
      });
      expect(readFileSync(path, "utf8")).toBe("a 1\n");
      expect(readdirSync(folder).toSorted()).toEqual(["ballast", "counters.md"]);
    }
    spawnSync("mount", ["-o", "remount,ro", folder]);
    expect(file.edit(path, (document) => ({ ok: true, value: plus(document.value, "a") }))).toMatchObject({
      ok: false,
      problems: [{ code: "file_unwritable", message: expect.stringContaining("read-only") }],
    });
    expect(file.read(path)).toMatchObject({ ok: true });
  },
);

test("a takeover from a dead writer sweeps what it left", () => {
  const path = newFile();
  const dead = spawnSync(process.execPath, ["-e", ""]).pid;
  writeFileSync(`${path}.${dead}-0.tmp`, "half");
  utimesSync(`${path}.${dead}-0.tmp`, 1, 1);
  mkdirSync(join(path, "..", "other"));
  writeFileSync(`${path}.lock`, "");
  utimesSync(`${path}.lock`, 1, 1);
  expect(file.edit(path, (document) => ({ ok: true, value: plus(document.value, "a") })).ok).toBe(true);
  expect(readdirSync(join(path, "..")).toSorted()).toEqual(["counters.md", "other"]);
});
