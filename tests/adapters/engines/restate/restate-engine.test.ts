import { expect, test } from "vitest";
import { createRestateEngine } from "../../../../src/adapters/engines/restate/restate-engine.ts";

test("SPEC 13: an engine's name says whether it is asked over TLS, since state files keep the name", () => {
  const name = (url: string): string => createRestateEngine({ url }).name;
  expect(name("http://127.0.0.1:8080")).toBe("restate://127.0.0.1:8080");
  expect(name("https://engine.example:8443")).toBe("restates://engine.example:8443");
});
