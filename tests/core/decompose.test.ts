import * as fc from "fast-check";
import { expect, test } from "vitest";
import { addAtoms, decompose } from "../../src/core/decompose.ts";
import { checkInvariants } from "../../src/core/invariants.ts";
import { graphOf } from "../../src/core/graph.ts";
import { executableOf, measureOf } from "../../src/core/view.ts";
import { anyState, NOW, stateOf } from "../support/loops.ts";

const base = stateOf({
  atoms: [
    { id: "A1" },
    { id: "A2", depends_on: ["A1"], status: "in_progress" },
    { id: "A5", depends_on: ["A2"] },
    { id: "R", status: "resolved" },
  ],
});

test("SPEC 7: each child takes over the parent's dependencies; the parent stays pending and the reason is recorded", () => {
  const added = decompose(
    base,
    "A2",
    [
      { id: "h", description: "hash" },
      { description: "token", depends_on: ["h"] },
    ],
    { reason: "two things", now: NOW },
  );
  if (!added.ok) throw new Error(added.problems[0]?.message);
  const { state, ids } = added.value;
  expect(ids).toEqual(["h", "A6"]);
  const atoms = new Map(state.atoms.map((atom) => [atom.id, atom]));
  expect(atoms.get("h")).toEqual({ id: "h", description: "hash", status: "pending", depends_on: ["A1"] });
  expect(atoms.get("A6")?.depends_on).toEqual(["A1", "h"]);
  expect(atoms.get("A2")).toMatchObject({ status: "pending", depends_on: ["A1"] });
  expect(atoms.get("A5")?.depends_on).toEqual(["A2"]);
  expect(state.decompositions).toEqual([{ parent: "A2", children: ["h", "A6"], reason: "two things" }]);
});

test("SPEC 7: a split that cannot be is refused with the reason", () => {
  const child = [{ description: "x" }];
  const refusals: readonly (readonly [ReturnType<typeof decompose>, RegExp])[] = [
    [decompose(base, "A9", child, { reason: "", now: NOW }), /no atom A9/],
    [decompose(base, "R", child, { reason: "", now: NOW }), /R is already resolved/],
    [decompose(base, "A2", [], { reason: "", now: NOW }), /into nothing/],
    [
      decompose(stateOf({ atoms: [{ id: "P" }, { id: "c" }], splits: [["P", ["c"]]] }), "P", child, {
        reason: "",
        now: NOW,
      }),
      /P is already decomposed/,
    ],
    [
      decompose(base, "A2", [{ description: "x", depends_on: ["ghost"] }], { reason: "", now: NOW }),
      /depends on ghost/,
    ],
    [decompose(base, "A2", [{ description: "x", depends_on: ["A5"] }], { reason: "", now: NOW }), /cycle/],
    [
      decompose(
        base,
        "A2",
        [
          { id: "a", description: "x", depends_on: ["b"] },
          { id: "b", description: "y", depends_on: ["a"] },
        ],
        { reason: "", now: NOW },
      ),
      /cycle/,
    ],
    [decompose(base, "A2", [{ description: "x", depends_on: ["A2"] }], { reason: "", now: NOW }), /cycle/],
  ];
  for (const [refusal, words] of refusals) {
    expect(refusal.ok).toBe(false);
    if (!refusal.ok) {
      expect(refusal.problems[0]?.message).toMatch(words);
      expect(refusal.problems[0]?.hint).toMatch(/\S/);
    }
  }
});

test("SPEC 7: ids that are taken are given anew, and siblings still find each other", () => {
  const added = addAtoms(
    base,
    [
      { id: "A1", description: "x" },
      { id: "A1", description: "y" },
      { id: "z", description: "z", depends_on: ["A1", "R"] },
    ],
    "",
    NOW,
  );
  if (!added.ok) throw new Error(added.problems[0]?.message);
  expect(added.value.ids).toEqual(["A6", "A7", "z"]);
  expect(added.value.state.atoms.at(-1)?.depends_on).toEqual(["A6", "R"]);
});

