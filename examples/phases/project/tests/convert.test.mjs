import assert from "node:assert/strict";
import test from "node:test";

test("water freezes and boils", async () => {
  const { toFahrenheit } = await import("../src/to-fahrenheit.mjs");
  assert.equal(toFahrenheit(0), 32);
  assert.equal(toFahrenheit(100), 212);
});

test("and back", async () => {
  const { toCelsius } = await import("../src/to-celsius.mjs");
  assert.equal(toCelsius(212), 100);
  assert.equal(toCelsius(-40), -40);
});
