import assert from "node:assert/strict";
import test from "node:test";

test("a web address is normalised, anything else is refused with the reason", async () => {
  const { parseTarget } = await import("../src/url.mjs");
  assert.equal(parseTarget("HTTPS://Example.org"), "https://example.org/");
  assert.throws(() => parseTarget("javascript:alert(1)"), /only http and https/);
  assert.throws(() => parseTarget("nonsense"), /not a web address/);
});
