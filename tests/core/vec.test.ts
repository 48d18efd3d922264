import * as fc from "fast-check";
import { expect, test } from "vitest";
import { appended, at, changedIndices, toArray, vecFilled, vecOf, withAt } from "../../src/core/vec.ts";

/** Also around a full block of chunks, and around two. */
const items = fc.oneof(
  { weight: 9, arbitrary: fc.array(fc.nat(9), { maxLength: 200 }) },
  fc
    .tuple(fc.constantFrom(1023, 1024, 1025, 2048, 2049), fc.nat(9))
    .map(([length, first]) => Array.from({ length }, (_, i) => (first + i) % 10)),
);

test("law: a vec is the array it was made of", () => {
  fc.assert(
    fc.property(items, (array) => {
      const vec = vecOf(array);
      expect(vec.length).toBe(array.length);
      expect(toArray(vec)).toEqual(array);
      expect(array.map((_, i) => at(vec, i))).toEqual(array);
      expect(toArray(array.reduce(appended<number>, vecOf<number>([])))).toEqual(array);
    }),
  );
});

test("law: withAt changes one item of a copy and nothing of the original", () => {
  fc.assert(
    fc.property(items, fc.nat(), fc.nat(9), (array, place, value) => {
      fc.pre(array.length > 0);
      const index = place % array.length;
      const vec = vecOf(array);
      const changed = withAt(vec, index, value);
      expect(toArray(changed)).toEqual(array.with(index, value));
      expect(toArray(vec)).toEqual(array);
      expect(changed === vec).toBe(array[index] === value);
    }),
  );
});

test("law: changedIndices are those at which two arrays differ", () => {
  fc.assert(
    fc.property(items, fc.array(fc.tuple(fc.nat(199), fc.nat(9)), { maxLength: 4 }), items, (array, edits, more) => {
      let after = vecOf(array);
      for (const [index, value] of edits) if (index < array.length) after = withAt(after, index, value);
      for (const item of more) after = appended(after, item);
      const right = toArray(after);
      const differ = right.flatMap((item, i) => (item === array[i] ? [] : [i]));
      expect(changedIndices(vecOf(array), after)).toEqual(differ);
      expect(changedIndices(after, vecOf(array))).toEqual(differ);
    }),
  );
});

test("an index outside is a caller's mistake", () => {
  for (const length of [33, 1025]) {
    const vec = vecFilled(length, "x");
    expect(at(vec, length - 1)).toBe("x");
    for (const index of [-1, length]) expect(() => at(vec, index)).toThrow(RangeError);
    expect(() => withAt(vec, length, "y")).toThrow(RangeError);
  }
});
