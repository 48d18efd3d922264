/** What lines say; that recalling them gives what the run remembers is a law in walk.test.ts. */
import { decodeLines } from "../../src/core/decode-line.ts";
import { checkInvariants } from "../../src/core/invariants.ts";
import { expect, test } from "vitest";
import { createRecall, lineOfEvent, lineOfFact, recovered, type Recollection } from "../../src/core/journal.ts";
import { toAdopt } from "../../src/core/lost-work.ts";
import { stateOf } from "../support/loops.ts";
import { play } from "../support/play.ts";

const T = (seconds: number): string => new Date(Date.parse("2026-01-01T00:00:00Z") + seconds * 1_000).toISOString();
const recall = (...lines: readonly object[]): Recollection => {
  const fold = createRecall();
  for (const line of decodeLines(lines)) fold.read(line);
  return fold.now();
};
const started = (attempt: string, atom: string, iteration: number): object => ({
  time: T(1),
  iteration,
  event: "attempt_started",
  attempt,
  atom,
});
const integrated = (attempt: string, atom: string): object => ({
  event: "attempt_integrated",
  attempt,
  atom,
  commit: "c",
  artifacts: ["f"],
});

test("SPEC 8, JOURNAL-LINE-1: a line says when, which run, iteration and atom, and what happened", () => {
  expect(lineOfEvent({ type: "attempt_aborted", at: "T", attempt: "A1.1" }, "r1", 3, "A1")).toEqual({
    time: "T",
    run: "r1",
    iteration: 3,
    event: "attempt_aborted",
    atom: "A1",
    attempt: "A1.1",
  });
  expect(lineOfFact({ fact: "iteration_opened", iteration: 4 }, "T", "r1", 3)).toEqual({
    time: "T",
    run: "r1",
    iteration: 4,
    event: "iteration_opened",
  });
});

test("SPEC 8: cost, time and attempts of all runs add up; the time of a run that crashed ends with its last line", () => {
  const known = recall(
    { time: T(0), run: "r1", event: "run_started", from: "pending" },
    started("A.1", "A", 1),
    { time: T(10), event: "attempt_failed", attempt: "A.1", reason: "red", usage: { cost_usd: 1.5 } },
    { time: T(20), event: "run_ended" },
    { time: T(1_000), run: "r2", event: "run_started", from: "halted" },
    { ...started("A.2", "A", 2), time: T(1_005) },
    { time: T(1_007), event: "probe_feasible", attempt: "A.2", findings: "yes", usage: { cost_usd: 0.5 } },
  );
  expect(known.memory).toEqual({
    cost_usd: 2,
    active_ms: 27_000,
    attempts: { A: 2 },
    nogoods: [{ atom: "A", attempt: "A.1", reason: "red" }],
    probed: { A: "yes" },
  });
  expect([known.iteration, known.unfinished]).toEqual([2, "r2"]);
});

test("SPEC 8: what is before an alignment or a restart belongs to another loop", () => {
  for (const event of ["aligned", "restarted"])
    expect(recall(started("A.1", "A", 5), { event }).memory.attempts).toEqual({});
});

test("SPEC 8, JOURNAL-2: lines of an unknown kind, and known ones with missing or wrong parts, are passed over", () => {
  const known = recall(
    {},
    { event: "from_the_future", usage: "free" },
    { event: 7 },
    { event: "attempt_failed", attempt: 3, reason: null },
    { event: "attempt_integrated" },
    { event: "probe_feasible", findings: [] },
    { event: "iteration_judged", measure: "many" },
    { time: "yesterday", event: "run_started" },
    { event: "base_case_checked", usage: { cost_usd: Number.NaN } },
  );
  expect(known.memory.cost_usd).toBe(0);
  expect(known.memory.active_ms).toBe(0);
});

test("SPEC 8: an atom called __proto__ is counted like any other", () => {
  expect(Object.entries(recall(started("__proto__.1", "__proto__", 1)).memory.attempts)).toEqual([["__proto__", 1]]);
});

