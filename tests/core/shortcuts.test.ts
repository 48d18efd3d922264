/** What is computed the short way is what the long way gives. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { isCounted, isExecutable } from "../../src/core/fate.ts";
import { buildGraph, graphOf } from "../../src/core/graph.ts";
import { checkChange, checkInvariants } from "../../src/core/invariants.ts";
import type { Atom, State } from "../../src/core/state.ts";
import { executableOf, measureOf, settleContainers } from "../../src/core/view.ts";
import { withAt } from "../../src/core/vec.ts";
import { anyState } from "../support/loops.ts";

/** A graph of its own, of which nobody knows anything yet. */
const freshGraph = (state: State) => buildGraph(state.atoms, state.decompositions, state.or_groups);
/** The state in other objects: nothing that was remembered of it helps. */
const copied = (state: State): State => ({ ...state, atoms: state.atoms.map((atom) => ({ ...atom })) });

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
          const before = after.atoms[index] as Atom;
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
  expect(wrong).toBeGreaterThan(300);
});

test("SPEC 3: executable atoms and M are what each atom's own definition says", () => {
  fc.assert(
    fc.property(fc.oneof(anyState(9), anyState(30)), fc.array(fc.nat(2), { maxLength: 30 }), (drawn, statuses) => {
      const atoms = drawn.atoms.map((atom, index): Atom => {
        const status = (["pending", "in_progress", "resolved"] as const)[statuses[index] ?? 0] ?? "pending";
        return { ...atom, status };
      });
      const { state } = settleContainers({ ...drawn, atoms: atoms }).board;
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
