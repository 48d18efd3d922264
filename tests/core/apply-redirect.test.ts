import * as fc from "fast-check";
import { expect, test } from "vitest";
import { checkInvariants } from "../../src/core/invariants.ts";
import { applyRedirect, lessonsIn, redirectByHand, type Redirected } from "../../src/core/apply-redirect.ts";
import {
  CONSTRAINTS,
  OBJECTIVE_FIELDS,
  type Change,
  type ObjectiveField,
  type ObjectiveValue,
  type Redirect,
} from "../../src/core/redirect.ts";
import type { State, TrailEntry } from "../../src/core/state.ts";
import { viewOf } from "../../src/core/view.ts";
import { openContainers, anyState, NOW, stateOf, type Sketch } from "../support/loops.ts";

const LATER = "2026-01-02T00:00:00.000Z";
const OLD: TrailEntry = { or_group: "g", selected: "B", reason: "first", timestamp: NOW };
const OTHER: TrailEntry = { or_group: "h", selected: "H", reason: "first", timestamp: NOW };
const bound = (id: string) => ({ id, status: "resolved" as const, binding: { summary: `did ${id}`, artifacts: [] } });

/** A -> B (choice of g, resolved) -> D; C is the alternative; H alone in h; P holds p1 and p2. */
const SKETCH: Sketch = {
  atoms: [
    bound("A"),
    { ...bound("B"), depends_on: ["A"] },
    { id: "C" },
    { ...bound("D"), depends_on: ["B"] },
    bound("H"),
    { id: "P" },
    { id: "p1" },
    { ...bound("p2") },
    { id: "free" },
  ],
  groups: [
    { name: "g", choices: ["B", "C"] },
    { name: "h", choices: ["H"] },
  ],
  splits: [["P", ["p1", "p2"]]],
};
const base: State = { ...stateOf(SKETCH), trail: [OLD, OTHER] };

function apply(redirect: Redirect, state: State = base): Redirected {
  const result = applyRedirect(state, redirect, LATER);
  if (!result.ok) throw new Error(result.problems.map((problem) => problem.message).join("; "));
  expect(checkInvariants(result.value.state)).toEqual([]);
  return result.value;
}
const status = (state: State): Record<string, string> =>
  Object.fromEntries(state.atoms.map((atom) => [atom.id, atom.status]));
const last = (state: State) => state.corrections.at(-1);
const reason = "because";

for (const field of OBJECTIVE_FIELDS) {
  test(`SPEC 8, APPLY-REDIRECT-3: a new ${field} is an objective_change and clears the trail`, () => {
    const values: Partial<Record<ObjectiveField, ObjectiveValue>> = {
      base_case: { type: "file", value: "README.md" },
      clarifications: [{ question: "which?", resolution: "this" }],
      scope: { in_scope: ["a"] },
      protected: ["test/**"],
    };
    const value = values[field] ?? "new";
    const { state, facts } = apply({ kind: "set", field, value, reason });
    expect(state.objective[field]).toEqual(value);
    expect(state.trail).toEqual([]);
    const text = (one: unknown): string => (typeof one === "string" ? one : JSON.stringify(one));
    expect(last(state)).toEqual({
      timestamp: LATER,
      type: "objective_change",
      description: `${field} changed (because)`,
      trail_cleared: true,
      changes: [
        {
          field,
          ...(base.objective[field] === undefined ? {} : { old: text(base.objective[field]) }),
          new: text(value),
        },
        { field: "trail", old: "g: B; h: H" },
      ],
    });
    expect(facts).toEqual([{ fact: "redirected", description: `${field} changed (because)`, measure: 2 }]);
  });
}

for (const constraint of CONSTRAINTS) {
  test(`SPEC 8, APPLY-REDIRECT-3: a new ${constraint} is a constraint_change and keeps the trail`, () => {
    const value = constraint === "max_duration" ? "2h" : 7;
    const { state } = apply({ kind: "limit", constraint, value, reason: "" });
    expect(state.objective.constraints[constraint]).toBe(value);
    expect(state.trail).toEqual([OLD, OTHER]);
    expect(last(state)).toMatchObject({ type: "constraint_change", trail_cleared: false });
    expect(last(state)?.description).toContain(`-> ${value}`);
  });
}

