import * as fc from "fast-check";
import { expect, test } from "vitest";
import { checkInvariants } from "../../src/core/invariants.ts";
import {
  addAtom,
  addBinding,
  gateOf,
  markFailed,
  requestStop,
  restarted,
  setStatus,
  switchChoice,
  updateAtom,
  type Done,
} from "../../src/core/operations.ts";
import type { Result } from "../../src/core/problem.ts";
import type { Control, State } from "../../src/core/state.ts";
import { settleContainers } from "../../src/core/view.ts";
import { openContainers, anyState, NOW, stateOf, type Sketch } from "../support/loops.ts";

const SKETCH: Sketch = {
  atoms: [
    { id: "A", status: "resolved" },
    { id: "B", depends_on: ["A"] },
    { id: "C" },
    { id: "D", depends_on: ["B"] },
    { id: "P" },
    { id: "p" },
    { id: "r1", status: "in_progress" },
    { id: "r2", status: "in_progress" },
  ],
  groups: [
    { name: "g", choices: ["B", "C"] },
    { name: "race", choices: ["r1", "r2"], speculative: true },
  ],
  splits: [["P", ["p"]]],
};
const base = stateOf(SKETCH);
const running: State = { ...base, control: { ...base.control, status: "running" } };

function done(result: Result<Done>): State {
  if (!result.ok) throw new Error(result.problems[0]?.message);
  expect(checkInvariants(result.value.state)).toEqual([]);
  return result.value.state;
}
const status = (state: State, id: string) => state.atoms.find((atom) => atom.id === id)?.status;
const withControl = (control: Partial<Control>): State => ({ ...base, control: { ...base.control, ...control } });

test("SPEC 2: an atom goes pending -> in_progress -> resolved, and what waits for it follows", () => {
  const worked = done(updateAtom(base, "B", "in_progress"));
  expect(status(worked, "B")).toBe("in_progress");
  const resolved = done(updateAtom(worked, "B", "resolved"));
  expect(status(done(updateAtom(resolved, "D", "in_progress")), "D")).toBe("in_progress");
  expect(status(done(updateAtom(worked, "B", "pending")), "B")).toBe("pending");
  // A container follows its last child.
  expect(status(done(updateAtom(base, "p", "resolved")), "P")).toBe("resolved");
});

test("SPEC 10: an operation done twice is done once", () => {
  const once = done(updateAtom(base, "B", "in_progress"));
  expect(done(updateAtom(once, "B", "in_progress"))).toBe(once);
  const bound = done(addBinding(base, "A", { summary: "s", artifacts: ["a"] }));
  expect(done(addBinding(bound, "A", { summary: "s", artifacts: ["a"] }))).toEqual(bound);
  const stopped = done(requestStop(running, "enough"));
  expect(done(requestStop(stopped, ""))).toEqual(stopped);
  expect(done(setStatus(running, "running", null, false))).toBe(running);
});

test("SPEC 2: a binding reaches the containers that resolved by themselves", () => {
  const resolved = done(updateAtom(base, "p", "resolved"));
  const bound = done(addBinding(resolved, "p", { summary: "s", artifacts: ["p.ts"] }));
  expect(bound.atoms.find((atom) => atom.id === "P")?.binding).toEqual({
    summary: "Completed via p resolution",
    artifacts: ["p.ts"],
  });
});

test("SPEC 7: failing a choice by hand switches; the last one stops the loop as exhausted", () => {
  const switched = done(markFailed(running, "B", { reason: "red", attempts: 1, now: NOW }));
  expect(switched.or_groups[0]).toMatchObject({ selected: "C", failed: ["B"] });
  expect(switched.control.status).toBe("running");
  const stopped = done(markFailed(switched, "C", { reason: "red", attempts: 1, now: NOW }));
  expect(stopped.control).toMatchObject({
    status: "stopped",
    outcome: "or_group_exhausted",
    stop_reason: "OR group exhausted: g",
  });
});

