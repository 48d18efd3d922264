import { expect, test } from "vitest";
import { decodeLines } from "../../src/core/decode-line.ts";
import type { AdoptedWork, Event } from "../../src/core/event.ts";
import { linesOf } from "../../src/core/journal-line.ts";
import { createRecall, type Recollection } from "../../src/core/journal.ts";
import { createLoop } from "../../src/core/loop.ts";
import { lostWith, revertsDue, untold, toAdopt } from "../../src/core/lost-work.ts";
import type { Correction } from "../../src/core/state.ts";
import { step } from "../../src/core/step.ts";
import { NOW, stateOf } from "../support/loops.ts";

const REVERTS = [
  { commit: "c1", lost: ["A"] },
  { commit: "c2", lost: ["B", "C"] },
  { commit: "c3", lost: ["A", "D"] },
];

function known(...lines: readonly object[]): Recollection {
  const recall = createRecall();
  for (const line of decodeLines([{ event: "run_started", run: "r" }, ...lines])) recall.read(line);
  return recall.now();
}

function correctionAt(timestamp: string): Correction {
  return { timestamp, type: "dag_adjustment", description: "", trail_cleared: false };
}

function workOf(atom: string): AdoptedWork {
  return { attempt: `${atom}.2`, atom, commit: "c", summary: "", artifacts: [] };
}

test("SPEC 8: after a crash the reverts that no line tells of are unreported", () => {
  expect(untold(known(), REVERTS)).toEqual(REVERTS);
  const reported = [
    { event: "work_reverted", commit: "c1", lost: ["A"] },
    { event: "reverts_done", commits: ["c2"] },
  ];
  expect(untold(known(...reported), REVERTS)).toEqual(REVERTS.slice(2));
});

test("SPEC 8: wherever a crash cut off the lines of a revert, what was lost is known", () => {
  const whole = [
    { event: "work_reverted", commit: "c2", lost: ["B", "C"] },
    { event: "atom_reset", atom: "B" },
    { event: "atom_reset", atom: "C" },
  ];
  const before = { event: "attempt_integrated", attempt: "B.1", atom: "B", commit: "c", artifacts: [] };
  for (let lines = 0; lines <= whole.length; lines++) {
    const recalled = known(before, ...whole.slice(0, lines));
    const lost = [...recalled.reset, ...lostWith(untold(recalled, REVERTS.slice(1, 2)), [])];
    expect(lost, `${lines} lines`).toEqual(["B", "C"]);
    if (lines > 0) expect(recalled.integrated).toEqual([]);
  }
});

test("SPEC 8: a run that ended informed of everything, but for what was due before it began", () => {
  const ended = { event: "run_ended", message: "" };
  expect(untold(known(ended), REVERTS)).toEqual([]);
  expect(untold(known(ended, { event: "revert_due", atoms: ["P"] }), REVERTS)).toEqual(REVERTS);
});

test("SPEC 8: lost is what did not come back since, each atom once", () => {
  expect(lostWith(REVERTS, [])).toEqual(["A", "B", "C", "D"]);
  expect(lostWith(REVERTS, [workOf("A"), workOf("C")])).toEqual(["B", "D"]);
  expect(lostWith([], [])).toEqual([]);
});

test("SPEC 8: a run opens again what was lost, and the containers above it, and tells so", () => {
  const state = stateOf({ atoms: [{ id: "A" }, { id: "T" }, { id: "B" }, { id: "C" }], splits: [["T", ["B"]]] });
  const resolved = { ...state, atoms: state.atoms.map((atom) => ({ ...atom, status: "resolved" as const })) };
  const start: Event = {
    type: "run_started",
    at: NOW,
    run: "r",
    from: "crashed",
    memory: { cost_usd: 0, active_ms: 0, attempts: {}, nogoods: [], probed: {} },
    settings: { verify_each: false, confirmed: false },
    lost: ["B", "C", "no such atom"],
  };
  const { loop, facts } = step(createLoop(resolved), start);
  const statuses = loop.state.atoms.map((atom) => `${atom.id} ${atom.status}`);
  expect(statuses).toEqual(["A resolved", "T pending", "B in_progress", "C in_progress"]);
  expect(facts.flatMap((fact) => (fact.fact === "atom_reset" ? [fact.atom] : []))).toEqual(["B", "C"]);
});

