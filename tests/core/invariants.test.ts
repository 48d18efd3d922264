import * as fc from "fast-check";
import { expect, test } from "vitest";
import { graphOf, subtreeOf } from "../../src/core/graph.ts";
import { checkInvariants, findCycle } from "../../src/core/invariants.ts";
import { distance } from "../../src/core/nearest.ts";
import type { Atom, State } from "../../src/core/state.ts";
import { anyState, stateOf, type Sketch } from "../support/loops.ts";

const problemsOf = (sketch: Sketch): (readonly [string, string])[] =>
  checkInvariants(stateOf(sketch)).map((problem) => [problem.code, (problem.path ?? []).join(".")] as const);

const BREACHES: readonly (readonly [string, Sketch, readonly (readonly [string, string])[], readonly string[]])[] = [
  ["no atom", { atoms: [] }, [["no_atoms", "atoms"]], []],
  ["an id used twice", { atoms: [{ id: "A1" }, { id: "A1" }] }, [["duplicate_id", "atoms.1.id"]], ["A1"]],
  [
    "a dependency on nothing",
    { atoms: [{ id: "A1", depends_on: ["A9"] }] },
    [["unknown_atom", "atoms.0.depends_on.0"]],
    ["A1", "A9"],
  ],
  [
    "a group that is not there",
    { atoms: [{ id: "A1", or_group: "g" }] },
    [["unknown_group", "atoms.0.or_group"]],
    ["A1", "g"],
  ],
  [
    "a group that does not know its choice",
    { atoms: [{ id: "A1" }, { id: "A2", or_group: "g" }], groups: [{ name: "g", choices: ["A1"] }] },
    [["foreign_choice", "atoms.1.or_group"]],
    ["A2", "g"],
  ],
  [
    "a choice that names another group",
    {
      atoms: [{ id: "A1", or_group: "h" }, { id: "A2" }],
      groups: [
        { name: "g", choices: ["A2", "A1"] },
        { name: "h", choices: ["A1"] },
      ],
    },
    [["foreign_choice", "or_groups.g.choices.1"]],
    ["A1", "g", "h"],
  ],
  [
    "a choice that is not there",
    { atoms: [{ id: "A1" }], groups: [{ name: "g", choices: ["A1", "A9"] }] },
    [["unknown_atom", "or_groups.g.choices.1"]],
    ["A9", "g"],
  ],
  [
    "a group of nothing",
    { atoms: [{ id: "A1" }], groups: [{ name: "g", choices: [] }] },
    [["empty_list", "or_groups.g.choices"]],
    ["g"],
  ],
  [
    "a choice named twice",
    { atoms: [{ id: "A1" }], groups: [{ name: "g", choices: ["A1", "A1"] }] },
    [["duplicate_id", "or_groups.g.choices.1"]],
    ["A1", "g"],
  ],
  [
    "a selection from outside",
    { atoms: [{ id: "A1" }, { id: "A2" }], groups: [{ name: "g", choices: ["A1"], selected: "A2" }] },
    [["selected_not_a_choice", "or_groups.g.selected"]],
    ["A2", "g"],
  ],
  [
    "a failure from outside",
    { atoms: [{ id: "A1" }, { id: "A2" }], groups: [{ name: "g", choices: ["A1"], failed: ["A2"] }] },
    [["failed_not_a_choice", "or_groups.g.failed.0"]],
    ["A2", "g"],
  ],
  [
    "a selection that failed",
    { atoms: [{ id: "A1" }, { id: "A2" }], groups: [{ name: "g", choices: ["A1", "A2"], failed: ["A1"] }] },
    [["selected_has_failed", "or_groups.g.selected"]],
    ["A1", "g"],
  ],
  [
    "a decomposition of nothing",
    { atoms: [{ id: "A1" }], splits: [["A9", ["A1"]]] },
    [["unknown_atom", "decompositions.0.parent"]],
    ["A9"],
  ],
  [
    "a child that is not there",
    { atoms: [{ id: "A1" }], splits: [["A1", ["A9"]]] },
    [["unknown_atom", "decompositions.0.children.0"]],
    ["A1", "A9"],
  ],
  [
    "a decomposition into nothing",
    { atoms: [{ id: "A1" }], splits: [["A1", []]] },
    [["empty_list", "decompositions.0.children"]],
    ["A1"],
  ],
  [
    "two decompositions of one",
    {
      atoms: [{ id: "A1" }, { id: "A2" }, { id: "A3" }],
      splits: [
        ["A1", ["A2"]],
        ["A1", ["A3"]],
      ],
    },
    [["decomposed_twice", "decompositions.1.parent"]],
    ["A1"],
  ],
  [
    "a child of two",
    {
      atoms: [{ id: "A1" }, { id: "A2" }, { id: "A3" }],
      splits: [
        ["A1", ["A3"]],
        ["A2", ["A3"]],
      ],
    },
    [["decomposed_twice", "decompositions.1.children.0"]],
    ["A1", "A2", "A3"],
  ],
  [
    "a binding of an open atom",
    { atoms: [{ id: "A1", binding: { summary: "", artifacts: [] } }] },
    [["binding_of_unresolved", "bindings.A1"]],
    ["A1", "pending"],
  ],
  [
    "choices in different containers",
    {
      atoms: [{ id: "P" }, { id: "Q" }, { id: "A1" }, { id: "A2" }],
      groups: [{ name: "g", choices: ["A1", "A2"] }],
      splits: [
        ["P", ["A1"]],
        ["Q", ["A2"]],
      ],
    },
    [["foreign_choice", "or_groups.g.choices"]],
    ["g", "P", "Q"],
  ],
];