test("SPEC 7: a switch by hand gives up the selected choice and keeps the order of the choices", () => {
  const three = stateOf({
    atoms: [{ id: "x" }, { id: "y" }, { id: "z" }],
    groups: [{ name: "g", choices: ["x", "y", "z"] }],
  });
  const state = done(switchChoice(three, "g", "z", { reason: "better", now: NOW }));
  expect(state.or_groups[0]).toEqual({ name: "g", choices: ["x", "y", "z"], selected: "z", failed: ["x"] });
  expect(state.trail).toEqual([{ or_group: "g", selected: "z", reason: "x failed: better", timestamp: NOW }]);
});

test("SPEC 10: an atom is added; a group that is not there yet is made with it", () => {
  const state = done(addAtom(base, { id: "N", description: "new", depends_on: ["A"], or_group: "fresh" }, NOW));
  expect(state.or_groups.at(-1)).toEqual({ name: "fresh", choices: ["N"], selected: "N", failed: [] });
});

const failed = stateOf({
  atoms: [{ id: "x" }, { id: "y" }],
  groups: [{ name: "g", choices: ["x", "y"], selected: "y", failed: ["x"] }],
});
const settledGroup = done(updateAtom(base, "B", "resolved"));

const REFUSALS: readonly (readonly [string, Result<Done>, RegExp])[] = [
  ["updating nobody", updateAtom(base, "ghost", "resolved"), /no atom ghost/],
  ["reopening a resolved atom", updateAtom(base, "A", "pending"), /only through a redirect/],
  ["working a container", updateAtom(base, "P", "in_progress"), /decomposed/],
  ["working what must wait", updateAtom(base, "D", "in_progress"), /waits for B/],
  ["working an unselected choice", updateAtom(base, "C", "in_progress"), /not selected in g/],
  ["resolving a racing choice that is not selected", updateAtom(base, "r2", "resolved"), /r2 is not selected/],
  ["an id that is taken", addAtom(base, { id: "A", description: "", depends_on: [] }, NOW), /A already/],
  ["a dependency on nothing", addAtom(base, { id: "N", description: "", depends_on: ["ghost"] }, NOW), /ghost/],
  [
    "adding to a completed loop",
    addAtom(withControl({ status: "completed" }), { id: "N", description: "", depends_on: [] }, NOW),
    /completed/,
  ],
  ["failing nobody", markFailed(base, "ghost", { reason: "", attempts: 1, now: NOW }), /no atom ghost/],
  ["failing a resolved atom", markFailed(base, "A", { reason: "", attempts: 1, now: NOW }), /A is resolved/],
  ["failing a container", markFailed(base, "P", { reason: "", attempts: 1, now: NOW }), /decomposed/],
  ["failing an unselected choice", markFailed(base, "C", { reason: "", attempts: 1, now: NOW }), /not selected/],
  ["binding nobody", addBinding(base, "ghost", { summary: "", artifacts: [] }), /no atom ghost/],
  ["binding an open atom", addBinding(base, "B", { summary: "", artifacts: [] }), /B is pending/],
  [
    "another binding",
    addBinding(done(addBinding(base, "A", { summary: "s", artifacts: [] })), "A", { summary: "t", artifacts: [] }),
    /already has a binding/,
  ],
  ["switching no group", switchChoice(base, "none", "B", { reason: "", now: NOW }), /no OR group none/],
  ["switching to an outsider", switchChoice(base, "g", "A", { reason: "", now: NOW }), /no choice of g/],
  ["switching to the selection", switchChoice(base, "g", "B", { reason: "", now: NOW }), /already/],
  ["switching to a failed choice", switchChoice(failed, "g", "x", { reason: "", now: NOW }), /x has failed/],
  ["switching a resolved group", switchChoice(settledGroup, "g", "C", { reason: "", now: NOW }), /g is resolved by B/],
  ["stopping what does not run", requestStop(base, ""), /pending, not running/],
  ["completing unverified", setStatus(running, "completed", null, false), /not verified/],
  ["completing with open atoms", setStatus(base, "completed", null, true), /open: /],
  ["running a completed loop", setStatus(withControl({ status: "completed" }), "running", null, false), /final/],
  ["stopping a completed loop", setStatus(withControl({ status: "completed" }), "stopped", null, false), /final/],
];

