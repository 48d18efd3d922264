/** The executable as it is shipped: one file with its compiled form beside it. */
import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { aotPath } from "../../support/aot.ts";
import { temporaryFolder } from "../../support/bundle.ts";

/** A copy of the built command. `compiled`: what becomes of the compiled form. */
function copied(compiled: (file: string) => void): string {
  const folder = temporaryFolder();
  cpSync(dirname(aotPath()), folder, { recursive: true });
  compiled(join(folder, "cli", "hot.cjs.cache"));
  return join(folder, "bin.cjs");
}

const FORMS: readonly (readonly [string, (file: string) => void])[] = [
  ["as it was built", () => {}],
  ["missing", (file) => rmSync(file)],
  ["empty", (file) => writeFileSync(file, "")],
  ["cut off", (file) => writeFileSync(file, readFileSync(file).subarray(0, 1_000))],
  ["of another version", (file) => writeFileSync(file, Buffer.alloc(readFileSync(file).length, 7))],
];

test.each(FORMS)("the command works with its compiled form %s", (_, change) => {
  const ran = spawnSync(process.execPath, [copied(change), "--version"], { encoding: "utf8", timeout: 60_000 });
  expect([ran.status, ran.stdout.trim(), ran.stderr]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+$/), ""]);
});

test("the compiled form is accepted by the Node that made it", () => {
  const bin = copied(() => {});
  const check = `const { Script } = require("node:vm"); const { readFileSync } = require("node:fs");
    const file = ${JSON.stringify(join(dirname(bin), "cli", "hot.cjs"))};
    const source = "(function (exports, require, module, __filename, __dirname) {" + readFileSync(file, "utf8") + "\\n})";
    const script = new Script(source, { filename: file, cachedData: readFileSync(file + ".cache") });
    process.stdout.write(String(script.cachedDataRejected));`;
  const ran = spawnSync(process.execPath, ["-e", check], { encoding: "utf8", timeout: 60_000 });
  expect([ran.stdout, ran.stderr]).toEqual(["false", ""]);
});