test("SPEC 8: what the journal calls integrated and a run takes out before it begins is not taken up by it", () => {
  const state = stateOf({ atoms: [{ id: "A" }, { id: "B" }] });
  const integrated = (atom: string): object[] => [
    { event: "attempt_started", attempt: `${atom}.1`, atom, iteration: 1, role: "worker" },
    { event: "work_succeeded", attempt: `${atom}.1`, atom, summary: "", artifacts: [] },
    { event: "attempt_integrated", attempt: `${atom}.1`, atom, commit: atom, artifacts: [] },
  ];
  const recalled = known(...integrated("A"), ...integrated("B"), { event: "revert_due", time: NOW, atoms: ["B"] });
  const found = ["A", "B"].map((atom) => ({ attempt: `${atom}.1`, atom, commit: atom, summary: "", artifacts: [] }));
  const due = (times: readonly string[]): readonly string[] =>
    revertsDue(recalled, { corrections: times.map(correctionAt) });
  expect(due([NOW])).toEqual(["B"]);
  expect(due([]), "a redirect that did not come to pass takes nothing out").toEqual([]);
  const adopted = (times: readonly string[]): string[] =>
    toAdopt({ ...state, corrections: times.map(correctionAt) }, recalled, found).map(({ atom }) => atom);
  expect(adopted([])).toEqual(["A", "B"]);
  expect(adopted([NOW])).toEqual(["A"]);
});

test("SPEC 8: what is due stays due until the run that takes it out says so, whatever it says of other reverts", () => {
  const due = { event: "revert_due", time: NOW, atoms: ["B"] };
  const begun = { event: "run_started", run: "r2", revert: ["B"] };
  const other = { event: "reverts_done", commits: ["c1"] };
  const atoms = (...lines: readonly object[]): string[] => known(...lines).reverts_due.flatMap((one) => one.atoms);
  expect(atoms(due, begun)).toEqual(["B"]);
  expect(atoms(due, begun, other)).toEqual(["B"]);
  expect(atoms(due, begun, other, { event: "run_started", run: "r3", revert: ["B"] })).toEqual(["B"]);
  expect(atoms(due, begun, other, { event: "work_reverted", commit: null, lost: [] })).toEqual([]);
  expect(atoms(due, { event: "run_started", run: "r2" }, other), "a redirect that was not made").toEqual([]);
});

test("SPEC 8: work that a redirect of a running run takes out is taken out by the next run, if that one dies before it is", () => {
  const state = stateOf({ atoms: [{ id: "A" }, { id: "B", depends_on: ["A"] }, { id: "C" }] });
  const resolved = state.atoms.map((atom) => (atom.id === "C" ? atom : { ...atom, status: "resolved" as const }));
  const begun = step(createLoop({ ...state, atoms: resolved }), {
    type: "run_started",
    at: NOW,
    run: "r",
    from: "pending",
    memory: { cost_usd: 0, active_ms: 0, attempts: {}, nogoods: [], probed: {} },
    settings: { verify_each: false, confirmed: false },
  }).loop;
  const event: Event = { type: "redirect_requested", at: NOW, redirect: { kind: "redo", id: "A", reason: "no" } };
  const taken = step(begun, event);
  expect(taken.effects).toContainEqual(expect.objectContaining({ type: "revert", atoms: ["A", "B"] }));
  const lines = linesOf(begun, event, taken);
  const due = revertsDue(known(...lines), taken.loop.state);
  expect(due).toEqual(["A", "B"]);
  expect(revertsDue(known(...lines), state), "of a redirect that the state file does not have").toEqual([]);
  const done = { event: "work_reverted", commit: "c", lost: [] };
  expect(revertsDue(known(...lines, done), taken.loop.state)).toEqual([]);
});
