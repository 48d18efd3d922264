/** The executable as it is shipped. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aotPath } from "../../support/aot.ts";

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

test("SPEC 9: the file that each call loads needs no process, network or digest: a command loads what it uses", () => {
  const loaded = [...readFileSync(aotPath(), "utf8").matchAll(/require\(["'`](node:[\w/]+)["'`]\)/g)].map(
    ([, name]) => name,
  );
  expect(new Set(loaded)).toEqual(new Set(["node:fs", "node:path", "node:util"]));
});
