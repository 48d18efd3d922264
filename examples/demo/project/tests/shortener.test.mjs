import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";

test("links survive a restart, and the same address gets the same link", async (t) => {
  const { openShortener } = await import("../src/shortener.mjs");
  const dir = mkdtempSync(join(tmpdir(), "shortlink-"));
  t.after(() => rmSync(dir, { recursive: true }));
  const file = join(dir, "links.jsonl");
  const first = openShortener(file);
  const id = first.add("https://example.org/one");
  assert.equal(first.add("https://example.org/one"), id);
  const again = openShortener(file);
  assert.equal(again.resolve(id), "https://example.org/one");
  assert.notEqual(again.add("https://example.org/two"), id);
  assert.equal(again.resolve("zzzz"), null);
});
