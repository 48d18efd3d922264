/** What is computed the short way is what the long way gives. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { isCounted, isExecutable } from "../../src/core/fate.ts";
import { buildGraph, graphOf } from "../../src/core/graph.ts";
import { findCycle, isAcyclic } from "../../src/core/cycle.ts";
import { checkChange, checkInvariants } from "../../src/core/invariants.ts";
import { inOrder, ranksOf } from "../../src/core/order.ts";
import type { Atom, State } from "../../src/core/state.ts";
import { executableOf, measureOf, settleContainers } from "../../src/core/view.ts";
import { toArray, vecOf, withAt } from "../../src/core/vec.ts";
import { anyState, stateOf } from "../support/loops.ts";
import { SHARE } from "../support/share.ts";

/** A graph of its own, of which nobody knows anything yet. */
const freshGraph = (state: State) => buildGraph(toArray(state.atoms), state.decompositions, toArray(state.or_groups));
/** The state in other objects: nothing that was remembered of it helps. */
const copied = (state: State): State => ({ ...state, atoms: vecOf(toArray(state.atoms).map((atom) => ({ ...atom }))) });

/** Plain graphs and others, with dependencies in any direction: many of them have cycles. */
const wild = fc
  .record({
    size: fc.integer({ min: 1, max: 8 }),
    edges: fc.array(fc.tuple(fc.nat(7), fc.nat(7)), { maxLength: 10 }),
    split: fc.option(fc.tuple(fc.nat(7), fc.uniqueArray(fc.nat(7), { minLength: 1, maxLength: 3 })), {
      nil: undefined,
    }),
    group: fc.option(fc.uniqueArray(fc.nat(7), { minLength: 1, maxLength: 3 }), { nil: undefined }),
  })
  .map(({ size, edges, split, group }) => {
    const name = (index: number): string => `A${index % size}`;
    const names = (indices: readonly number[]): string[] => [...new Set(indices.map(name))];
    return stateOf({
      atoms: Array.from({ length: size }, (_, index) => ({
        id: name(index),
        depends_on: edges.filter(([from]) => from % size === index).map(([, to]) => name(to)),
      })),
      splits: split === undefined ? [] : [[name(split[0]), names(split[1])]],
      groups: group === undefined ? [] : [{ name: "g", choices: names(group) }],
    });
  });

const someStates = fc.oneof(anyState(9), anyState(30), wild);

test("SPEC 2: a graph is called acyclic exactly when no cycle is found in it", () => {
  let cyclic = 0;
  fc.assert(
    fc.property(someStates, (state) => {
      // Where an atom has two parents or an id two atoms, other problems are reported, whatever the cycles.
      if (checkInvariants(state).some(({ code }) => code !== "cycle")) return;
      const graph = freshGraph(state);
      if (findCycle(graph) !== null) cyclic++;
      expect(isAcyclic(graph)).toBe(findCycle(graph) === null);
    }),
    { numRuns: 3_000 },
  );
  expect(cyclic).toBeGreaterThan(50 * SHARE);
});

test("SPEC 2: a change of a valid state is judged as the whole state would be", () => {
  const change = fc.record({
    at: fc.nat(40),
    status: fc.constantFrom("pending" as const, "in_progress" as const, "resolved" as const),
    bound: fc.boolean(),
    depends: fc.option(fc.nat(40), { nil: undefined }),
    id: fc.option(fc.nat(40), { nil: undefined }),
    group: fc.option(fc.constantFrom("g0", "g9"), { nil: undefined }),
  });
  let wrong = 0;
  fc.assert(
    fc.property(
      fc.oneof(anyState(9), anyState(30)),
      fc.array(change, { minLength: 1, maxLength: 3 }),
      (state, changes) => {
        let after = state;
        for (const { at, status, bound, depends, id, group } of changes) {
          const index = at % state.atoms.length;
          const before = toArray(after.atoms)[index] as Atom;
          const next: Atom = {
            ...before,
            status,
            ...(bound ? { binding: { summary: "done", artifacts: [] } } : {}),
            ...(depends === undefined ? {} : { depends_on: [...before.depends_on, `A${depends}`] }),
            ...(id === undefined ? {} : { id: `A${id}` }),
            ...(group === undefined ? {} : { or_group: group }),
          };
          after = { ...after, atoms: withAt(after.atoms, index, next) };
        }
        graphOf(state);
        const whole = checkInvariants(copied(after));
        if (whole.length > 0) wrong++;
        expect(checkChange(state, after)).toEqual(whole);
        expect(graphOf(after)).toEqual(freshGraph(after));
      },
    ),
    { numRuns: 2_000 },
  );
  expect(wrong).toBeGreaterThan(300 * SHARE);
});

test("SPEC 3: executable atoms and M are what each atom's own definition says, in plain graphs too", () => {
  fc.assert(
    fc.property(fc.oneof(anyState(9), anyState(30)), fc.array(fc.nat(2), { maxLength: 30 }), (drawn, statuses) => {
      const atoms = toArray(drawn.atoms).map((atom, index): Atom => {
        const status = (["pending", "in_progress", "resolved"] as const)[statuses[index] ?? 0] ?? "pending";
        return { ...atom, status };
      });
      const { state } = settleContainers({ ...drawn, atoms: vecOf(atoms) }).board;
      const graph = freshGraph(state);
      const all = graph.ids.map((_, index) => index);
      expect(executableOf(state, graph).toSorted((a, b) => a - b)).toEqual(
        all.filter((index) => isExecutable(state, graph, index)),
      );
      expect(measureOf(state, graph)).toBe(all.filter((index) => isCounted(state, graph, index)).length);
    }),
    { numRuns: 1_000 },
  );
});

test("SPEC 3, order: a few atoms are in the order in which all of them do", () => {
  fc.assert(
    fc.property(someStates, fc.array(fc.nat(29), { maxLength: 12 }), (state, drawn) => {
      if (checkInvariants(state).length > 0) return;
      const size = state.atoms.length;
      const some = [...new Set(drawn.map((index) => index % size))];
      const ranks = ranksOf(freshGraph(state));
      expect(inOrder(freshGraph(state), some)).toEqual(some.toSorted((a, b) => (ranks[a] ?? 0) - (ranks[b] ?? 0)));
    }),
    { numRuns: 2_000 },
  );
});

test("SPEC 3, order: also of more atoms than one pass counts", () => {
  const front = 2_000;
  const atoms = Array.from({ length: 3 * front }, (_, index) => ({
    id: `A${index}`,
    depends_on: index < front ? [] : [`A${index - front}`, `A${index === front ? 0 : index - 1}`],
  }));
  const state = stateOf({ atoms });
  const first = Array.from({ length: front }, (_, index) => index);
  const ranks = ranksOf(freshGraph(state));
  expect(inOrder(freshGraph(state), first)).toEqual(first.toSorted((a, b) => (ranks[a] ?? 0) - (ranks[b] ?? 0)));
});