test("SPEC 4, 8: after a crash the iteration and the stall count are the journal's, never lower than the state's", () => {
  const state = stateOf({ atoms: [{ id: "A" }] });
  const behind = { ...state, control: { ...state.control, iteration: 2, stall_count: 1, prev_pending_count: 4 } };
  const judged: object = { event: "iteration_judged", iteration: 2, measure: 4, stall_count: 2 };
  const run: object = { run: "r", event: "run_started", from: "pending" };
  expect(recovered(behind, recall(run, judged)).control).toMatchObject({
    iteration: 2,
    stall_count: 2,
    prev_pending_count: 4,
  });
  expect(recovered(behind, recall(run, { event: "iteration_opened", iteration: 3 })).control).toMatchObject({
    iteration: 3,
    stall_count: 1,
  });
  expect(recovered(behind, recall(run, { event: "iteration_opened", iteration: 1 })).control.iteration).toBe(2);
  // Saved since, or cleared by a person who ran the loop again: the state file knows better.
  expect(recovered(behind, recall(run, judged, { event: "state_saved" })).control.stall_count).toBe(1);
  expect(recovered(behind, recall(run, judged, { ...run, from: "halted" })).control.stall_count).toBe(1);
  // A forged end does not lower what a running loop has spent.
  const running = { ...behind, control: { ...behind.control, status: "running" as const } };
  const opened: object = { event: "iteration_opened", iteration: 3 };
  expect(recovered(running, recall(run, opened, { event: "run_ended" })).control.iteration).toBe(3);
  // A run that ended left nothing behind.
  expect(recovered(behind, recall(run, judged, { event: "run_ended" }))).toBe(behind);
});

test("SPEC 8: an atom whose work was taken out before the state was saved is pending again", () => {
  const state = stateOf({
    atoms: [
      { id: "P", status: "resolved" },
      { id: "A", status: "resolved" },
      { id: "B", status: "resolved" },
    ],
    splits: [["P", ["A", "B"]]],
  });
  const known = recall({ run: "r", event: "run_started" }, started("A.1", "A", 1), integrated("A.1", "A"), {
    event: "atom_reset",
    atom: "A",
  });
  expect(recovered(state, known).atoms.map((atom) => atom.status)).toEqual(["pending", "pending", "resolved"]);
  expect(known.integrated).toEqual([]);
  const again = recall(
    { run: "r", event: "run_started" },
    { event: "atom_reset", atom: "A" },
    started("A.2", "A", 1),
    integrated("A.2", "A"),
  );
  expect(again.reset).toEqual([]);
});

const SKETCH = stateOf({
  atoms: [{ id: "A" }, { id: "B", status: "resolved" }, { id: "C" }, { id: "D" }, { id: "c" }],
  groups: [{ name: "g", choices: ["C", "D"], selected: "D", failed: ["C"] }],
  splits: [["C", ["c"]]],
});
const work = (attempt: string, atom: string) => ({ attempt, atom, commit: "c", summary: "", artifacts: [] });

test("SPEC 8: what was integrated stays: journaled and not saved, or in the branch and not journaled any more", () => {
  const known = recall(
    started("A.1", "A", 1),
    { event: "work_succeeded", attempt: "A.1", summary: "did A", artifacts: [] },
    integrated("A.1", "A"),
    started("D.1", "D", 1),
  );
  const found = [work("A.1", "A"), work("D.1", "D"), work("B.1", "B"), work("ghost.1", "ghost")];
  expect(toAdopt(SKETCH, known, found)).toEqual([
    { attempt: "A.1", atom: "A", commit: "c", summary: "did A", artifacts: ["f"] },
    work("D.1", "D"),
  ]);
});

test("SPEC 8: work that a run adopted is adopted again only while the state file does not say so", () => {
  const adopting: object = { run: "r2", event: "run_started", from: "crashed", integrated: [work("A.1", "A")] };
  const unsaved = recall(started("A.1", "A", 1), adopting);
  expect(toAdopt(SKETCH, unsaved, [work("A.1", "A")])).toEqual([work("A.1", "A")]);
  // Saved, and then opened again by a redirect: its old work does not resolve it.
  const saved = recall(started("A.1", "A", 1), adopting, { event: "state_saved" });
  expect(toAdopt(SKETCH, saved, [work("A.1", "A")])).toEqual([]);
  expect(recall({ event: "run_started", integrated: [null, 7, {}] }).settled).toEqual(new Set([""]));
});

