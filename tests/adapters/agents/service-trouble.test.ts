import { expect, test } from "vitest";
import { serviceTrouble, statusIn, waitIn } from "../../../src/adapters/agents/service-trouble.ts";

test.each([
  ["API Error: 429 too many", 429],
  ["unexpected status 503 Service Unavailable: x", 503],
  ["exceeded retry limit, last status: 429 Too Many Requests", 429],
  ["HTTP/1.1 401 Unauthorized", 401],
  ['{"error":{"code":400,"message":"bad"}}', 400],
  ["RESOURCE_EXHAUSTED: slow down", 429],
  ["Overloaded", 529],
  ["it failed in line 429 of main.ts", undefined],
  ["500 tests passed", undefined],
])("the status in %j is %j", (said, status) => {
  expect(statusIn(said)).toBe(status);
});

test.each([
  ["Please try again in 1.5s.", 1_500],
  ["try again in 20 minutes", 1_200_000],
  ["Try again in 2 days 3 hours 5 minutes.", 183_900_000],
  ["retry after 7 s", 7_000],
  ["Retry-After: 30", 30_000],
  ['{"retry_after": 2.5}', 2_500],
  ['"retryDelay": "17s"', 17_000],
  ["try again in 250 ms", 250],
  ["try again later", undefined],
  ["it took 20 minutes", undefined],
])("the wait in %j is %j ms", (said, ms) => {
  expect(waitIn(said)).toBe(ms);
});

test("SPEC 7: waiting helps against a rate limit and an overload, not against a missing login, an empty account or a bad request", () => {
  const service = { name: "x", login: "log in" };
  const wait = (status: number, said = ""): unknown => {
    const trouble = serviceTrouble(service, status, said);
    return trouble.kind === "unavailable" ? (trouble.retry_after_ms ?? "never") : "failed";
  };
  expect([429, 503, 529].map((status) => wait(status))).toEqual([60_000, 30_000, 30_000]);
  expect([401, 403, 402, 404].map((status) => wait(status))).toEqual(["never", "never", "never", "never"]);
  expect(wait(400)).toBe("failed");
  expect(wait(429, "insufficient_quota")).toBe("never");
});
