import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";

test("the command adds a link and finds it again", (t) => {
  const dir = mkdtempSync(join(tmpdir(), "shortlink-"));
  t.after(() => rmSync(dir, { recursive: true }));
  const run = (...args) => execFileSync(process.execPath, ["src/cli.mjs", join(dir, "links.jsonl"), ...args], { encoding: "utf8" }).trim();
  const id = run("add", "https://example.org/cli");
  assert.equal(run("get", id), "https://example.org/cli");
});
