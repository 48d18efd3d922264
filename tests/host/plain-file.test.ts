/** SPEC 7: no file that somebody else can write keeps the loop waiting. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { hashPlainFile } from "../../src/host/plain-file.ts";
import { readText, textAt } from "../../src/host/regular-file.ts";
import { needs } from "../support/needs.ts";

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), "aot-plain-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  return dir;
}

test("a regular file is read whole, and hashed", async () => {
  const file = join(folder(), "a");
  writeFileSync(file, "text\n");
  expect(readText(file)).toBe("text\n");
  expect(await hashPlainFile(file)).toBe(createHash("sha256").update("text\n").digest("hex"));
});

test("a larger file than is wanted, a folder and nothing are errors that name the path", async () => {
  const dir = folder();
  const file = join(dir, "a");
  writeFileSync(file, "text\n");
  expect(() => readText(file, 4)).toThrow(`${file} has 5 bytes, and at most 4 are read`);
  mkdirSync(join(dir, "d"));
  expect(() => readText(join(dir, "d"))).toThrow(join(dir, "d"));
  expect(textAt(join(dir, "d"))).toBe(null);
  await expect(hashPlainFile(join(dir, "none"))).rejects.toMatchObject({ code: "ENOENT" });
});

test.skipIf(process.platform === "win32")("a pipe is refused at once (Windows has none among its files)", async () => {
  needs("mkfifo");
  const pipe = join(folder(), "pipe");
  execFileSync("mkfifo", [pipe]);
  await expect(hashPlainFile(pipe)).rejects.toThrow(`${pipe} is not a regular file`);
  expect(() => readText(pipe)).toThrow(`${pipe} is not a regular file`);
});

test.skipIf(process.platform === "win32")("a device that does not end is refused (Windows has none)", () => {
  expect(() => readText("/dev/zero")).toThrow("/dev/zero is not a regular file");
});

test.runIf(process.platform === "linux")("a file of /proc is read whole, whatever size it says (Linux has it)", () => {
  const file = "/proc/sys/kernel/pid_max";
  expect(textAt(file)).toBe(readFileSync(file, "utf8"));
});
