/** The executable as it is shipped: one file with its compiled form beside it. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { aotPath } from "../../support/aot.ts";
import { temporaryFolder } from "../../support/bundle.ts";

const TEXT_AT = 4;

/** A copy of the built command. `change`: what becomes of the image. */
function copied(change: (file: string) => void): string {
  const folder = temporaryFolder();
  cpSync(dirname(aotPath()), folder, { recursive: true });
  change(join(folder, "cli", "hot.image"));
  return join(folder, "bin.cjs");
}

/** The image with another compiled form. */
function withForm(file: string, form: (compiled: Buffer) => Uint8Array): void {
  const image = readFileSync(file);
  const codeAt = TEXT_AT + image.readUInt32LE(0);
  writeFileSync(file, Buffer.concat([image.subarray(0, codeAt), form(image.subarray(codeAt))]));
}

const FORMS: readonly (readonly [string, (file: string) => void])[] = [
  ["as it was built", () => {}],
  ["missing", (file) => rmSync(file)],
  ["empty", (file) => writeFileSync(file, "")],
  ["something else", (file) => writeFileSync(file, Buffer.alloc(readFileSync(file).length, 7))],
  ["cut off in the text", (file) => writeFileSync(file, readFileSync(file).subarray(0, 1_000))],
  ["without a compiled form", (file) => withForm(file, () => Buffer.alloc(0))],
  ["cut off in the compiled form", (file) => withForm(file, (compiled) => compiled.subarray(0, 1_000))],
  [
    "with the compiled form of another version",
    (file) => withForm(file, (compiled) => Buffer.alloc(compiled.length, 7)),
  ],
];

test.each(FORMS)("the command works with its image %s", (_, change) => {
  const ran = spawnSync(process.execPath, [copied(change), "--version"], { encoding: "utf8", timeout: 60_000 });
  expect([ran.status, ran.stdout.trim(), ran.stderr]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+$/), ""]);
});

test("the compiled form is accepted by the Node that made it, and its text is the file beside it", () => {
  const folder = join(dirname(copied(() => {})), "cli");
  const check = `const { Script } = require("node:vm"); const { readFileSync } = require("node:fs");
    const image = readFileSync(${JSON.stringify(join(folder, "hot.image"))});
    const codeAt = ${TEXT_AT} + image.readUInt32LE(0);
    const source = image.latin1Slice(${TEXT_AT}, codeAt);
    const script = new Script(source, { filename: "hot.cjs", cachedData: image.subarray(codeAt) });
    const same = source.includes(readFileSync(${JSON.stringify(join(folder, "hot.cjs"))}, "utf8"));
    process.stdout.write(JSON.stringify({ rejected: script.cachedDataRejected, same }));`;
  const ran = spawnSync(process.execPath, ["-e", check], { encoding: "utf8", timeout: 60_000 });
  expect([ran.stdout, ran.stderr]).toEqual(['{"rejected":false,"same":true}', ""]);
});

test.runIf(process.platform !== "win32")("SPEC 9: a folder that is gone is named, and what to do", () => {
  for (const words of [["status"], ["atom", "update", "A1", "resolved"]]) {
    const gone = mkdtempSync(join(tmpdir(), "aot-gone-"));
    const script = `process.chdir(${JSON.stringify(gone)}); require("node:fs").rmdirSync(${JSON.stringify(gone)}); process.argv.splice(1, 0, "aot"); require(${JSON.stringify(aotPath())})`;
    const ran = spawnSync(process.execPath, ["-e", script, ...words], { encoding: "utf8", timeout: 60_000 });
    expect([ran.status, ran.stdout, ran.stderr]).toEqual([
      1,
      "",
      expect.stringMatching(/^aot: the folder .* is gone\n  change/),
    ]);
  }
});
