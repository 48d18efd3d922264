import * as fc from "fast-check";
import { expect, test } from "vitest";
import { isSameReason } from "../../src/align/same-reason.ts";
import type { LeafResult } from "../../src/core/verdict.ts";

const ROOTS = ["/home/me/project/.claude/aot-loop/fresh/gate-1a2b3c4d", "/home/me/project"];

function ran(output: string, exit_code = 1, failing: readonly string[] = []): LeafResult {
  const facts = { timed_out: false, duration_ms: 1, dropped_bytes: 0 };
  const tests = {
    format: "tap",
    total: 3,
    passed: 3 - failing.length,
    failed: failing.length,
    skipped: 0,
    failing: { total: failing.length, names: failing },
  };
  return {
    passed: false,
    evidence: { kind: "command", command: "x", exit_code, output, ...facts, ...(failing.length > 0 && { tests }) },
  };
}

const same = (here: readonly string[], there: string): boolean =>
  isSameReason(
    here.map((text) => ran(text)),
    ran(there),
    ROOTS,
  );

const WORDS = fc.constantFrom("expected", "sum", "to be", "AssertionError", "is not a function", "listening", "ok");
const LINE = fc.array(WORDS, { minLength: 1, maxLength: 4 }).map((words) => words.join(" "));
const LINES = fc.array(LINE, { minLength: 1, maxLength: 12 });

test("SAME-REASON-2: times, counts, addresses, paths and the order of lines are no reason", () => {
  const noise = fc.tuple(fc.nat(), fc.integer({ min: 0x100000, max: 0xffffff }), fc.nat({ max: 999 }));
  const told = (lines: readonly string[], [count, address, ms]: readonly [number, number, number], root: string) =>
    lines
      .map(
        (line, at) =>
          `\u001b[31m${line}\u001b[0m ${count + at} at 0x${address.toString(16)} in ${root}/src/a.js:${count}:1 (${ms}.${count}ms, /tmp/x${address}/b)`,
      )
      .join("\n");
  fc.assert(
    fc.property(LINES, noise, noise, (lines, one, other) => {
      const [fresh = "", mine = ""] = ROOTS;
      return same([told(lines, one, mine)], told(lines.toReversed(), other, fresh));
    }),
  );
});

test("SAME-REASON-2: what differs between two runs here is no reason there", () => {
  fc.assert(
    fc.property(
      LINES,
      fc.uniqueArray(fc.stringMatching(/^[a-z]{12}$/), { minLength: 3, maxLength: 3 }),
      (lines, [a, b, c]) =>
        same(
          [[...lines, `seed ${a}`].join("\n"), [...lines, `seed ${b}`].join("\n")],
          [...lines, `seed ${c}`].join("\n"),
        ),
    ),
  );
});

const NODE = (what: string): string =>
  `/p/t.js:1\n  throw ${what}\n  ^\n\n${what}\n    at Object.<anonymous> (/p/t.js:1:7)\n    at Module._compile (node:internal/modules/cjs/loader:1364:14)\n\nNode.js v20.20.2\n`;

test.each([
  [
    "a target that no build has made",
    "Error: wrong sum\nmake: *** [Makefile:2: check] Error 1\n",
    "make: *** No rule to make target 'build/config', needed by 'check'.  Stop.\n",
  ],
  [
    "a file that is not there",
    NODE("AssertionError [ERR_ASSERTION]: 2 == 3"),
    NODE("Error: Cannot find module './build/table.js'"),
  ],
  ["silence, where the first of two commands ends it", "AssertionError: 2 == 3\n", ""],
  ["the same begin, and then nothing", "> p test\n> node t.js\n\nAssertionError: 2 == 3\n", "> p test\n> node t.js\n"],
])("SAME-REASON-2: another reason is seen: %s", (_, here, there) => {
  expect(same([here], there)).toBe(false);
  expect(same([here, here, here], there)).toBe(false);
  for (const text of [here, there]) expect(same([text], text)).toBe(true);
});

test("a silent check has its exit code, and no other one", () => {
  expect(isSameReason([ran("", 1)], ran("", 3), ROOTS)).toBe(false);
  expect(isSameReason([ran("sum is wrong", 1)], ran("sum is wrong", 3), ROOTS)).toBe(true);
});

test("SAME-REASON-1: what fails there fails here, too, whatever else is printed", () => {
  const names = fc.uniqueArray(fc.constantFrom("a", "b", "c", "d"), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(names, names, fc.string(), fc.string(), (here, there, one, other) => {
      const isKnown = there.every((name) => here.includes(name));
      return isSameReason([ran(one, 1, here)], ran(other, 1, there), ROOTS) === isKnown;
    }),
  );
});

test("SAME-REASON-1: what varies in a name is no other name", () => {
  expect(
    isSameReason([ran("", 1, ["opens [/tmp/a1b2/x]", "at 0x7f01"])], ran("", 1, ["opens [/tmp/zz/x]"]), ROOTS),
  ).toBe(true);
});
