/** What of an output reaches the next attempt (SPEC section 7): outputs of real test runners. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { evidenceText, tellingLine, tellingPart } from "../../src/core/telling.ts";

const noise = (n: number): string => Array.from({ length: n }, (_, i) => `✓ works ${i} (1 ms)`).join("\n");

const OUTPUTS = {
  vitest: `${noise(80)}
 FAIL  tests/lexer.test.ts > reads a number
AssertionError: expected 1 to be 2 // Object.is equality
 ❯ tests/lexer.test.ts:7:13
⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯
 Test Files  1 failed | 3 passed (4)
   Start at  10:00:00
   Duration  1.20s (transform 30ms)`,
  node: `${noise(80)}
✖ reads a number (1.2ms)
  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal: 1 !== 2
      at TestContext.<anonymous> (file:///lexer.test.js:7:10)
      at process.processTicksAndRejections (node:internal:95:5)
ℹ duration_ms 170.8`,
  tap: `${noise(80)}
not ok 2 - reads a number
  ---
  error: 'expected 1 to be 2'
  ...
1..2
# duration_ms 9`,
  pytest: `${noise(80)}
    def test_number():
>       assert read("1") == 2
E       AssertionError: assert 1 == 2
FAILED tests/test_lexer.py::test_reads_a_number - AssertionError: assert 1 == 2
========= 1 failed, 80 passed in 0.12s =========`,
  go: `${noise(80)}
--- FAIL: TestReadsANumber (0.00s)
    lexer_test.go:9: got 1, want 2
exit status 1`,
  cargo: `${noise(80)}
test reads_a_number ... FAILED
thread 'reads_a_number' panicked at src/lib.rs:9:5:
assertion failed: left == right
test result: FAILED. 80 passed; 1 failed`,
  tsc: `${noise(80)}
src/lexer.ts(3,1): error TS2304: Cannot find name 'reads_a_number'.
Found 1 error.`,
};

test("SPEC 7: the failing test and its message are shown, not only how the report ends", () => {
  for (const [runner, output] of Object.entries(OUTPUTS)) {
    const part = tellingPart(output, 600);
    expect(part, runner).toMatch(/reads.?a.?number/i);
    expect(part, runner).toMatch(/1 to be 2|1 !== 2|1 == 2|want 2|left == right|TS2304/);
    expect(part.length, runner).toBeLessThanOrEqual(600);
    expect(part, runner).not.toMatch(/✓ works|⎯{5}|^ +at /m);
    expect(tellingLine(output, true), runner).toMatch(/reads.?a.?number/i);
  }
});

test("SPEC 7: of many errors the last one stays", () => {
  const many = Array.from({ length: 40 }, (_, i) => `TypeError: number ${i} is odd\n    at x (a.js:${i})`);
  expect(tellingPart(many.join("\n"), 400)).toContain("number 39 is odd");
});

test("TELLING-1: kept lines stand in blocks, and the message is not parted from its test", () => {
  const says =
    "       idle waits:\n\n      AssertionError: not equal\n      + expected\n\n      -{}\n      +{\n      +}\n";
  const list = `${noise(80)}\n    1) idle waits\n${noise(30)}\n\n  173 passing\n  1 failing\n\n`;
  for (const required of [["idle waits"], []]) {
    const part = tellingPart(
      `${list}  1) idle.js\n${says}\n      at Context.<anonymous> (test/idle.js:7:10)`,
      700,
      required,
    );
    expect(part).toContain(says);
    expect(part.split("[...]").length).toBeLessThanOrEqual(3);
  }
});

test("TELLING-3: what a required test says comes first, whole, and frames of a stack never", () => {
  const failed = (name: string, says: string): string =>
    `✖ ${name} (1ms)\n  AssertionError: ${says}\n      at Test.<anonymous> (file:///${name}.js:7:10)\n  left: 1\n  right: 2`;
  const old = Array.from({ length: 20 }, (_, at) => failed(`old ${at}`, "was so"));
  const output = [...old, failed("idle waits", "MINE"), ...old];
  const part = tellingPart(output.join("\n"), 300, ["queue > idle waits"]);
  for (const said of ["idle waits", "AssertionError: MINE", "left: 1", "right: 2"]) expect(part).toContain(said);
  expect(part).not.toMatch(/file:\/\/|old \d/);
  expect(tellingPart(output.join("\n"), 300)).not.toContain("MINE");
});

test("a passed command is quoted with its last line, whatever it looks like", () => {
  expect(tellingLine("FAIL is the name of a test\n12 passed", false)).toBe("12 passed");
  expect(tellingLine("# pass 3\n# fail 0\n# duration_ms 9\n", true)).toBe("# fail 0");
});

test("TELLING-1, TELLING-2: what fits is whole, and nothing is longer than was asked for", () => {
  const line = fc.oneof(
    fc.string(),
    fc.constantFrom("not ok 1 - x", "FAIL a", "TypeError: no", "    at f (x.js:1:2)", ""),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 60 }), fc.integer({ min: 20, max: 900 }), (lines, max) => {
      const output = lines.join("\n");
      const part = tellingPart(output, max);
      expect(part.length).toBeLessThanOrEqual(max);
      const plain = output.trimEnd();
      if (plain.length <= max && !plain.includes("\u001b")) expect(part).toBe(plain);
    }),
  );
});

test("SPEC 7: a judge's reasons are evidence like an output", () => {
  const scores = [{ criterion: "Design", score: 2, reason: "two modules do the same" }];
  expect(evidenceText({ kind: "scores", scores, average: 2, threshold: 3 }, 500)).toContain(
    "Design: 2 of 5. two modules do the same",
  );
  expect(evidenceText({ kind: "judgement", reason: "the CLI has no help" }, 500)).toBe("the CLI has no help");
});
