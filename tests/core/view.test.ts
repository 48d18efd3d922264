import * as fc from "fast-check";
import { expect, test } from "vitest";
import { isCounted, isExecutable, isMet } from "../../src/core/fate.ts";
import { graphOf, indexIn, isContainer } from "../../src/core/graph.ts";
import type { Atom, State } from "../../src/core/state.ts";
import { boardOf, executableOf, resolveAtom, settleContainers, type Board, bindingsFor } from "../../src/core/view.ts";
import { at } from "../../src/core/vec.ts";
import { anyState, stateOf, type Sketch } from "../support/loops.ts";

const picks = fc.array(fc.nat(20), { minLength: 1, maxLength: 12 });

/** Resolves live executable atoms as the picks say, until none is left. */
function play(
  board: Board,
  choices: readonly number[],
  watch: (before: Board, after: Board, index: number) => void,
): Board {
  let current = board;
  for (let turn = 0; ; turn++) {
    const { state, view } = current;
    const ready = executableOf(state, view.graph).filter((index) => isTakenHere(state, view.graph, index));
    const index = ready[(choices[turn % choices.length] ?? 0) % Math.max(1, ready.length)];
    if (index === undefined) return current;
    const next = resolveAtom(current, index, { summary: "done", artifacts: [] }).board;
    watch(current, next, index);
    current = next;
  }
}

function isTakenHere(state: State, graph: Board["view"]["graph"], index: number): boolean {
  const group = state.or_groups.find((one) => one.choices.includes(graph.ids[index] ?? ""));
  return group === undefined || group.selected === graph.ids[index];
}

const settled = (state: State): Board => settleContainers(state).board;

test("SPEC 3: M falls with each leaf resolved, and is 0 exactly when nothing that counts is left", () => {
  fc.assert(
    fc.property(anyState(9), picks, (state, choices) => {
      const end = play(settled(state), choices, (before, after) => {
        expect(after.view.measure).toBeLessThan(before.view.measure);
      });
      const { graph } = end.view;
      const left = graph.ids.filter((_, index) => isCounted(end.state, graph, index));
      expect(end.view.measure).toBe(left.length);
      if (end.view.measure === 0)
        graph.ids.forEach((_, index) => expect([index, isMet(end.state, graph, index)]).toEqual([index, true]));
    }),
    { numRuns: 1_000 },
  );
});

test("SPEC 3: executable is pending, no container, live, and every dependency met, those of containers above too", () => {
  fc.assert(
    fc.property(anyState(9), picks, (state, choices) => {
      play(settled(state), choices, (_, { state: now, view }) => {
        view.graph.ids.forEach((_id, index) => {
          if (!isExecutable(now, view.graph, index)) return;
          expect(at(now.atoms, index).status).toBe("pending");
          expect(isContainer(view.graph, index)).toBe(false);
          for (let here = index; here >= 0; here = view.graph.parent[here] ?? -1)
            for (const dependency of view.graph.dependencies[here] ?? [])
              expect(isMet(now, view.graph, dependency)).toBe(true);
        });
      });
    }),
    { numRuns: 300 },
  );
});

const after = (sketch: Sketch, ...ids: string[]): Board =>
  ids.reduce(
    (board, id) => resolveAtom(board, indexIn(board.view.graph, id), { summary: id, artifacts: [`${id}.ts`] }).board,
    boardOf(stateOf(sketch)),
  );
const ready = (board: Board): string[] =>
  executableOf(board.state, board.view.graph).map((i) => board.view.graph.ids[i] ?? "");

test("SPEC 3, FATE-1: below a failed or unselected choice nothing runs, and a dependency on it waits for the group", () => {
  const sketch: Sketch = {
    atoms: [{ id: "C" }, { id: "D" }, { id: "c1" }, { id: "c2" }, { id: "X", depends_on: ["c1"] }],
    groups: [{ name: "g", choices: ["C", "D"], selected: "D", failed: ["C"] }],
    splits: [["C", ["c1", "c2"]]],
  };
  expect(ready(after(sketch))).toEqual(["D"]);
  expect(after(sketch).view.measure).toBe(2);
  expect(ready(after(sketch, "D"))).toEqual(["X"]);
  const untried = { ...sketch, groups: [{ name: "g", choices: ["C", "D"], selected: "D" }] };
  // FATE-2: an alternative that was not tried yet counts with everything below it.
  expect(after(untried).view.measure).toBe(4);
  expect(after(untried, "D").view.measure).toBe(1);
});

