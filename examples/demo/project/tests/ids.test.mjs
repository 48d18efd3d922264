import assert from "node:assert/strict";
import test from "node:test";

test("10,000 addresses get 10,000 different ids of at most 5 characters", async () => {
  const { createIds } = await import("../src/ids.mjs");
  const next = createIds(0);
  const ids = new Set();
  for (let n = 0; n < 10_000; n++) {
    const id = next(`https://example.org/${n}`);
    assert.ok(id.length <= 5, `${id} is too long`);
    ids.add(id);
  }
  assert.equal(ids.size, 10_000);
});