for (const [what, result, words] of REFUSALS) {
  test(`SPEC 2, 10: refused, with the reason and what to do: ${what}`, () => {
    expect(result.ok).toBe(false);
    if (result.ok) return;
    expect(result.problems[0]?.message).toMatch(words);
    expect(result.problems[0]?.hint).toMatch(/\S/);
  });
}

test("SPEC 6: completed is set only together with a verdict of true", () => {
  const worked = stateOf({ atoms: [{ id: "A", status: "resolved" }] });
  expect(done(setStatus(worked, "completed", null, true)).control).toMatchObject({
    status: "completed",
    outcome: "verified",
  });
});

test("SPEC 8: resuming a stopped loop clears the stop, its reason, the outcome and the stall count, and no fuel", () => {
  const stopped = withControl({
    status: "stopped",
    stop_requested: true,
    stop_reason: "x",
    outcome: "stalled",
    stall_count: 3,
    iteration: 7,
  });
  expect(done(setStatus(stopped, "running", null, false)).control).toMatchObject({
    status: "running",
    stop_requested: false,
    stop_reason: null,
    outcome: null,
    stall_count: 0,
    iteration: 7,
  });
});

test("SPEC 14: the gate accepts pending and stopped, and names what alignment left out", () => {
  const gates = (["pending", "running", "stopped", "completed"] as const).map(
    (one) => gateOf(withControl({ status: one })).ready,
  );
  expect(gates).toEqual([true, false, true, false]);
  const bare = { ...base, objective: { ...base.objective, goal: " ", deliverables: "" } };
  expect(gateOf(bare)).toEqual({
    ready: false,
    missing: ["objective.goal", "objective.deliverables"],
    status: "pending",
  });
});

test("SPEC 2: a restart is the same graph from the beginning, corrections kept", () => {
  const worn: State = {
    ...done(markFailed(settledGroup, "r1", { reason: "red", attempts: 1, now: NOW })),
    corrections: [{ timestamp: NOW, type: "constraint_change", description: "x", trail_cleared: false }],
    control: {
      ...base.control,
      status: "completed",
      iteration: 9,
      stall_count: 2,
      prev_pending_count: 0,
      outcome: "verified",
    },
  };
  const fresh = restarted(worn);
  expect(fresh.control).toEqual({ ...base.control, outcome: null });
  expect(fresh.atoms.every((atom) => atom.status === "pending" && atom.binding === undefined)).toBe(true);
  expect(fresh.or_groups).toEqual(base.or_groups);
  expect([fresh.trail, fresh.corrections]).toEqual([[], worn.corrections]);
});

test("SPEC 2: whatever is done by hand, the state stays valid and no container is resolved above an open child", () => {
  const id = fc.constantFrom("A1", "A2", "A3", "A4", "A5");
  const operation = fc.oneof(
    fc.tuple(id, fc.constantFrom("pending", "in_progress", "resolved")).map(
      ([atom, to]) =>
        (state: State) =>
          updateAtom(state, atom, to),
    ),
    id.map((atom) => (state: State) => markFailed(state, atom, { reason: "red", attempts: 1, now: NOW })),
    fc.tuple(fc.constantFrom("g0", "g1"), id).map(
      ([group, atom]) =>
        (state: State) =>
          switchChoice(state, group, atom, { reason: "", now: NOW }),
    ),
    id.map((atom) => (state: State) => addBinding(state, atom, { summary: "s", artifacts: [] })),
  );
  fc.assert(
    fc.property(anyState(6), fc.array(operation, { maxLength: 12 }), (start, operations) => {
      let state = settleContainers(start).board.state;
      for (const operate of operations) {
        const result = operate(state);
        if (!result.ok) continue;
        state = result.value.state;
        expect(checkInvariants(state)).toEqual([]);
        expect(openContainers(state)).toEqual([]);
      }
    }),
    { numRuns: 1_500 },
  );
});