test("SPEC 3: a container resolves by itself, up all levels, bound to its children", () => {
  const board = after(
    {
      atoms: [{ id: "P" }, { id: "Q" }, { id: "q1" }, { id: "q2" }, { id: "X", depends_on: ["P"] }],
      splits: [
        ["P", ["Q"]],
        ["Q", ["q1", "q2"]],
      ],
    },
    "q1",
    "q2",
  );
  const atoms = board.state.atoms;
  expect(atoms.filter((atom) => atom.status === "resolved").map((atom) => atom.id)).toEqual(["P", "Q", "q1", "q2"]);
  expect(atoms[1]?.binding).toEqual({ summary: "Completed via q1, q2 resolution", artifacts: ["q1.ts", "q2.ts"] });
  expect(atoms[0]?.binding).toEqual({ summary: "Completed via Q resolution", artifacts: ["q1.ts", "q2.ts"] });
  expect(ready(board)).toEqual(["X"]);
});

test("SPEC 7: an atom that resolves keeps all that it holds beside its status and its binding, whatever that is", () => {
  const binding = { summary: "done", artifacts: ["a.txt"] };
  // Every key that an atom can have: one that it gets later is missing here, and its type says so.
  const full: Required<Atom> = {
    id: "A1",
    description: "do it",
    status: "in_progress",
    depends_on: ["A2"],
    or_group: "way",
    probe: true,
    criteria: "it works",
    touches: ["src/**"],
    binding: { summary: "before", artifacts: [] },
  };
  const { id, description, status, depends_on, or_group, ...optional } = full;
  const bare: Atom = { id, description, status, depends_on };
  const variants: readonly Atom[] = [
    bare,
    { ...bare, or_group },
    ...Object.entries(optional).map(([key, value]): Atom => ({ ...bare, [key]: value })),
    full,
  ];
  for (const atom of variants) {
    const groups = atom.or_group === undefined ? [] : [{ name: or_group, choices: ["A1"] }];
    const state = stateOf({ atoms: [atom, { id: "A2", status: "resolved" }], groups });
    const resolved = (given: typeof binding | undefined): Atom =>
      at(resolveAtom(boardOf(state), 0, given).board.state.atoms, 0);
    expect(resolved(binding)).toEqual({ ...atom, status: "resolved", binding });
    expect(resolved(undefined)).toEqual({ ...atom, status: "resolved" });
  }
});

const bound = (id: string) => ({ id, status: "resolved" as const, binding: { summary: `did ${id}`, artifacts: [] } });
const namesFor = (sketch: Sketch, atom: string): string[] => {
  const state = stateOf(sketch);
  const graph = graphOf(state);
  return Object.keys(bindingsFor(state, graph, indexIn(graph, atom)));
};

test("SPEC 7: an attempt gets the bindings of its direct dependencies only", () => {
  const atoms = [bound("A1"), { ...bound("A2"), depends_on: ["A1"] }, { id: "A3", depends_on: ["A2"] }];
  expect(namesFor({ atoms }, "A3")).toEqual(["A2"]);
});

test("SPEC 3, 7: a dependency on a replaced choice, or below it, is bound by the choice that took over", () => {
  const sketch: Sketch = {
    atoms: [{ id: "A1" }, { id: "A2" }, bound("B"), { id: "C", depends_on: ["A1"] }, { id: "D", depends_on: ["A2"] }],
    groups: [{ name: "g", choices: ["A1", "B"], selected: "B", failed: ["A1"] }],
    splits: [["A1", ["A2"]]],
  };
  expect(namesFor(sketch, "C")).toEqual(["B"]);
  expect(namesFor(sketch, "D")).toEqual(["B"]);
});

test("SPEC 7: an atom may bear any name that the file allows, and is handed on under it", () => {
  expect(namesFor({ atoms: [bound("__proto__"), { id: "A1", depends_on: ["__proto__"] }] }, "A1")).toEqual([
    "__proto__",
  ]);
});
