import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";

test("what was appended is there when the log is opened again", async (t) => {
  const { appendRecord } = await import("../src/log.mjs");
  const { readRecords } = await import("../src/log-reader.mjs");
  const dir = mkdtempSync(join(tmpdir(), "shortlink-"));
  t.after(() => rmSync(dir, { recursive: true }));
  const file = join(dir, "links.jsonl");
  assert.deepEqual(readRecords(file), []);
  appendRecord(file, { id: "a", url: "https://a.example/" });
  appendRecord(file, { id: "b", url: "https://b.example/" });
  assert.deepEqual(
    readRecords(file).map((record) => record.id),
    ["a", "b"],
  );
});
