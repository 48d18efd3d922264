import * as fc from "fast-check";
import { expect, test } from "vitest";
import { failAtom, giveUp, reopenAtom, type Change } from "../../src/core/backtrack.ts";
import { exhaustedGroups, isExecutable } from "../../src/core/fate.ts";
import { graphOf, indexIn, subtreeOf } from "../../src/core/graph.ts";
import { checkInvariants } from "../../src/core/invariants.ts";
import type { State } from "../../src/core/state.ts";
import { settleContainers, viewOf } from "../../src/core/view.ts";
import { at } from "../../src/core/vec.ts";
import { anyState, NOW, stateOf, type Sketch } from "../support/loops.ts";

const BLAME = { reason: "red", retry: false, spent: false };
const fail = (state: State, id: string, how: Partial<typeof BLAME> = {}): Change => {
  const graph = graphOf(state);
  return failAtom(state, graph, indexIn(graph, id), { ...BLAME, ...how, now: NOW });
};
const groupOf = (state: State, name: string) => state.or_groups.find((group) => group.name === name);
const exhausted = (state: State): readonly string[] => exhaustedGroups(state, graphOf(state));
const facts = (change: Change): string[] => change.facts.map((fact) => fact.fact);

const DONE = { status: "resolved", binding: { summary: "done", artifacts: [] } } as const;

/** An outer group of two, of which the first holds an inner group of two beside a plain atom. */
const NESTED: Sketch = {
  atoms: [
    { id: "O1" },
    { id: "O2" },
    { id: "plain", ...DONE },
    { id: "i1", status: "in_progress" },
    { id: "i2" },
    { id: "far", ...DONE },
  ],
  groups: [
    { name: "outer", choices: ["O1", "O2"] },
    { name: "inner", choices: ["i1", "i2"] },
  ],
  splits: [["O1", ["plain", "i1", "i2"]]],
};

test("SPEC 7: outside a group a failure puts the atom back, without its binding", () => {
  const change = fail(
    stateOf({
      atoms: [
        { id: "A1", status: "in_progress" },
        { id: "A2", ...DONE },
      ],
    }),
    "A1",
  );
  expect(change.state.atoms.map((atom) => atom.status)).toEqual(["pending", "resolved"]);
  expect([change.facts, change.reset, change.revert]).toEqual([[], [], []]);
});

test("SPEC 7, BACKTRACK-1 BACKTRACK-2: a failed choice goes to failed, the first that has not failed takes over, the trail says so", () => {
  const state = stateOf({
    atoms: [{ id: "A4", status: "in_progress" }, { id: "A4_alt" }, { id: "A4_third" }],
    groups: [{ name: "g", choices: ["A4", "A4_alt", "A4_third"] }],
  });
  const change = fail(state, "A4");
  expect(groupOf(change.state, "g")).toMatchObject({ selected: "A4_alt", failed: ["A4"] });
  expect(change.state.trail).toEqual([{ or_group: "g", selected: "A4_alt", reason: "A4 failed: red", timestamp: NOW }]);
  expect(facts(change)).toEqual(["choice_given_up", "choice_selected"]);
  expect(change.revert).toEqual(["A4"]);
  expect(at(change.state.atoms, 0).status).toBe("pending");
});

test("SPEC 7, BACKTRACK-3: the loop backs out of an exhausted group to the nearest with an alternative, clearing all below", () => {
  const first = fail(stateOf(NESTED), "i1");
  expect(groupOf(first.state, "inner")).toMatchObject({ selected: "i2", failed: ["i1"] });
  expect(groupOf(first.state, "outer")).toMatchObject({ selected: "O1", failed: [] });
  const second = fail(first.state, "i2");
  expect(facts(second)).toEqual(["choice_given_up", "group_exhausted", "choice_given_up", "choice_selected"]);
  expect(groupOf(second.state, "outer")).toMatchObject({ selected: "O2", failed: ["O1"] });
  expect(new Set(second.revert)).toEqual(new Set(["i2", "O1", "plain", "i1"]));
  const byId = new Map(second.state.atoms.map((atom) => [atom.id, atom]));
  expect(byId.get("plain")).toEqual({ id: "plain", description: "do plain", status: "pending", depends_on: [] });
  // Other atoms' work stays.
  expect(byId.get("far")?.status).toBe("resolved");
  // A group below something given up starts afresh, and the trail tells of it before the switch above.
  expect(groupOf(second.state, "inner")).toMatchObject({ selected: "i1", failed: [] });
  expect(second.state.trail.map((entry) => ("or_group" in entry ? [entry.or_group, entry.selected] : []))).toEqual([
    ["inner", "i2"],
    ["inner", "i1"],
    ["outer", "O2"],
  ]);
  expect(second.state.trail[1]).toMatchObject({ reason: "starts afresh: O1 was given up" });
  expect(exhausted(second.state)).toEqual([]);
});