test("law: whatever is proposed, the answer is a valid state with one new id for each, or a refusal", () => {
  const proposal = fc.record(
    {
      id: fc.constantFrom("A1", "A2", "n", ""),
      description: fc.string(),
      depends_on: fc.array(fc.constantFrom("A1", "n", "ghost"), { maxLength: 2 }),
      or_group: fc.constantFrom("g0", "g1", "new"),
      probe: fc.boolean(),
    },
    { requiredKeys: ["description"] },
  );
  fc.assert(
    fc.property(
      anyState(6),
      fc.array(proposal, { maxLength: 4 }),
      fc.constantFrom("A1", "A2", null),
      (state, proposals, parent) => {
        const added =
          parent === null
            ? addAtoms(state, proposals, "", NOW)
            : decompose(state, parent, proposals, { reason: "", now: NOW });
        if (!added.ok) {
          expect(added.problems).not.toEqual([]);
          return;
        }
        expect(checkInvariants(added.value.state)).toEqual([]);
        expect(new Set(added.value.ids).size).toBe(proposals.length);
        const known = new Set(state.atoms.map((atom) => atom.id));
        for (const id of added.value.ids) expect(known.has(id)).toBe(false);
        // Groups that were there keep their choices; each new one is among the proposals alone, and reported in the trail.
        const before = state.or_groups;
        const after = added.value.state.or_groups;
        expect(after.slice(0, before.length)).toEqual(before);
        for (const group of after.slice(before.length))
          expect(group.choices.every((choice) => added.value.ids.includes(choice))).toBe(true);
        expect(added.value.state.trail.slice(state.trail.length)).toEqual(
          after.slice(before.length).map(({ name, choices, selected }) => ({
            or_group: name,
            selected,
            reason: `the first of ${choices.join(", ")}: `,
            timestamp: NOW,
          })),
        );
        // SPEC 3: all that is proposed counts until a group is resolved; a container counts no more.
        const grown = measureOf(added.value.state, graphOf(added.value.state)) - measureOf(state, graphOf(state));
        if (parent === null) expect(grown).toBe(proposals.length);
      },
    ),
    { numRuns: 500 },
  );
});

test("SPEC 6: an atom that is for protected files alone is not taken up; one that may also change others is", () => {
  const state = { ...base, objective: { ...base.objective, protected: ["tests/**", "./judge.mjs", "*.lock"] } };
  const touching = (...touches: string[]): boolean => addAtoms(state, [{ description: "x", touches }], "", NOW).ok;
  for (const touch of ["tests/**", "tests/a.ts", "./tests/deep/*.ts", "judge.mjs", "./judge.mjs", "*.lock"])
    expect(touching("src/a.ts", touch), touch).toBe(false);
  for (const touch of ["**/*.ts", "src/tests/a.ts", "tests/../src/a.ts", "testsuite/a.ts", "judge.ts", "*.mjs"])
    expect(touching(touch), touch).toBe(true);
  expect(addAtoms(base, [{ description: "x", touches: ["tests/a.ts"] }], "", NOW).ok).toBe(true);
  const split = decompose(state, "A2", [{ description: "x", touches: ["src/a.ts"] }], { reason: "r", now: NOW });
  expect(split.ok && split.value.state.atoms.at(-1)).toMatchObject({ touches: ["src/a.ts"] });
});

test("SPEC 7: alternatives of a plan are an OR group: the first is selected, the trail tells it, only that one is executable", () => {
  const proposals = [
    { id: "quick", description: "patch", or_group: "way" },
    { id: "slow", description: "rewrite", or_group: "way", probe: true },
    { id: "after", description: "docs", depends_on: ["slow"] },
  ];
  const added = addAtoms(stateOf({ atoms: [{ id: "R", status: "resolved" }] }), proposals, "two ways", NOW);
  if (!added.ok) throw new Error(added.problems[0]?.message);
  const { state } = added.value;
  expect(state.or_groups).toEqual([{ name: "way", choices: ["quick", "slow"], selected: "quick", failed: [] }]);
  expect(state.trail).toEqual([
    { or_group: "way", selected: "quick", reason: "the first of quick, slow: two ways", timestamp: NOW },
  ]);
  const graph = graphOf(state);
  expect(executableOf(state, graph).map((index) => graph.ids[index])).toEqual(["quick"]);
  expect(state.atoms.find(({ id }) => id === "slow")).toMatchObject({ or_group: "way", probe: true });
  expect(measureOf(state, graph)).toBe(3);
});

test("SPEC 7: a group whose name is taken gets another one; alternatives of a split are below its container", () => {
  const state = stateOf({ atoms: [{ id: "P" }, { id: "x" }], groups: [{ name: "way", choices: ["x"] }] });
  const children = ["a", "b"].map((id) => ({ id, description: id, or_group: "way" }));
  const split = decompose(state, "P", children, { reason: "unsure", now: NOW });
  if (!split.ok) throw new Error(split.problems[0]?.message);
  const { or_groups, decompositions } = split.value.state;
  expect(or_groups).toEqual([
    { name: "way", choices: ["x"], selected: "x", failed: [] },
    { name: "way_2", choices: ["a", "b"], selected: "a", failed: [] },
  ]);
  expect(decompositions).toEqual([{ parent: "P", children: ["a", "b"], reason: "unsure" }]);
});
