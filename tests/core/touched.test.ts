/** What a redirect interrupts (SPEC section 8), of any state running. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { applyRedirect, type Redirected } from "../../src/core/apply-redirect.ts";
import { isExecutable, isGroupResolved } from "../../src/core/fate.ts";
import { graphOf, indexIn, subtreeOf, transitiveDependants, type Graph } from "../../src/core/graph.ts";
import type { Redirect } from "../../src/core/redirect.ts";
import type { State } from "../../src/core/state.ts";
import { executableOf, settleContainers } from "../../src/core/view.ts";
import { at } from "../../src/core/vec.ts";
import { anyState, NOW, stateOf } from "../support/loops.ts";

const reason = "";

/** A loop of which some atoms are done as they may be, and of those that may run then some are running. */
const atWork = fc.tuple(anyState(7), fc.array(fc.nat(99), { minLength: 7, maxLength: 20 })).map(([state, dice]) => {
  let here = settleContainers(state).board.state;
  const mark = (share: number, status: "resolved" | "in_progress"): void => {
    for (const index of executableOf(here, graphOf(here))) {
      if ((dice[index % dice.length] ?? 0) >= share) continue;
      const atoms = here.atoms.map((atom, place) => (place === index ? { ...atom, status } : atom));
      here = { ...here, atoms };
    }
    here = settleContainers(here).board.state;
  };
  mark(50, "resolved");
  mark(50, "resolved");
  mark(80, "in_progress");
  return here;
});
const running = (state: State): string[] =>
  state.atoms.flatMap(({ id, status }) => (status === "in_progress" ? [id] : []));

const isLost = (state: State, graph: Graph, id: string): boolean => {
  const group = graph.groupOf[indexIn(graph, id)] ?? -1;
  return group >= 0 && isGroupResolved(state, graph, group) && at(state.or_groups, group).selected !== id;
};

function redirectsOf(state: State): readonly Redirect[] {
  const ids = state.atoms.map(({ id }) => id);
  const groups = state.or_groups;
  return [
    { kind: "set", field: "goal", value: "another", reason },
    { kind: "limit", constraint: "max_parallel_agents", value: 1, reason },
    { kind: "add", id: "new", description: "", depends_on: ids.slice(0, 1), reason },
    ...groups.map(({ name }): Redirect => ({
      kind: "add",
      id: "new",
      description: "",
      depends_on: [],
      or_group: name,
      reason,
    })),
    ...ids.map((id): Redirect => ({ kind: "remove", id, reason })),
    ...ids.map((id): Redirect => ({ kind: "rebind", id, binding: { summary: "", artifacts: [] }, reason })),
    ...groups.flatMap(({ name, choices }) =>
      choices.map((atom): Redirect => ({ kind: "choose", group: name, atom, reason })),
    ),
  ];
}

function eachRedirect(look: (state: State, redirect: Redirect, done: Redirected) => void): void {
  let reported = 0;
  fc.assert(
    fc.property(atWork, (state) => {
      for (const redirect of redirectsOf(state)) {
        const done = applyRedirect(state, redirect, NOW);
        if (!done.ok) continue;
        reported += done.value.touched.atoms.length;
        look(state, redirect, done.value);
      }
    }),
    { numRuns: 500 },
  );
  expect(reported, "some were touched").toBeGreaterThan(100);
}

test("SPEC 8, TOUCHED-1: what is not touched is what it was and may go on; what is touched is open again or gone", () => {
  eachRedirect((before, _, { state, touched }) => {
    const graph = graphOf(state);
    const was = new Map(before.atoms.map((atom) => [atom.id, atom]));
    expect(running(before)).toEqual(expect.arrayContaining([...touched.atoms]));
    for (const id of running(before)) {
      const index = graph.indexOf.get(id);
      const atom = index === undefined ? undefined : at(state.atoms, index);
      if (touched.atoms.includes(id)) expect([undefined, "pending"]).toContain(atom?.status);
      else {
        expect(atom).toBe(was.get(id));
        // As if it were to begin now.
        const opened = state.atoms.map((one) => (one.id === id ? { ...one, status: "pending" as const } : one));
        expect(isExecutable({ ...state, atoms: opened }, graph, index ?? -1)).toBe(true);
      }
    }
  });
});

test("SPEC 8, TOUCHED-1: whom each redirect touches", () => {
  eachRedirect((before, redirect, { state, touched: { atoms, check, plan } }) => {
    const graph = graphOf(before);
    switch (redirect.kind) {
      case "set":
        return expect([atoms, check, plan]).toEqual([running(before), true, true]);
      case "limit":
        return expect([atoms, check, plan]).toEqual([[], false, false]);
      case "add":
        return expect([atoms, plan]).toEqual([[], false]);
      case "remove":
        // The last open part of a container may settle a race.
        for (const id of atoms) if (id !== redirect.id) expect(isLost(state, graphOf(state), id)).toBe(true);
        return expect(atoms.includes(redirect.id)).toBe(running(before).includes(redirect.id));
      case "rebind": {
        const waiting = transitiveDependants(graph, [indexIn(graph, redirect.id)]);
        return expect(atoms).toEqual(running(before).filter((id) => waiting.has(indexIn(graph, id))));
      }
      case "choose": {
        // Of two groups that wait for each other, the chosen one waits for the former, too: then it begins again.
        const { selected } = at(before.or_groups, graph.groupIndexOf.get(redirect.group) ?? -1);
        const waiting = transitiveDependants(graph, subtreeOf(graph, indexIn(graph, selected)));
        return expect(atoms.includes(redirect.atom) && !waiting.has(indexIn(graph, redirect.atom))).toBe(false);
      }
    }
  });
});

test("SPEC 8, TOUCHED-1: another done of an atom ends its attempt; what says how it is tried does not", () => {
  const state = stateOf({ atoms: [{ id: "a", status: "in_progress" }] });
  const ended = (change: Partial<Extract<Redirect, { kind: "change" }>>): readonly string[] | null => {
    const done = applyRedirect(state, { kind: "change", id: "a", reason, ...change }, NOW);
    return done.ok ? done.value.touched.atoms : null;
  };
  expect(ended({ criteria: "it works" })).toEqual(["a"]);
  expect(ended({ criteria: "" })).toEqual([]);
  expect(ended({ probe: true, touches: ["src/**"] })).toEqual([]);
});