test("SPEC 7, BACKTRACK-3: if no group above has an alternative, nothing above is marked and the group is named exhausted", () => {
  const state = stateOf({
    ...NESTED,
    groups: [
      { name: "outer", choices: ["O1", "O2"], failed: ["O2"] },
      { name: "inner", choices: ["i1", "i2"], failed: ["i2"] },
    ],
  });
  const change = fail(state, "i1");
  expect(facts(change)).toEqual(["choice_given_up", "group_exhausted"]);
  expect(groupOf(change.state, "outer")).toMatchObject({ selected: "O1", failed: ["O2"] });
  expect(exhausted(change.state)).toEqual(["inner"]);
  expect(checkInvariants(change.state)).toEqual([]);
});

test("SPEC 7: a merge conflict retries the choice; with its attempts spent it gives it up", () => {
  const state = stateOf({
    atoms: [{ id: "A", status: "in_progress" }, { id: "B" }],
    groups: [{ name: "g", choices: ["A", "B"] }],
  });
  expect(groupOf(fail(state, "A", { retry: true }).state, "g")).toMatchObject({ selected: "A", failed: [] });
  expect(groupOf(fail(state, "A", { retry: true, spent: true }).state, "g")).toMatchObject({
    selected: "B",
    failed: ["A"],
  });
});

test("SPEC 7: an atom below a choice is tried again; with its attempts spent it gives up that choice", () => {
  const once = fail(stateOf(NESTED), "plain");
  expect(once.facts).toEqual([]);
  const spent = fail(stateOf(NESTED), "plain", { spent: true });
  expect(groupOf(spent.state, "outer")).toMatchObject({ selected: "O2", failed: ["O1"] });
  expect(spent.state.trail.at(-1)).toMatchObject({ reason: "O1 failed: plain spent its attempts: red" });
});

test("SPEC 7: a racing choice that fails is recorded and the selection stays", () => {
  const state = stateOf({
    atoms: [
      { id: "A", status: "in_progress" },
      { id: "B", status: "in_progress" },
    ],
    groups: [{ name: "g", choices: ["A", "B"], speculative: true }],
  });
  const change = fail(state, "B");
  expect(groupOf(change.state, "g")).toMatchObject({ selected: "A", failed: ["B"] });
  expect(change.state.trail).toEqual([]);
});

test("SPEC 3, 7: giving up lowers M, leaves a valid state, and the alternative can be reached", () => {
  let given = 0;
  fc.assert(
    fc.property(anyState(9), fc.array(fc.nat(20), { minLength: 1, maxLength: 9 }), (start, picks) => {
      let state = settleContainers(start).board.state;
      for (const pick of picks) {
        const graph = graphOf(state);
        const live = graph.ids.map((_, index) => index).filter((index) => isExecutable(state, graph, index));
        const index = live[pick % Math.max(1, live.length)];
        if (index === undefined) return;
        const before = viewOf(state, graph).measure;
        const change = failAtom(state, graph, index, { ...BLAME, spent: pick % 3 === 0, now: NOW });
        expect(checkInvariants(change.state)).toEqual([]);
        const measures = change.facts.flatMap((fact) => (fact.fact === "choice_given_up" ? [fact.measure] : []));
        if (measures.length > 0) {
          given++;
          expect(viewOf(change.state, graph).measure).toBeLessThan(before);
          expect([...measures].toSorted((a, b) => b - a)).toEqual(measures);
        } else expect(viewOf(change.state, graph).measure).toBe(before);
        // BACKTRACK-1: a switch is reported by the last entry of the trail for its group.
        change.state.or_groups.forEach((group, place) => {
          if (group.selected === at(state.or_groups, place).selected) return;
          const reported = change.state.trail.findLast((entry) => "or_group" in entry && entry.or_group === group.name);
          expect(reported).toMatchObject({ selected: group.selected });
        });
        // BACKTRACK-2: nothing of what was given up stays.
        for (const place of change.reset) {
          expect(at(change.state.atoms, place).status).toBe("pending");
          expect(at(change.state.atoms, place).binding).toBeUndefined();
        }
        state = change.state;
      }
    }),
    { numRuns: 1_000 },
  );
  expect(given).toBeGreaterThan(200);
});

test("SPEC 7: giving up twice changes nothing more", () => {
  const graph = graphOf(stateOf(NESTED));
  const once = giveUp(stateOf(NESTED), graph, indexIn(graph, "O1"), { reason: "red", now: NOW });
  const twice = giveUp(once.state, graph, indexIn(graph, "O1"), { reason: "red", now: NOW });
  expect(twice.state.or_groups).toEqual(once.state.or_groups);
});

test("SPEC 7: an atom whose work is gone is pending again, and so are the containers above it", () => {
  const state = stateOf({
    atoms: [
      { id: "P", ...DONE },
      { id: "Q", ...DONE },
      { id: "q", ...DONE },
      { id: "p", ...DONE },
    ],
    splits: [
      ["P", ["Q", "p"]],
      ["Q", ["q"]],
    ],
  });
  const graph = graphOf(state);
  const open = reopenAtom(state, graph, indexIn(graph, "q"));
  expect(open.atoms.map((atom) => [atom.id, atom.status, atom.binding?.summary])).toEqual([
    ["P", "pending", undefined],
    ["Q", "pending", undefined],
    ["q", "pending", undefined],
    ["p", "resolved", "done"],
  ]);
  expect(subtreeOf(graph, 0)).toHaveLength(4);
});
