/** The shapes that the explorer lists: all of them, each once. */
import { expect, test } from "vitest";
import { checkInvariants } from "../../src/core/invariants.ts";
import { shapesOf, stateOfShape } from "../../proofs/shape.ts";

const LIMITS = { max_iterations: 1, max_parallel_agents: 1, max_stall_count: 1 };
const count = (atoms: number, groups: boolean, splits: boolean): number =>
  shapesOf({ atoms, groups, splits, races: false }).length;

test("SHAPE-1, SHAPE-2: dependencies alone give as many shapes as there are unlabelled acyclic digraphs: 1, 2, 6, 31", () => {
  expect([1, 2, 3, 4].map((atoms) => count(atoms, false, false))).toEqual([1, 2, 6, 31]);
});

test("SHAPE-1: two atoms, counted by hand: alternatives may not depend on a part of themselves, nor are below a rival", () => {
  // Apart or in a row, with no group; one choice (either atom of a row); two choices (either order of a row).
  expect(count(2, true, false)).toBe(2 + 3 + 3);
  // A container of the other atom, which may depend on it as well.
  expect(count(2, false, true)).toBe(2 + 2);
});

test("SHAPE-3: every shape is a valid state", () => {
  for (const atoms of [1, 2, 3])
    for (const shape of shapesOf({ atoms, groups: true, splits: true, races: true }))
      expect(checkInvariants(stateOfShape(shape, LIMITS))).toEqual([]);
});
