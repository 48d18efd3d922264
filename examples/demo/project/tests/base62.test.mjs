import assert from "node:assert/strict";
import test from "node:test";

test("base62 turns numbers into letters and back", async () => {
  const { encode, decode } = await import("../src/base62.mjs");
  assert.equal(encode(0), "0");
  assert.equal(encode(61), "Z");
  assert.equal(encode(62), "10");
  for (let n = 0; n < 100_000; n += 37) assert.equal(decode(encode(n)), n);
});

test("base62 says what it cannot read", async () => {
  const { decode } = await import("../src/base62.mjs");
  assert.throws(() => decode("a-b"), /"-" is not a base62 digit/);
});
