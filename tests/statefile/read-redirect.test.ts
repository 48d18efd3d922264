/** SPEC section 8: a redirect as it comes from outside. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Redirect } from "../../src/core/redirect.ts";
import { readRedirect } from "../../src/statefile/read-redirect.ts";

const REDIRECTS: readonly Redirect[] = [
  { kind: "set", field: "goal", value: "another", reason: "" },
  { kind: "set", field: "base_case", value: { type: "command", value: "npm test" }, reason: "r" },
  { kind: "limit", constraint: "max_iterations", value: 9, reason: "r" },
  { kind: "limit", constraint: "max_duration", value: "90m", reason: "r" },
  { kind: "add", id: "A9", description: "more", depends_on: ["A1"], or_group: "g", reason: "r" },
  { kind: "remove", id: "A9", reason: "r" },
  { kind: "choose", group: "g", atom: "A9", reason: "r" },
  { kind: "rebind", id: "A1", binding: { summary: "s", artifacts: ["a"] }, reason: "r" },
];

test.each(REDIRECTS.map((redirect) => [JSON.stringify(redirect), redirect] as const))(
  "%s is read as it is",
  (_, one) => {
    expect(readRedirect(JSON.parse(JSON.stringify(one)))).toEqual({ ok: true, value: one });
  },
);

test("a checklist is read whole", () => {
  const check = { type: "file", value: "a" };
  const value = { checklist: [{ item: "a", group: [{ item: "b", check }] }] };
  expect(readRedirect({ kind: "set", field: "base_case", value })).toEqual({
    ok: true,
    value: { kind: "set", field: "base_case", value, reason: "" },
  });
});

test.each<[string, unknown, string]>([
  ["an unknown kind", { kind: "pause" }, 'a redirect of the kind "pause" is not known'],
  ["an inherited kind", { kind: "constructor" }, "is not known"],
  ["no kind", {}, "of the kind undefined is not known"],
  ["no object", [], "is no JSON object"],
  ["a missing value", { kind: "set", field: "goal" }, "a redirect has no value"],
  ["a text for a base case", { kind: "set", field: "base_case", value: "npm test" }, "base_case is not a mapping"],
  ["a base case of an unknown type", { kind: "set", field: "base_case", value: { type: "x" } }, "check type"],
  ["a limit out of range", { kind: "limit", constraint: "max_iterations", value: 0 }, "max_iterations is 0"],
  ["an unknown limit", { kind: "limit", constraint: "max_fun", value: "1" }, "max_fun"],
  ["a key too many", { kind: "remove", id: "A1", when: "now" }, "when is no field of a redirect"],
  ["a list that is a text", { kind: "add", id: "A", description: "d", depends_on: "A1" }, "depends_on is not a list"],
])("%s is a problem that says so", (_, given, message) => {
  const read = readRedirect(given);
  expect(read).toMatchObject({ ok: false, problems: [{ message: expect.stringContaining(message) }] });
});

test("law: a redirect with one place spoilt is read or refused with words and a next step, never thrown", () => {
  fc.assert(
    fc.property(fc.constantFrom(...REDIRECTS), fc.nat(4), fc.jsonValue(), (redirect, key, spoilt) => {
      const names = Object.keys(redirect);
      const read = readRedirect({ ...redirect, [names[key % names.length] ?? ""]: spoilt });
      if (read.ok) return;
      for (const problem of read.problems) expect([problem.message === "", problem.at]).toEqual([false, undefined]);
    }),
    { examples: [[{ kind: "limit", constraint: "max_duration", value: "90m", reason: "r" }, 1, { toString: "" }]] },
  );
});
