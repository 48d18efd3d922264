/** Changes that break a program: where they are made, and what they leave alone (SPEC section 6). */
import { array, assert, constantFrom, property } from "fast-check";
import { expect, test } from "vitest";
import { codeOf, familyOf, mutantsOf } from "../../../src/verify/challenge/mutants.ts";

const PIECES = [
  "if (a === b) {",
  "return a + 1;",
  "return f(x) && true;",
  "// a === b",
  "/* x && y */",
  "'a < b'",
  "`a && ${b}`",
  '"\\" > 1"',
  "function f(a) {",
  "}",
  "let n = 10;",
  "def f(a):",
  "    return a and not b",
  "# a == b",
  '"""a == 1"""',
  "x <= 3",
  "",
];
const program = array(constantFrom(...PIECES), { maxLength: 12 }).map((lines) => lines.join("\n"));
const path = constantFrom("src/a.js", "lib/b.ts", "c.py");

test("the mask keeps every place and every line end, and code as it is", () => {
  assert(
    property(program, path, (text, file) => {
      const code = codeOf(text, familyOf(file) ?? "braces");
      expect(code).toHaveLength(text.length);
      for (const [at, char] of Array.from(code).entries()) expect([" ", text[at]]).toContain(char);
      expect(code.split("\n")).toHaveLength(text.split("\n").length);
    }),
  );
});

test("a mutant differs from its program in code, from the line that it names on, and is the same each time", () => {
  assert(
    property(program, path, (text, file) => {
      const mutants = mutantsOf(file, text);
      expect(mutantsOf(file, text)).toEqual(mutants);
      const family = familyOf(file) ?? "braces";
      for (const { line, text: mutated } of mutants) {
        expect(codeOf(mutated, family)).not.toBe(codeOf(text, family));
        const kept = text.split("\n").slice(0, line - 1);
        expect(mutated.split("\n").slice(0, line - 1)).toEqual(kept);
      }
    }),
  );
});

const changesOf = (file: string, text: string): readonly string[] =>
  mutantsOf(file, text).map(({ line, change }) => `${line} ${change}`);

test("comparisons, conditions, constants, results and whole functions, by families of languages", () => {
  const script = "export function max(a, b) {\n  if (a === 0 && b) return true;\n  return a > b ? a : b;\n}\n";
  expect(changesOf("max.js", script).toSorted()).toEqual([
    "1 the function returns at once",
    "2 `&&` is `||`",
    "2 `0` is `1`",
    "2 `===` is `!==`",
    "2 `true` is `false`",
    "2 the first condition of the `if` is turned",
    "2 the return's value is gone",
    "3 `>` is `>=`",
    "3 the return's value is gone",
  ]);
  const python = "def low(a, b):\n    if a == b and True:\n        return a + 1\n";
  expect(changesOf("low.py", python).toSorted()).toEqual([
    "1 the function returns at once",
    "2 `==` is `!=`",
    "2 `True` is `False`",
    "2 `and` is `or`",
    "2 the first condition is turned",
    "3 `+` is `-`",
    "3 `1` is `2`",
    "3 the return's value is gone",
  ]);
  expect(mutantsOf("low.py", python).find(({ line }) => line === 1)?.text).toContain(
    "def low(a, b):\n    return None\n",
  );
});

test("a language that is not known has no mutants", () => {
  expect(mutantsOf("notes.txt", "1 + 1 === 2")).toEqual([]);
});
