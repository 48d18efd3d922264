import * as fc from "fast-check";
import { expect, test } from "vitest";
import { at, changedIndices, withAt } from "../../src/core/vec.ts";

const items = fc.array(fc.nat(9), { maxLength: 200 });

test("law: withAt changes one item of a copy and nothing of the original", () => {
  fc.assert(
    fc.property(items, fc.nat(), fc.nat(9), (list, place, value) => {
      fc.pre(list.length > 0);
      const index = place % list.length;
      const before = [...list];
      const changed = withAt(list, index, value);
      expect(changed).toEqual(list.map((item, i) => (i === index ? value : item)));
      expect(list).toEqual(before);
      expect(changed === list).toBe(list[index] === value);
    }),
  );
});

test("law: changedIndices are those at which two lists differ", () => {
  fc.assert(
    fc.property(items, fc.array(fc.tuple(fc.nat(199), fc.nat(9)), { maxLength: 4 }), items, (before, edits, more) => {
      const after = [...before, ...more];
      for (const [index, value] of edits) if (index < after.length) after[index] = value;
      const differ = after.flatMap((item, i) => (item === before[i] ? [] : [i]));
      expect(changedIndices(before, after)).toEqual(differ);
      expect(changedIndices(after, before)).toEqual(differ);
    }),
  );
});

test("an index outside is a caller's mistake", () => {
  expect(at(["x", "y"], 1)).toBe("y");
  for (const index of [-1, 2]) expect(() => at(["x", "y"], index)).toThrow(RangeError);
  expect(() => withAt(["x", "y"], 2, "z")).toThrow(RangeError);
});
