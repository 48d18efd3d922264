/** The executable as it is shipped: one file with its compiled form beside it. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Script } from "node:vm";
import { expect, test } from "vitest";
import { aotPath } from "../../support/aot.ts";
import { temporaryFolder } from "../../support/bundle.ts";

/** Before the name of the Node that made it: lengths of the text (24 bits) and of that name (8 bits). */
const HEAD = 4;

interface Image {
  readonly maker: string;
  readonly text: Buffer;
  readonly form: Buffer;
}

function imageOf(file: string): Image {
  const bytes = readFileSync(file);
  const textAt = HEAD + bytes.readUInt8(3);
  const formAt = textAt + bytes.readUIntLE(0, 3);
  const maker = bytes.toString("latin1", HEAD, textAt);
  return { maker, text: bytes.subarray(textAt, formAt), form: bytes.subarray(formAt) };
}

function writeImage(file: string, { maker, text, form }: Image): void {
  const head = Buffer.alloc(HEAD);
  head.writeUIntLE(text.length, 0, 3);
  head.writeUInt8(maker.length, 3);
  writeFileSync(file, Buffer.concat([head, Buffer.from(maker, "latin1"), text, form]));
}

/** A copy of the built command. `change`: what becomes of the image. */
function copied(change: (file: string) => void): string {
  const folder = temporaryFolder();
  cpSync(dirname(aotPath()), folder, { recursive: true });
  change(join(folder, "cli", "hot.image"));
  return join(folder, "bin.cjs");
}

/** The image with another compiled form. */
function withForm(file: string, form: (compiled: Buffer) => Uint8Array): void {
  const image = imageOf(file);
  writeImage(file, { ...image, form: Buffer.from(form(image.form)) });
}

/** The compiled form of a program that only says so. V8 takes it for that of any other text of the same length. */
function strangeForm(length: number): Buffer {
  const source = `(function () {process.stdout.write("strange"); process.exit(7)})`.padEnd(length);
  return new Script(source).createCachedData();
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
  ...[process.version.replace(/\d+$/, "999"), "", `${process.version} beos m68k`].map(
    (maker): (typeof FORMS)[number] => [
      `with the compiled form of another Node, "${maker}", that V8 takes for its own`,
      (file) => {
        const { text } = imageOf(file);
        writeImage(file, { maker, text, form: strangeForm(text.length) });
      },
    ],
  ),
];

test("the compiled form names the Node that made it", () => {
  let maker = "";
  copied((file) => {
    maker = imageOf(file).maker;
  });
  expect(maker).toBe(`${process.version} ${process.platform} ${process.arch}`);
});

test.each(FORMS)("the command works with its image %s", (_, change) => {
  const ran = spawnSync(process.execPath, [copied(change), "--version"], { encoding: "utf8", timeout: 60_000 });
  expect([ran.status, ran.stdout.trim(), ran.stderr]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+$/), ""]);
});

test("the compiled form is accepted by the Node that made it, and its text is the file beside it", () => {
  const folder = join(dirname(copied(() => {})), "cli");
  const check = `const { Script } = require("node:vm"); const { readFileSync } = require("node:fs");
    const image = readFileSync(${JSON.stringify(join(folder, "hot.image"))});
    const textAt = ${HEAD} + image[3];
    const codeAt = textAt + image.readUIntLE(0, 3);
    const source = image.latin1Slice(textAt, codeAt);
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