test("SPEC 8: a line that tells of a commit which the branch does not hold is not believed", () => {
  const known = recall(started("A.1", "A", 1), integrated("A.1", "A"));
  expect(toAdopt(SKETCH, known, [])).toEqual([]);
  expect(toAdopt(SKETCH, known, [{ ...work("A.1", "A"), commit: "other" }])).toEqual([]);
  expect(toAdopt(SKETCH, known, [work("D.1", "D")])).toEqual([]);
});

test("SPEC 2: counters that no state may hold are not taken from a journal", () => {
  const run: object = { run: "r", event: "run_started" };
  const line = (n: number): object => ({ event: "iteration_judged", iteration: n, measure: n, stall_count: n });
  for (const n of [-50, 1.5, 1e300, Number.NaN]) {
    const state = recovered(stateOf({ atoms: [{ id: "A" }] }), recall(run, line(n)));
    expect(checkInvariants(state)).toEqual([]);
    expect(state.control).toMatchObject({ iteration: 0, stall_count: 0, prev_pending_count: 0 });
  }
});

test("SPEC 4: a run that still writes has not ended, whoever said so: its time counts", () => {
  const line = (ms: number, event: string): object => ({ time: T(ms), run: "r", event });
  const known = recall(line(0, "run_started"), line(1, "run_ended"), line(5, "iteration_opened"));
  expect([known.memory.active_ms, known.unfinished]).toEqual([5_000, "r"]);
});

test("SPEC 8: what the state was saved with, what was discarded, and what is another loop's is not adopted", () => {
  const saved = recall(started("A.1", "A", 1), integrated("A.1", "A"), { event: "state_saved" });
  expect(toAdopt(SKETCH, saved, [work("A.1", "A")])).toEqual([]);
  const discarded = recall(
    started("A.1", "A", 1),
    { event: "attempt_discarded", attempt: "A.1" },
    integrated("A.1", "A"),
  );
  expect(toAdopt(SKETCH, discarded, [])).toEqual([]);
  expect(toAdopt(SKETCH, recall(), [work("A.7", "A")])).toEqual([]);
});

test("SPEC 7, 8: work of a choice that was given up is named although it was journaled, so that it is taken out", () => {
  const known = recall(started("c.1", "c", 1), integrated("c.1", "c"), { event: "state_saved" });
  expect(toAdopt(SKETCH, known, [work("c.1", "c")])).toEqual([{ ...work("c.1", "c"), stale: true }]);
});

test("SPEC 7, 8: a race: a choice that a person left, integrated and not taken out when the run died, is taken out by the next", () => {
  const race = stateOf({
    atoms: [{ id: "A" }, { id: "B" }],
    groups: [{ name: "g", choices: ["A", "B"], selected: "B", speculative: true }],
  });
  const lines = [started("A.1", "A", 1), integrated("A.1", "A")];
  const adopted = toAdopt(race, recall(...lines, { event: "state_saved" }), [work("A.1", "A")]);
  expect(adopted).toEqual([{ ...work("A.1", "A"), stale: true }]);
  const resumed = play(race, { from: "crashed", integrated: adopted });
  expect(resumed.effects).toMatchObject([{ type: "revert", atoms: ["A"] }]);
  expect([resumed.status("A"), resumed.group("g")?.selected]).toEqual(["pending", "B"]);
  // Integrated and not saved since: it has won.
  const won = play(race, { from: "crashed", integrated: toAdopt(race, recall(...lines), [work("A.1", "A")]) });
  expect([won.status("A"), won.group("g")?.selected]).toEqual(["resolved", "A"]);
});

test("SPEC 4, 8: tokens of all runs add up, cached or not; an agent that tells none, or nonsense, adds none", () => {
  const used = (usage: object): object => ({ event: "attempt_failed", attempt: "A.1", reason: "", usage });
  expect(
    recall(
      used({ input_tokens: 100, output_tokens: 20 }),
      { event: "run_ended" },
      used({ output_tokens: 3 }),
      used({ input_tokens: -50, output_tokens: "many" }),
      used({ cost_usd: 1 }),
    ).memory,
  ).toMatchObject({ tokens: 123, cost_usd: 1 });
  expect(recall(used({ cost_usd: 1 })).memory).not.toHaveProperty("tokens");
});
