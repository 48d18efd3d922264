/** A restart works what people made of the graph, and nothing that a loop added (SPEC sections 6 and 7). */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { alignedGraph, createGrowth, type Growth } from "../../src/core/aligned-graph.ts";
import { applyRedirect } from "../../src/core/apply-redirect.ts";
import { checkInvariants } from "../../src/core/invariants.ts";
import type { JournalLine } from "../../src/core/journal.ts";
import { restarted } from "../../src/core/operations.ts";
import type { State } from "../../src/core/state.ts";
import { anyState, NOW, stateOf } from "../support/loops.ts";
import { walk } from "../support/walk.ts";

const HAND = "by hand";

function growthOf(lines: readonly object[]): Growth {
  const fold = createGrowth();
  for (const line of lines) fold.read(JSON.parse(JSON.stringify(line)) as JournalLine);
  return fold.now();
}
const ids = (state: State): string[] => state.atoms.map(({ id }) => id);
/** All that a person settles of a graph. */
const graph = ({ atoms, or_groups, decompositions }: State): object => ({
  atoms: atoms.map(({ id, description, depends_on, or_group }) => ({ id, description, depends_on, or_group })),
  or_groups: or_groups.map(({ name, choices }) => ({ name, choices })),
  decompositions,
});

test("law: whatever a run did, splits and plans, a restart begins from the graph that was aligned", () => {
  let grew = 0;
  const rolls = fc.array(fc.nat(10_000), { minLength: 20, maxLength: 200 });
  fc.assert(
    fc.property(anyState(6, { max_iterations: 6 }), rolls, (state, dice) => {
      const { loop, lines } = walk(state, dice, { crashes: true, stops: true, resumes: 1 });
      const { state: again, removed } = alignedGraph(restarted(loop.state), growthOf(lines));
      grew += removed.length;
      expect(graph(again)).toEqual(graph(state));
      expect(checkInvariants(again)).toEqual([]);
      expect(removed).toEqual(ids(loop.state).filter((id) => !ids(state).includes(id)));
    }),
    { numRuns: 500 },
  );
  expect(grew).toBeGreaterThan(100);
});

const PLAN = { event: "atoms_added", run: "r1", atoms: [{ id: "A2", description: "planned" }] };
const REDIRECTED = { event: "redirected", run: HAND, description: "" };

test("what a person added to what the loop added stays, without it; an atom of the same name that a person made is theirs", () => {
  const state = stateOf({ atoms: [{ id: "A1" }, { id: "A2", description: "planned" }] });
  const added = applyRedirect(
    state,
    { kind: "add", id: "mine", description: "", depends_on: ["A1", "A2"], reason: "" },
    NOW,
  );
  if (!added.ok) throw new Error("refused");
  const { state: again, removed } = alignedGraph(added.value.state, growthOf([PLAN]));
  expect(removed).toEqual(["A2"]);
  expect(again.atoms).toMatchObject([{ id: "A1" }, { id: "mine", depends_on: ["A1"] }]);
  const own = stateOf({ atoms: [{ id: "A1" }, { id: "A2", description: "mine" }] });
  expect(alignedGraph(own, growthOf([PLAN])).removed).toEqual([]);
});

test("a split by hand stays; one by a worker goes, with what is below it, but for a person's alternative", () => {
  const split = { event: "atom_decomposed", atom: "P", children: ["a", "b"] };
  const state = stateOf({
    atoms: [{ id: "P" }, { id: "a" }, { id: "b" }, { id: "c" }, { id: "mine" }],
    groups: [{ name: "g", choices: ["b", "mine"] }],
    splits: [
      ["P", ["a", "b", "mine"]],
      ["a", ["c"]],
    ],
  });
  expect(alignedGraph(state, growthOf([{ ...split, run: HAND }])).removed).toEqual([]);
  const { state: again, removed } = alignedGraph(state, growthOf([{ ...split, run: "r1" }]));
  expect([removed, ids(again), again.decompositions]).toEqual([["a", "b", "c"], ["P", "mine"], []]);
  expect(again.or_groups).toMatchObject([{ choices: ["mine"], selected: "mine" }]);
  expect(checkInvariants(again)).toEqual([]);
});

test("a choice that a person forced stays forced; one that a failure led to does not", () => {
  const worn = stateOf({
    atoms: ["x", "y", "u", "v"].map((id) => ({ id })),
    groups: [
      { name: "g", choices: ["x", "y"], selected: "y" },
      { name: "h", choices: ["u", "v"], selected: "v", failed: ["u"] },
    ],
  });
  const chosen = (or_group: string, choice: string): object => ({
    event: "choice_selected",
    run: "r1",
    or_group,
    choice,
  });
  // A line of a later version comes between.
  const growth = growthOf([chosen("h", "v"), REDIRECTED, { event: "later" }, chosen("g", "y")]);
  const { state } = alignedGraph(restarted(worn), growth);
  expect(state.or_groups).toMatchObject([{ selected: "y" }, { selected: "u" }]);
});

test("what an earlier goal's runs added says nothing about this one", () => {
  const state = stateOf({ atoms: [{ id: "A1" }, { id: "A2", description: "planned" }] });
  expect(alignedGraph(state, growthOf([PLAN, { event: "aligned", run: HAND }])).removed).toEqual([]);
});