for (const [what, sketch, expected, named] of BREACHES) {
  test(`SPEC 2: ${what} is reported once, in its place and by name`, () => {
    expect(problemsOf(sketch)).toEqual(expected);
    for (const problem of checkInvariants(stateOf(sketch))) {
      for (const name of named) expect(problem.message).toContain(name);
      expect(problem.hint).toMatch(/\S/);
    }
  });
}

test("SPEC 2: a typing mistake is answered with the name that was meant", () => {
  const [problem] = checkInvariants(stateOf({ atoms: [{ id: "login" }, { id: "B", depends_on: ["logn"] }] }));
  expect(problem?.hint).toBe("did you mean login?");
});

test("SPEC 2: dependencies and decompositions together are a DAG; a cycle is named as a closed path, each depending on the next", () => {
  const sketch: Sketch = {
    atoms: [{ id: "P" }, { id: "c", depends_on: ["X"] }, { id: "X", depends_on: ["P"] }],
    splits: [["P", ["c"]]],
  };
  expect(problemsOf(sketch)).toEqual([["cycle", "atoms.0"]]);
  expect(checkInvariants(stateOf(sketch))[0]?.found).toBe("P -> c -> X -> P");
  expect(problemsOf({ atoms: [{ id: "A1", depends_on: ["A1"] }] })).toEqual([["cycle", "atoms.0"]]);
});

test("SPEC 2: an id that is twice makes no cycle; a cycle of others is reported beside it", () => {
  const twice = [
    { id: "A1", depends_on: ["A2"] },
    { id: "A2" },
    { id: "A2", depends_on: ["A1"] },
    { id: "A3" },
    { id: "A3", depends_on: ["A3"] },
  ];
  expect(new Set(problemsOf({ atoms: twice }).map(([code]) => code))).toEqual(new Set(["duplicate_id"]));
  const loop = [
    { id: "B1", depends_on: ["B2"] },
    { id: "B2", depends_on: ["B1"] },
  ];
  const codes = problemsOf({ atoms: [...loop, { id: "A2" }, { id: "A2" }] }).map(([code]) => code);
  expect(codes).toEqual(["duplicate_id", "cycle"]);
});