test("SPEC 8, APPLY-REDIRECT-3: adding an atom is a dag_adjustment with an entry of its own", () => {
  const { state } = apply({ kind: "add", id: "N", description: "new", depends_on: ["A"], reason });
  expect(state.trail.at(-1)).toEqual({ type: "user_correction", reason: "added N: new (because)", timestamp: LATER });
  expect(last(state)).toMatchObject({ type: "dag_adjustment", trail_cleared: false });
  expect(status(state)["N"]).toBe("pending");
});

test("SPEC 8, APPLY-REDIRECT-3: removing an unresolved atom is a dag_adjustment; a container that has nothing left resolves", () => {
  const { state } = apply({ kind: "remove", id: "p1", reason });
  expect(state.trail.at(-1)).toMatchObject({ type: "user_correction", reason: "removed p1 (because)" });
  expect(last(state)?.type).toBe("dag_adjustment");
  expect(status(state)).toMatchObject({ P: "resolved" });
  expect(state.atoms.some((atom) => atom.id === "p1")).toBe(false);
});

test("SPEC 8: removing a choice leaves its rivals in the container in which it stood", () => {
  const loop = stateOf({
    atoms: [{ id: "P" }, { id: "p1" }, { id: "p2" }, { id: "r" }, { id: "after", depends_on: ["P"] }],
    groups: [{ name: "g", choices: ["r", "p2"] }],
    splits: [["P", ["p1", "p2"]]],
  });
  const { state } = apply({ kind: "remove", id: "p2", reason }, loop);
  expect(state.decompositions).toMatchObject([{ parent: "P", children: ["p1", "r"] }]);
});

test("SPEC 8, APPLY-REDIRECT-3: adding a choice is a dag_adjustment with group, selection and reason; its place is that of its rivals", () => {
  const { state } = apply({ kind: "add", id: "N", description: "third way", depends_on: [], or_group: "g", reason });
  expect(state.trail.at(-1)).toEqual({
    or_group: "g",
    selected: "B",
    reason: "added N: third way (because)",
    timestamp: LATER,
  });
  const nested = stateOf({
    atoms: [{ id: "P" }, { id: "x" }],
    groups: [{ name: "g", choices: ["x"] }],
    splits: [["P", ["x"]]],
  });
  const below = apply({ kind: "add", id: "N", description: "", depends_on: [], or_group: "g", reason }, nested);
  expect(below.state.decompositions[0]?.children).toEqual(["x", "N"]);
  const fresh = apply({ kind: "add", id: "N", description: "", depends_on: [], or_group: "new", reason });
  expect(fresh.state.or_groups.at(-1)).toEqual({ name: "new", choices: ["N"], selected: "N", failed: [] });
});

test("SPEC 8: a choice added to an exhausted group becomes its selection", () => {
  const stuck = stateOf({ atoms: [{ id: "x" }], groups: [{ name: "g", choices: ["x"], failed: ["x"] }] });
  const { state } = apply({ kind: "add", id: "N", description: "", depends_on: [], or_group: "g", reason }, stuck);
  expect(state.or_groups[0]).toMatchObject({ selected: "N", failed: ["x"] });
  expect(state.trail.at(-1)).toMatchObject({ or_group: "g", selected: "N" });
});

test("SPEC 8, APPLY-REDIRECT-3: forcing a choice takes the former one out and opens what was built on the group", () => {
  const { state, revert, facts } = apply({ kind: "choose", group: "g", atom: "C", reason });
  expect(status(state)).toMatchObject({ A: "resolved", B: "pending", C: "pending", D: "pending", H: "resolved" });
  expect(state.or_groups[0]).toMatchObject({ selected: "C", failed: [] });
  expect(state.trail).toEqual([OLD, OTHER, { or_group: "g", selected: "C", reason, timestamp: LATER }]);
  expect(revert).toEqual(["B"]);
  expect(facts.map((fact) => fact.fact)).toEqual(["redirected", "choice_selected"]);
  expect(last(state)).toMatchObject({ type: "dag_adjustment", description: "g: B -> C (because)" });
});

