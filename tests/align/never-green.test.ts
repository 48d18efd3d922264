import { expect, test } from "vitest";
import { neverGreen } from "../../src/align/never-green.ts";
import type { RedFirstLeaf } from "../../src/adapters/checks/red-first.ts";

const FILES: Readonly<Record<string, string>> = {
  "test/limit.test.js": 'test("is idle", () => {})',
  "src/limit.js": "",
  "jest.config.js": "",
};

function messages(
  value: string,
  more: { readonly allow_changed?: readonly string[]; readonly failing?: number } = {},
): readonly string[] {
  const { failing, ...given } = more;
  const tests = { passed: 3, ...(failing === undefined ? {} : { failing: { total: failing, names: ["a"] } }) };
  const evidence = { kind: "command", command: value, exit_code: 1, duration_ms: 1, output: "", tests };
  const check = { type: "command", value, ...given };
  const leaf = { path: [0], item: "i", check, standing: "red", why: "", result: { passed: false, evidence } };
  return neverGreen([leaf as unknown as RedFirstLeaf], (path) => FILES[path] ?? null).map(({ message }) => message);
}

test.each([
  "grep -q onIdle test/limit.test.js",
  "! grep -q skip ./test/limit.test.js",
  "cat test/limit.test.js | grep -q onIdle",
  "npm run build && rg onIdle 'test/limit.test.js'",
  "grep -q coverage jest.config.js",
  'npx vitest run test/limit.test.js -t "calls onIdle"',
  "pytest test/limit.test.js::onIdle",
  "node --test --test-name-pattern=onIdle test/limit.test.js",
])("SPEC 6, NEVER-GREEN-1: %s is red for ever, and is told so with the next step", (value) => {
  const [message = ""] = messages(value);
  expect(message).toMatch(
    /only turn green by a change of (test\/limit\.test\.js|jest\.config\.js).*new file.*allow_changed/,
  );
  expect(messages(value, { allow_changed: ["*.js"] })).toEqual([]);
  expect(messages(value, { failing: 1 })).toEqual([]);
});

test.each([
  "npm test",
  "node --test test/limit.test.js",
  "grep -q onIdle src/limit.js",
  "grep -q onIdle src/limit.js test/limit.test.js",
  "grep -q onIdle test/new.test.js",
  "grep -rq onIdle test",
  "grep -q onIdle test/limit.test.js || grep -q onIdle src/limit.js",
  "node src/limit.js | diff - test/limit.test.js",
  'npx vitest run test/limit.test.js -t "is idle"',
])("NEVER-GREEN-1: %s may turn green by work", (value) => {
  expect(messages(value)).toEqual([]);
});
