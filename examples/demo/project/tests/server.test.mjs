import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";

test("POST / makes a link, GET /<id> redirects, an unknown id is 404", async (t) => {
  const { createServer } = await import("../src/server.mjs");
  const dir = mkdtempSync(join(tmpdir(), "shortlink-"));
  const server = createServer(join(dir, "links.jsonl")).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  t.after(() => (server.close(), rmSync(dir, { recursive: true })));
  const base = `http://127.0.0.1:${server.address().port}`;
  const made = await fetch(base, { method: "POST", body: "https://example.org/page" });
  assert.equal(made.status, 201);
  const { id } = await made.json();
  const followed = await fetch(`${base}/${id}`, { redirect: "manual" });
  assert.equal(followed.status, 302);
  assert.equal(followed.headers.get("location"), "https://example.org/page");
  assert.equal((await fetch(`${base}/nope`)).status, 404);
  assert.equal((await fetch(base, { method: "POST", body: "nonsense" })).status, 400);
});