test("SPEC 8: a person can force a choice that has failed", () => {
  const failed = stateOf({
    atoms: [{ id: "x" }, { id: "y" }],
    groups: [{ name: "g", choices: ["x", "y"], failed: ["x"], selected: "y" }],
  });
  const { state } = apply({ kind: "choose", group: "g", atom: "x", reason }, failed);
  expect(state.or_groups[0]).toMatchObject({ selected: "x", failed: [] });
});

test("SPEC 7, 8: a forced choice ends a race, which it might lose otherwise; no other group does", () => {
  const race = stateOf({
    atoms: [{ id: "x" }, { id: "y" }, { id: "u" }, { id: "v" }],
    groups: [
      { name: "g", choices: ["x", "y"], speculative: true },
      { name: "h", choices: ["u", "v"], speculative: true },
    ],
  });
  for (const atom of ["x", "y"]) {
    const { state } = apply({ kind: "choose", group: "g", atom, reason }, race);
    expect(state.or_groups).toMatchObject([{ selected: atom, speculative: false }, { speculative: true }]);
    expect(state.trail.at(-1)).toMatchObject({ or_group: "g", selected: atom, reason });
  }
});

test("SPEC 8, APPLY-REDIRECT-3: an overwritten binding opens its transitive dependants and takes out their groups' entries only", () => {
  const { state, revert } = apply({
    kind: "rebind",
    id: "A",
    binding: { summary: "by hand", artifacts: ["a.ts"] },
    reason,
  });
  expect(status(state)).toMatchObject({ A: "resolved", B: "pending", D: "pending", H: "resolved", p2: "resolved" });
  expect(state.atoms.find((atom) => atom.id === "A")?.binding).toEqual({ summary: "by hand", artifacts: ["a.ts"] });
  expect(state.atoms.find((atom) => atom.id === "D")?.binding).toBeUndefined();
  expect(state.trail).toEqual([OTHER]);
  expect(last(state)).toMatchObject({ type: "bindings_override", trail_cleared: false });
  expect(revert).toEqual([]);
});

test("SPEC 8, APPLY-REDIRECT-3: what is done again is open with all that was built on it, and their work is taken out; the trail tells why", () => {
  const { state, revert } = apply({ kind: "redo", id: "A", reason });
  expect(status(state)).toMatchObject({ A: "pending", B: "pending", D: "pending", H: "resolved", p2: "resolved" });
  expect(state.atoms.filter(({ binding }) => binding !== undefined).map(({ id }) => id)).toEqual(["H", "p2"]);
  expect(revert.toSorted()).toEqual(["A", "B", "D"]);
  expect(state.trail).toEqual([
    OLD,
    OTHER,
    { type: "user_correction", reason: "A: to be done again, and with it: B, D (because)", timestamp: LATER },
  ]);
  expect(last(state)).toMatchObject({ type: "dag_adjustment", trail_cleared: false });
  expect(state.or_groups[0]).toMatchObject({ selected: "B", failed: [] });
});