test("law: a cycle that is found is one, and none is found where dependencies run towards lower ids", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(7), fc.nat(7)), { maxLength: 16 }), (edges) => {
      const all = (keep: (from: number, to: number) => boolean): State =>
        stateOf({
          atoms: Array.from({ length: 8 }, (_, i) => ({
            id: `A${i}`,
            depends_on: edges.filter(([from, to]) => from === i && keep(from, to)).map(([, to]) => `A${to}`),
          })),
        });
      expect(findCycle(graphOf(all((from, to) => to < from)))).toBeNull();
      const state = all(() => true);
      const path = findCycle(graphOf(state)) ?? [];
      const byId = new Map(state.atoms.map((atom): [string, Atom] => [atom.id, atom]));
      expect(path[0]).toBe(path.at(-1));
      for (const [i, id] of path.slice(0, -1).entries()) expect(byId.get(id)?.depends_on).toContain(path[i + 1]);
      const reaches = (from: string, seen: Set<string>): Set<string> => {
        for (const next of byId.get(from)?.depends_on ?? []) if (!seen.has(next)) reaches(next, seen.add(next));
        return seen;
      };
      const cyclic = [...byId.keys()].some((id) => reaches(id, new Set()).has(id));
      expect(path.length > 0).toBe(cyclic);
    }),
    { numRuns: 500 },
  );
});

test("SPEC 2: a chain of 20,000, leaf first, and a container of 20,000 children are checked without overflow", () => {
  const chain = Array.from({ length: 20_000 }, (_, i) => ({ id: `A${i}`, depends_on: i === 0 ? [] : [`A${i - 1}`] }));
  expect(checkInvariants(stateOf({ atoms: chain.toReversed() }))).toEqual([]);
  const closed = [{ id: "A0", depends_on: ["A19999"] }, ...chain.slice(1)];
  expect(checkInvariants(stateOf({ atoms: closed })).map((problem) => problem.code)).toEqual(["cycle"]);
  const children = chain.slice(1).map(({ id }) => ({ id }));
  const wide = stateOf({ atoms: [{ id: "P" }, ...children], splits: [["P", children.map(({ id }) => id)]] });
  expect(checkInvariants(wide)).toEqual([]);
});

test("SPEC 3: an alternative that contains its rival is refused, and no walk over it loops", () => {
  const sketch: Sketch = {
    atoms: [{ id: "c2" }, { id: "P" }, { id: "c1" }],
    groups: [{ name: "g", choices: ["c1", "c2"] }],
    splits: [
      ["c2", ["P"]],
      ["P", ["c1"]],
    ],
  };
  expect(problemsOf(sketch).map(([code]) => code)).toEqual(["cycle"]);
});

test("law: in a valid state every container chain ends, and choices share their container", () => {
  fc.assert(
    fc.property(anyState(9), (state) => {
      const graph = graphOf(state);
      graph.ids.forEach((_, index) => {
        expect(new Set(subtreeOf(graph, index)).size).toBe(subtreeOf(graph, index).length);
        let steps = 0;
        for (let here = index; here >= 0; here = graph.parent[here] ?? -1) expect(++steps).toBeLessThanOrEqual(9);
      });
      for (const choices of graph.choices) expect(new Set(choices.map((choice) => graph.parent[choice])).size).toBe(1);
    }),
    { numRuns: 300 },
  );
});

test("law: whatever is written into a valid state by chance, the check answers and says where", () => {
  const id = fc.constantFrom("A1", "A2", "A3", "ghost");
  fc.assert(
    fc.property(anyState(5), fc.array(id), fc.nat(9), (state, names, place) => {
      const atoms = state.atoms;
      const broken = {
        ...state,
        atoms: atoms.with(place % atoms.length, { ...(atoms[0] as Atom), depends_on: names }),
      };
      for (const problem of checkInvariants(broken)) {
        expect(problem.path).not.toEqual([]);
        expect(problem.message).toMatch(/\S/);
        expect(problem.hint).toMatch(/\S/);
      }
    }),
  );
});

test("law: the edit distance is a distance, cut off at the limit", () => {
  const word = fc.string({ maxLength: 6, unit: fc.constantFrom("a", "b") });
  fc.assert(
    fc.property(word, word, word, fc.nat(6), (a, b, c, limit) => {
      const far = 99;
      expect(distance(a, a, far)).toBe(0);
      expect(distance(a, b, far)).toBe(distance(b, a, far));
      expect(distance(a, c, far)).toBeLessThanOrEqual(distance(a, b, far) + distance(b, c, far));
      if (distance(a, b, far) < limit) expect(distance(a, b, limit)).toBe(distance(a, b, far));
      else expect(distance(a, b, limit)).toBeGreaterThanOrEqual(limit);
    }),
  );
});
