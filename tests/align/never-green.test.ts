import { expect, test } from "vitest";
import { neverGreen } from "../../src/align/never-green.ts";
import type { RedFirstLeaf } from "../../src/adapters/checks/red-first.ts";

const FILES = ["test/limit.test.js", "src/limit.js", "jest.config.js"];

function messages(value: string, output = "", more: object = {}): readonly string[] {
  const [passed, failed] = (/(\d+) passed, (\d+) failed/.exec(output)?.slice(1) ?? []).map(Number);
  const tests = passed === undefined ? {} : { tests: { passed, failed } };
  const evidence = { kind: "command", command: value, exit_code: 1, duration_ms: 1, output, ...tests };
  const check = { type: "command", value, ...more };
  const leaf = { path: [0], item: "i", check, standing: "red", why: "", result: { passed: false, evidence } };
  return neverGreen([leaf as unknown as RedFirstLeaf], (path) => FILES.includes(path)).map(({ message }) => message);
}

test.each([
  ["grep -q onIdle test/limit.test.js", ""],
  ["! grep -q skip ./test/limit.test.js", "\n"],
  ["cat test/limit.test.js | grep -q onIdle", ""],
  ["grep -q coverage 'jest.config.js'", ""],
  ['npx vitest run test/limit.test.js -t "calls onIdle"', "0 passed, 0 failed, 3 skipped"],
  ["pytest test/limit.test.js::onIdle", "0 passed, 0 failed"],
])("SPEC 6, NEVER-GREEN-1: %s is red for ever, and is told so with the next step", (value, output) => {
  const [message = ""] = messages(value, output);
  expect(message).toMatch(
    /only turn green by a change of (test\/limit\.test\.js|jest\.config\.js).*new file.*allow_changed/,
  );
  expect(messages(value, output, { allow_changed: ["*.js"] })).toEqual([]);
});

test.each([
  ["npm test", ""],
  ["node --test test/limit.test.js", "2 passed, 1 failed"],
  ["node test/limit.test.js", "AssertionError: 1 !== 2"],
  ["grep -q onIdle src/limit.js", ""],
  ["grep -q onIdle src/limit.js test/limit.test.js", ""],
  ["grep -q onIdle test/new.test.js", ""],
  ["grep -rq onIdle test", ""],
  ["node src/limit.js | diff - test/limit.test.js", ""],
])("NEVER-GREEN-1: %s may turn green by work", (value, output) => {
  expect(messages(value, output)).toEqual([]);
});