const REFUSALS: readonly (readonly [string, Redirect, RegExp, State?])[] = [
  ["a text as base case", { kind: "set", field: "base_case", value: "npm test", reason }, /base_case cannot be a text/],
  [
    "a base case as goal",
    { kind: "set", field: "goal", value: { type: "file", value: "x" }, reason },
    /goal cannot be a base case/,
  ],
  [
    "a base case without a check",
    { kind: "set", field: "base_case", value: { checklist: [{ item: "x", any_of: [] }] }, reason },
    /without a check/,
  ],
  ["no iterations", { kind: "limit", constraint: "max_iterations", value: 0, reason }, /max_iterations cannot be 0/],
  ["half an agent", { kind: "limit", constraint: "max_parallel_agents", value: 1.5, reason }, /cannot be 1\.5/],
  ["a limit in words", { kind: "limit", constraint: "max_stall_count", value: "many", reason }, /cannot be "many"/],
  ["a debt", { kind: "limit", constraint: "max_cost_usd", value: -1, reason }, /cannot be -1/],
  ["a duration of nothing", { kind: "limit", constraint: "max_duration", value: "0s", reason }, /cannot be "0s"/],
  ["a duration that is none", { kind: "limit", constraint: "max_duration", value: "soon", reason }, /cannot be "soon"/],
  ["an id that is taken", { kind: "add", id: "A", description: "", depends_on: [], reason }, /atom A already exists/],
  ["a dependency on nothing", { kind: "add", id: "N", description: "", depends_on: ["ghost"], reason }, /ghost/],
  ["removing nobody", { kind: "remove", id: "ghost", reason }, /no atom ghost/],
  ["removing a resolved atom", { kind: "remove", id: "A", reason }, /it is resolved/],
  ["removing a container", { kind: "remove", id: "P", reason }, /it is decomposed/],
  [
    "removing what others need",
    { kind: "remove", id: "x", reason },
    /y depends on it/,
    stateOf({ atoms: [{ id: "x" }, { id: "y", depends_on: ["x"] }] }),
  ],
  [
    "removing what several need",
    { kind: "remove", id: "x", reason },
    /k, y and z depend on it/,
    stateOf({ atoms: [{ id: "x" }, ...["k", "y", "z"].map((id) => ({ id, depends_on: ["x"] }))] }),
  ],
  [
    "removing an only child",
    { kind: "remove", id: "x", reason },
    /only child of P/,
    stateOf({ atoms: [{ id: "P" }, { id: "x" }], splits: [["P", ["x"]]] }),
  ],
  [
    "removing an only choice",
    { kind: "remove", id: "x", reason },
    /only choice of g/,
    stateOf({ atoms: [{ id: "x" }], groups: [{ name: "g", choices: ["x"] }] }),
  ],
  [
    "removing the selection",
    { kind: "remove", id: "x", reason },
    /selected choice of g/,
    stateOf({ atoms: [{ id: "x" }, { id: "y" }], groups: [{ name: "g", choices: ["x", "y"] }] }),
  ],
  ["removing the last atom", { kind: "remove", id: "x", reason }, /no atom/, stateOf({ atoms: [{ id: "x" }] })],
  ["choosing in no group", { kind: "choose", group: "none", atom: "C", reason }, /no OR group none/],
  ["choosing an outsider", { kind: "choose", group: "g", atom: "A", reason }, /A is no choice of g/],
  ["choosing what is chosen", { kind: "choose", group: "g", atom: "B", reason }, /B is already selected in g/],
  [
    "rebinding nobody",
    { kind: "rebind", id: "ghost", binding: { summary: "", artifacts: [] }, reason },
    /no atom ghost/,
  ],
  [
    "rebinding an open atom",
    { kind: "rebind", id: "free", binding: { summary: "", artifacts: [] }, reason },
    /free is pending/,
  ],
  ["doing nobody again", { kind: "redo", id: "ghost", reason }, /no atom ghost/],
  ["doing an open atom again", { kind: "redo", id: "free", reason }, /free is pending/],
  [
    "a completed loop",
    { kind: "set", field: "goal", value: "more", reason },
    /completed/,
    { ...base, control: { ...base.control, status: "completed" } },
  ],
];

for (const [what, redirect, words, state] of REFUSALS) {
  test(`SPEC 8, APPLY-REDIRECT-1: refused, with the reason and what to do: ${what}`, () => {
    const result = applyRedirect(state ?? base, redirect, LATER);
    expect(result.ok).toBe(false);
    if (result.ok) return;
    expect(result.problems[0]?.message).toMatch(words);
    expect(result.problems[0]?.hint).toMatch(/\S/);
  });
}

