/** Agreed tests with other expectations (SPEC section 6). */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canariesOf, isNotLoaded, placesIn } from "../../src/verdict/canary.ts";

function first(path: string, text: string, lines: readonly number[] = []): string {
  return canariesOf([{ path, text, lines }])[0]?.get(path) ?? text;
}

describe("CANARY-1: what is expected is changed, and nothing else", () => {
  test.each([
    ["a.js", 'import t from "x"; t("adds", { timeout: 9 }, () => { assert.equal(sum(1, 2), 3); });', ["sum(1, 2), 5"]],
    ["a.js", 'it("adds", () => expect(sum(1, 2)).toBe(3));', ["sum(1, 2)", "toBe(5)", '"adds"']],
    ["a.js", 'assert.deepEqual(f([1]), ["a", { b: true }]);', ["f([1])", '"a~1"', "b: false"]],
    ["a.js", "const a = list[0]; assert.equal(a, 1);", ["list[0]", "(a, 3)"]],
    ["a.py", "    self.assertEqual(add(1, 2), 3)  # 4", ["add(1, 2), 5)  # 4"]],
    ["a.py", 'CASES = [(1, "c")]', ['[(3, "c~2")]']],
    ["a_test.go", 'if got := Add(1, 2); got != 3 { t.Fatalf("got %d", got) }', ["Add(1, 2); got != 5", '"got %d"']],
    ["a.rs", "fn f<'a>() { assert_eq!(add(1, 2), 3); }", ["<'a>", "add(1, 2), 5"]],
    ["a.t", 'use Test::More tests => 1; is(Sum::sum(1,2), 3, "adds");', ["tests => 1", "sum(1,2), 5"]],
    ["a.rb", "assert_equal 3, add(1, 2)", ["assert_equal 5, add(1, 2)"]],
  ])("%s: %s", (path, text, parts) => {
    const changed = first(path, text);
    for (const part of parts) expect(changed).toContain(part);
  });

  test("what gives back what it gets does not follow a change: two literals change differently", () => {
    const changed = first("a.js", "assert.equal(3, 3); assert.equal(4, 4);");
    const [, one, other] = /equal\((\d+), (\d+)\)/.exec(changed) ?? [];
    expect(one).not.toBe(other);
  });

  test("whatever a file holds: at most four, each another text, and lines stay where they are", () => {
    const piece = fc.constantFrom(...'a(,assert.equal(,),[,],{,},1,"x",\',`,//,\n, == ,;,\\'.split(","));
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), fc.array(fc.nat(9)), (pieces, lines) => {
        const text = pieces.join("");
        const canaries = canariesOf([{ path: "a.js", text, lines }]);
        expect(canaries.length).toBeLessThanOrEqual(4);
        for (const canary of canaries) {
          expect(canary.get("a.js")).not.toBe(text);
          expect(canary.get("a.js")?.split("\n")).toHaveLength(text.split("\n").length);
        }
      }),
    );
  });
});

test.each([
  ["a.js", "assert.equal(a, b);", "assert.notEqual(a, b);"],
  ["a.js", "assert.strict.deepEqual(a, b);", "assert.strict.notDeepEqual(a, b);"],
  ["a.js", "expect(a).toBe(b);", "expect(a).not.toBe(b);"],
  ["a.js", "assert(isIt(a));", "assert(!(isIt(a)));"],
  ["a.py", "    assert is_it(a)", "    assert not (is_it(a))"],
  ["a.go", "if got != want {", "if got == want {"],
  ["a.rs", "assert_eq!(a, b);", "assert_ne!(a, b);"],
  ["a.bats", "[ $a = $b ]", "[ $a != $b ]"],
  ["a.t", "is $a => $b; ok $c->d", "isnt $a => $b; ok $c->d"],
  ["a.t", "ok !$c->d", "ok !!$c->d"],
])("without literals it is the opposite that is asserted: %s: %s", (path, text, opposite) => {
  expect(first(path, text)).toBe(opposite);
});

test("CANARY-2: first where it failed, then everywhere", () => {
  const text = ["assert.equal(a, 1);", ...Array.from({ length: 20 }, () => ""), "assert.equal(b, 2);"].join("\n");
  const [near, , all] = canariesOf([{ path: "a.js", text, lines: [1] }]).map((canary) => canary.get("a.js") ?? "");
  expect([near?.includes("(a, 1)"), near?.includes("(b, 2)")]).toEqual([false, true]);
  expect([all?.includes("(a, 1)"), all?.includes("(b, 2)")]).toEqual([false, false]);
});

test.each([
  ["at f (file:///w/test/a.test.js:3:10)", "test/a.test.js", 3],
  ["test/a_test.py:7: AssertionError", "test/a_test.py", 7],
  ['  File "/w/tests/a.py", line 12, in test_a', "tests/a.py", 12],
  ["    a_test.go:5: got 0", "a_test.go", 5],
  ["thread panicked at src/lib.rs:6:17:", "src/lib.rs", 6],
  ["#   at t/a.t line 7.", "t/a.t", 7],
])("a place in an output: %s", (output, file, line) => {
  expect([...placesIn(output, (path) => (path.endsWith(file) ? file : null))]).toEqual([[file, [line]]]);
});

test("a run whose tests could not be loaded says nothing of what they expect", () => {
  expect(["SyntaxError: x", "error[E0308]: mismatched", "ModuleNotFoundError"].every(isNotLoaded)).toBe(true);
  expect(isNotLoaded("AssertionError: 3 == 5")).toBe(false);
});
