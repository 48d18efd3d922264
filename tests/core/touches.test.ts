import * as fc from "fast-check";
import picomatch from "picomatch";
import { expect, test } from "vitest";
import { overlap } from "../../src/core/touches.ts";

const folder = fc.constantFrom("a", "b", "ab", "c.ts", "src", "lib.d.ts");
const path = fc.array(folder, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"));
const piece = fc.constantFrom(
  ..."a b * ? ** *.ts a* *b [ab] {a,b} {a/b,c.ts} {**,a} @(a|b) !(a) +(a|b) src lib.* a** **.ts ?(a)b".split(" "),
);
const glob = fc
  .tuple(fc.array(piece, { minLength: 1, maxLength: 4 }), fc.constantFrom("", "", "", "./", "!"))
  .map(([pieces, prefix]) => prefix + pieces.join("/"));

test("SPEC 5: globs that one path matches both overlap (picomatch is the oracle)", () => {
  let both = 0;
  fc.assert(
    fc.property(glob, glob, fc.array(path, { minLength: 20, maxLength: 40 }), (left, right, paths) => {
      const inLeft = picomatch(left);
      const inRight = picomatch(right);
      for (const one of paths) {
        if (!inLeft(one) || !inRight(one)) continue;
        both++;
        expect([left, right, one, overlap([left], [right])]).toEqual([left, right, one, true]);
      }
    }),
    { numRuns: 5_000 },
  );
  expect(both).toBeGreaterThan(5_000);
});

test("SPEC 5: overlapping is mutual, and a list overlaps as soon as one of its globs does", () => {
  fc.assert(
    fc.property(fc.array(glob, { maxLength: 3 }), fc.array(glob, { maxLength: 3 }), (left, right) => {
      expect(overlap(left, right)).toBe(overlap(right, left));
      expect(overlap(left, right)).toBe(left.some((a) => right.some((b) => overlap([a], [b]))));
    }),
  );
});

test("SPEC 5: work that is plainly apart runs side by side; what declares nothing does so, too", () => {
  expect(overlap(["src/a/**"], ["src/b/**"])).toBe(false);
  expect(overlap(["src/*.ts"], ["src/*.md"])).toBe(false);
  expect(overlap(["src/a.ts"], ["src/b.ts"])).toBe(false);
  expect(overlap(["src/"], ["docs/"])).toBe(false);
  expect(overlap(["**/*.ts"], ["docs/**/*.md"])).toBe(false);
  expect(overlap([], ["**"])).toBe(false);
});

test("SPEC 5: a folder overlaps with what is in it, however it is written", () => {
  for (const [left, right] of [
    ["src/", "src/a.ts"],
    ["src", "src/a/b.ts"],
    ["./src/**", "src/a.ts"],
    ["src\\a.ts", "src/a.ts"],
  ] as const)
    expect([left, right, overlap([left], [right])]).toEqual([left, right, true]);
});

test("SPEC 5: forty globstars are compared at once, not in the time of all their splittings", () => {
  const left = `${"**/a/".repeat(40)}x.ts`;
  const right = `${"**/b/".repeat(40)}y.md`;
  expect(overlap([left], [right])).toBe(false);
});