test("SPEC 8, APPLY-REDIRECT-1 APPLY-REDIRECT-2: any redirect is refused, or leaves a valid state with exactly one more correction and no stale container", () => {
  const id = fc.constantFrom("A1", "A2", "A3", "A4", "A5", "ghost");
  const redirect: fc.Arbitrary<Redirect> = fc.oneof(
    fc.record({
      kind: fc.constant("add" as const),
      id: fc.constantFrom("A1", "N"),
      description: fc.string(),
      depends_on: fc.array(id, { maxLength: 2 }),
      reason: fc.string(),
    }),
    fc.record({
      kind: fc.constant("add" as const),
      id: fc.constant("N"),
      description: fc.string(),
      depends_on: fc.array(id, { maxLength: 1 }),
      or_group: fc.constantFrom("g0", "g1", "new"),
      reason: fc.string(),
    }),
    fc.record({ kind: fc.constant("remove" as const), id, reason: fc.string() }),
    fc.record({
      kind: fc.constant("choose" as const),
      group: fc.constantFrom("g0", "g1"),
      atom: id,
      reason: fc.string(),
    }),
    fc.record({ kind: fc.constant("redo" as const), id, reason: fc.string() }),
    fc.record({
      kind: fc.constant("rebind" as const),
      id,
      binding: fc.constant({ summary: "s", artifacts: [] }),
      reason: fc.string(),
    }),
  );
  let accepted = 0;
  fc.assert(
    fc.property(anyState(6), fc.array(redirect, { minLength: 1, maxLength: 5 }), (start, redirects) => {
      let state = start;
      for (const request of redirects) {
        const result = applyRedirect(state, request, LATER);
        if (!result.ok) continue;
        accepted++;
        const next = result.value.state;
        expect(checkInvariants(next)).toEqual([]);
        expect(next.corrections.slice(0, -1)).toEqual(state.corrections);
        expect(openContainers(next)).toEqual([]);
        state = next;
      }
    }),
    { numRuns: 1_000 },
  );
  expect(accepted).toBeGreaterThan(300);
});

test("SPEC 4, APPLY-REDIRECT-4: work that a redirect adds or takes away is neither expansion nor progress of the next iteration", () => {
  const redirects: readonly Redirect[] = [
    { kind: "add", id: "more", description: "more", depends_on: [], reason },
    { kind: "remove", id: "free", reason },
    { kind: "choose", group: "g", atom: "C", reason },
    { kind: "redo", id: "A", reason },
    { kind: "rebind", id: "A", binding: { summary: "other", artifacts: [] }, reason },
  ];
  const before = viewOf(base).measure;
  for (const redirect of redirects) {
    const { measure } = viewOf(apply(redirect).state);
    expect(measure, redirect.kind).not.toBe(before);
    // What the iteration had done by then, or had added, counts as it did.
    for (const done of [-1, 0, 2]) {
      const judged = { ...base, control: { ...base.control, prev_pending_count: before + done } };
      expect(apply(redirect, judged).state.control.prev_pending_count, redirect.kind).toBe(measure + done);
    }
    expect(apply(redirect).state.control.prev_pending_count, "nothing was judged yet").toBe(-1);
  }
});

// ── transactions ────────────────────────────────────────────────────────────

const together = (...changes: readonly Change[]): Redirect => ({ kind: "transaction", changes, reason });
const plain = { reason: "" } as const;

test("SPEC 8, APPLY-REDIRECT-5: changes of one transaction are one correction, with old and new value of each field and what was removed", () => {
  const { state } = apply(
    together(
      { kind: "remove", id: "free", ...plain },
      {
        kind: "change",
        id: "p1",
        description: "other words",
        depends_on: ["N"],
        touches: ["src/**"],
        criteria: "c",
        ...plain,
      },
      { kind: "add", id: "N", description: "new", depends_on: [], ...plain },
      { kind: "limit", constraint: "max_iterations", value: 40, ...plain },
      { kind: "set", field: "goal", value: "another", reason: "shorter" },
    ),
  );
  expect(state.corrections).toEqual([
    {
      timestamp: LATER,
      type: "objective_change",
      description:
        "goal changed (shorter); max_iterations: 20 -> 40; added N: new; p1: description, depends_on, touches, criteria changed; removed free (because)",
      trail_cleared: true,
      changes: [
        { field: "goal", old: "a goal", new: "another" },
        { field: "constraints.max_iterations", old: "20", new: "40" },
        { field: "atoms.p1.description", old: "do p1", new: "other words" },
        { field: "atoms.p1.depends_on", old: "", new: "N" },
        { field: "atoms.p1.touches", new: "src/**" },
        { field: "atoms.p1.criteria", new: "c" },
        { field: "atoms.free", old: "do free" },
        { field: "atoms.N", new: "new" },
        { field: "trail", old: "g: B; h: H" },
      ],
    },
  ]);
  expect(status(state)).toMatchObject({ N: "pending", p1: "pending" });
});

test("SPEC 8, APPLY-REDIRECT-5: a transaction of which one change is refused changes nothing", () => {
  for (const wrong of [
    { kind: "remove", id: "A", ...plain },
    { kind: "change", id: "D", description: "x", ...plain },
    { kind: "change", id: "p1", depends_on: ["ghost"], ...plain },
    { kind: "change", id: "p1", ...plain },
  ] satisfies readonly Change[])
    expect(
      applyRedirect(base, together({ kind: "set", field: "goal", value: "x", ...plain }, wrong), LATER),
    ).toMatchObject({ ok: false });
  expect(applyRedirect(base, together(), LATER)).toMatchObject({ ok: false });
});

test("SPEC 8: what others of a transaction need is removed last, and what is redone can be reworded in it", () => {
  const chain = stateOf({
    atoms: [{ id: "x" }, { id: "y", depends_on: ["x"] }, { id: "z", depends_on: ["y"] }, { id: "w" }],
  });
  const gone = apply(together(...["x", "y", "z"].map((id): Change => ({ kind: "remove", id, ...plain }))), chain);
  expect(Object.keys(status(gone.state))).toEqual(["w"]);
  const { state, revert } = apply(
    together({ kind: "change", id: "D", description: "shorter", ...plain }, { kind: "redo", id: "D", ...plain }),
  );
  expect(state.atoms.find(({ id }) => id === "D")).toMatchObject({ description: "shorter", status: "pending" });
  expect(revert).toEqual(["D"]);
});

test("SPEC 8: the reason for which a result is redone is a lesson of its next attempt, with what it had reported", () => {
  const { facts } = apply({ kind: "redo", id: "D", reason });
  expect(lessonsIn(facts)).toEqual([
    {
      atom: "D",
      attempt: "a person",
      reason: "resolved before, and to be done again: because",
      evidence: "It had reported: did D",
    },
  ]);
  expect(lessonsIn(apply({ kind: "redo", id: "D", reason: "" }).facts)).toEqual([]);
});

test("SPEC 8: a container and its children are removed in one transaction, whatever the order; without one of them it stays", () => {
  const state = stateOf({
    atoms: [{ id: "A" }, { id: "P" }, { id: "p1" }, { id: "p2", depends_on: ["p1"] }],
    splits: [["P", ["p1", "p2"]]],
  });
  const removal = (...ids: string[]): Redirect => ({
    kind: "transaction",
    changes: ids.map((id) => ({ kind: "remove", id, reason: "" })),
    reason: "",
  });
  for (const ids of [
    ["P", "p1", "p2"],
    ["p2", "P", "p1"],
    ["p1", "p2", "P"],
  ]) {
    const { state: after } = apply(removal(...ids), state);
    expect(after.atoms.map(({ id }) => id)).toEqual(["A"]);
    expect(after.decompositions).toEqual([]);
  }
  expect(applyRedirect(state, removal("P", "p2"), LATER)).toMatchObject({
    ok: false,
    problems: [{ message: expect.stringContaining("decomposed") }],
  });
});

test("SPEC 8: a redirect of a loop that nobody works announces what the next run takes out; before any run there is nothing", () => {
  const state = stateOf({ atoms: [{ id: "A" }, { id: "B" }], groups: [{ name: "g", choices: ["A", "B"] }] });
  const choose: Redirect = { kind: "choose", group: "g", atom: "B", reason: "better" };
  const announced = (iteration: number): readonly unknown[] => {
    const done = redirectByHand({ ...state, control: { ...state.control, iteration } }, choose, NOW);
    return done.ok ? done.value.ahead : ["refused"];
  };
  expect(announced(0)).toEqual([]);
  expect(announced(1)).toMatchObject([{ event: "revert_due", atoms: ["A"] }]);
});
