/** The reducer, by hand: one example of each rule. Its laws are in walk.test.ts. */
import { expect, test } from "vitest";
import { judge } from "../../src/core/verdict.ts";
import { NOW, stateOf, type Sketch } from "../support/loops.ts";
import { play, type Play } from "../support/play.ts";

const atoms = (...ids: string[]): { id: string }[] => ids.map((id) => ({ id }));
const OR = (...choices: string[]): Sketch => ({ atoms: atoms(...choices), groups: [{ name: "g", choices }] });
const RACE = (...choices: string[]): Sketch => ({
  atoms: atoms(...choices),
  groups: [{ name: "g", choices, speculative: true }],
});
/** C is split into c1 and c2, D is its alternative. */
const SPLIT: Sketch = {
  atoms: atoms("C", "D", "c1", "c2"),
  groups: [{ name: "g", choices: ["C", "D"] }],
  splits: [["C", ["c1", "c2"]]],
};

test("SPEC 5: no barrier: a slow atom never idles the other slots; an iteration opens when the batch is full and is judged when its last attempt settles", () => {
  const p = play(stateOf({ atoms: atoms("A1", "A2", "A3", "A4", "A5", "A6") }));
  expect(p.first).toEqual(["start A1.1", "start A2.1", "start A3.1"]);
  expect(p.control.iteration).toBe(1);
  expect(p.succeed("A2.1")).toEqual(["integrate A2.1", "start A4.1"]);
  expect(p.control.iteration).toBe(2);
  p.integrated("A2.1");
  expect(p.succeed("A3.1")).toEqual(["integrate A3.1", "start A5.1"]);
  p.integrated("A3.1");
  expect(p.succeed("A4.1")).toEqual(["integrate A4.1", "start A6.1"]);
  p.integrated("A4.1");
  expect(p.control.prev_pending_count).toBe(-1);
  p.done("A1.1");
  expect(p.facts).toContainEqual(
    expect.objectContaining({ fact: "iteration_judged", iteration: 1, measure: 2, movement: "first" }),
  );
});

test("SPEC 7: an OR choice that fails is taken out before its alternative starts, with the reason as its lesson", () => {
  const p = play(stateOf(OR("A", "B")));
  expect(p.first).toEqual(["start A.1"]);
  expect(p.fail("A.1", "no such API")).toEqual(["shelve A.1", "revert A"]);
  expect(p.reverted()).toEqual(["start B.1"]);
  expect(p.effects.at(-1)).toMatchObject({ nogoods: [{ atom: "A", attempt: "A.1", reason: "no such API" }] });
  expect(p.loop.state.trail).toEqual([
    { or_group: "g", selected: "B", reason: "A failed: no such API", timestamp: NOW },
  ]);
  p.done("B.1");
  expect(p.checked(true)).toEqual(["halt verified"]);
});

test("SPEC 7: a decomposed choice that is given up: children in flight are aborted, integrated ones taken out", () => {
  const p = play(
    stateOf({
      ...SPLIT,
      atoms: [...SPLIT.atoms, { id: "c3" }],
      splits: [["C", ["c1", "c2", "c3"]]],
      constraints: { max_attempts_per_atom: 1 },
    }),
  );
  expect(p.first).toEqual(["start c1.1", "start c2.1", "start c3.1"]);
  p.done("c1.1");
  expect(p.status("c1")).toBe("resolved");
  expect(p.fail("c2.1")).toEqual(["shelve c2.1", "abort c3.1", "revert C c1 c2 c3"]);
  expect([p.status("c1"), p.status("c3"), p.group("g")?.selected]).toEqual(["pending", "pending", "D"]);
  // SCHEDULE-4: the alternative waits for the agent that is still being killed.
  p.reverted();
  expect(p.aborted("c3.1")).toEqual(["shelve c3.1", "start D.1"]);
});

test("SPEC 7: a race: the first success is adopted, the others are aborted and discarded", () => {
  const p = play(stateOf(RACE("A", "B", "C")));
  expect(p.first).toEqual(["start A.1", "start B.1", "start C.1"]);
  expect(p.succeed("B.1")).toEqual(["integrate B.1"]);
  expect(p.succeed("C.1")).toEqual([]);
  expect(p.integrated("B.1")).toEqual(["abort A.1", "revert A", "shelve C.1"]);
  expect(p.group("g")).toMatchObject({ selected: "B", failed: [] });
  expect(p.loop.state.trail).toMatchObject([{ or_group: "g", selected: "B", reason: "B won the race" }]);
  expect(p.reverted()).toEqual([]);
  expect(p.aborted("A.1")).toEqual(["shelve A.1", "check"]);
});

test("SPEC 7: a merge conflict is a failure of the attempt, not of the choice", () => {
  const p = play(stateOf(OR("A", "B")));
  p.succeed("A.1");
  expect(p.fail("A.1", "conflict in x.ts", "conflict")).toEqual(["shelve A.1", "start A.2"]);
  expect(p.effects.at(-1)).toMatchObject({ nogoods: [{ reason: "conflict in x.ts" }], attempt: { number: 2 } });
});

test("SPEC 5: a conflict teaches: its files become touches of the atom, and count for who names none while most touch them", () => {
  const p = play(stateOf({ atoms: atoms("A", "B", "C", "D", "E", "F") }));
  const lands = (attempt: string, file: string): string[] =>
    p.send({ type: "attempt_integrated", at: NOW, attempt, commit: "c", artifacts: [file] });
  expect(p.succeed("A.1")).toEqual(["integrate A.1", "start D.1"]);
  lands("A.1", "LOG.md");
  expect(p.succeed("B.1")).toEqual(["integrate B.1", "start E.1"]);
  const conflict = { type: "attempt_failed", at: NOW, attempt: "B.1", kind: "conflict", reason: "" } as const;
  expect(p.send({ ...conflict, files: ["LOG.md"] })).toEqual(["shelve B.1"]);
  expect(p.loop.state.atoms.find(({ id }) => id === "B")?.touches).toEqual(["LOG.md"]);
  // Both that are known touch it: B waits for D and E, and F for all of them.
  expect(p.succeed("C.1")).toEqual(["integrate C.1"]);
  expect(lands("C.1", "c.ts")).toEqual([]);
  // Two of four do.
  expect(p.succeed("D.1")).toEqual(["integrate D.1"]);
  expect(lands("D.1", "d.ts")).toEqual(["start B.2", "start F.1"]);
});

test("SPEC 6: an attempt that changed a protected file fails and learns why", () => {
  const p = play(stateOf({ atoms: atoms("A") }));
  p.succeed("A.1");
  expect(p.fail("A.1", "it changed spec/a.ts", "protected")).toEqual(["shelve A.1", "start A.2"]);
  expect(p.effects.at(-1)).toMatchObject({ nogoods: [{ reason: "it changed spec/a.ts" }] });
});

test("SPEC 2: unknown territory is probed first; its findings go to the worker; infeasible is a failure with them as nogood", () => {
  const sketch = {
    atoms: [
      { id: "A", probe: true },
      { id: "B", probe: true },
    ],
    groups: [{ name: "g", choices: ["A", "B"] }],
  };
  const p = play(stateOf(sketch));
  expect(p.first).toEqual(["probe A.1"]);
  expect(p.fail("A.1", "the API is gone", "infeasible")).toEqual(["shelve A.1", "revert A"]);
  expect(p.reverted()).toEqual(["probe B.1"]);
  expect(p.effects.at(-1)).toMatchObject({ nogoods: [{ reason: "the API is gone" }] });
  expect(p.send({ type: "probe_feasible", at: NOW, attempt: "B.1", findings: "use v2" })).toEqual([
    "shelve B.1",
    "start B.2",
  ]);
  expect(p.effects.at(-1)).toMatchObject({ findings: "use v2" });
});

test("SPEC 7: a worker that finds its atom too large splits it: an expansion; the parent resolves through its children", () => {
  const p = play(stateOf({ atoms: [{ id: "A1" }, { id: "X", depends_on: ["A1"] }] }));
  const children = [{ description: "a" }, { id: "b", description: "b" }];
  expect(p.send({ type: "work_split", at: NOW, attempt: "A1.1", children, reason: "large" })).toEqual([
    "shelve A1.1",
    "start A2.1",
    "start b.1",
  ]);
  expect(p.facts).toContainEqual({ fact: "atom_decomposed", atom: "A1", children: ["A2", "b"], measure: 3 });
  expect(p.loop.state.decompositions).toEqual([{ parent: "A1", children: ["A2", "b"], reason: "large" }]);
  p.done("A2.1");
  expect(p.status("A1")).toBe("pending");
  expect(p.done("b.1")).toEqual(["start X.1"]);
  expect(p.status("A1")).toBe("resolved");
});

test("SPEC 7: a split that cannot be used is a failure that says so", () => {
  const p = play(stateOf({ atoms: atoms("A1") }));
  const asked = p.send({
    type: "work_split",
    at: NOW,
    attempt: "A1.1",
    children: [{ description: "a", depends_on: ["ghost"] }],
    reason: "",
  });
  expect(asked).toEqual(["shelve A1.1", "start A1.2"]);
  expect(p.effects.at(-1)).toMatchObject({ nogoods: [{ reason: expect.stringContaining("ghost") }] });
  expect(p.facts.map((fact) => fact.fact)).toContain("split_refused");
});

test("SPEC 2: max_attempts_per_atom halts the loop when nothing else can run, and names the atom", () => {
  const p = play(stateOf({ atoms: atoms("A", "B"), constraints: { max_attempts_per_atom: 1 } }));
  p.fail("A.1");
  expect(p.done("B.1")).toEqual(["halt budget"]);
  expect(p.control.stop_reason).toMatch(/max_attempts_per_atom, 1 each for A/);
});

test("SPEC 7: below a choice, attempts that are spent without a failure (a probe) give up the choice", () => {
  const p = play(
    stateOf({
      atoms: [{ id: "A", probe: true }, { id: "B" }],
      groups: [{ name: "g", choices: ["A", "B"] }],
      constraints: { max_attempts_per_atom: 1 },
    }),
  );
  expect(p.send({ type: "probe_feasible", at: NOW, attempt: "A.1", findings: "fine" })).toEqual([
    "shelve A.1",
    "revert A",
  ]);
  expect(p.reverted()).toEqual(["start B.1"]);
  expect(p.group("g")).toMatchObject({ selected: "B", failed: ["A"] });
});

test("SPEC 8: stop: attempts in flight are finished and integrated, nothing new starts, then it stops", () => {
  const p = play(stateOf({ atoms: atoms("A", "B", "C", "D") }));
  expect(p.stop("lunch")).toEqual([]);
  expect(p.stop()).toEqual([]);
  expect(p.succeed("A.1")).toEqual(["integrate A.1"]);
  p.integrated("A.1");
  p.fail("B.1");
  expect(p.done("C.1")).toEqual(["halt stop_requested"]);
  expect([p.status("A"), p.status("B"), p.status("C"), p.status("D")]).toEqual([
    "resolved",
    "pending",
    "resolved",
    "pending",
  ]);
  expect(p.control).toMatchObject({
    status: "stopped",
    outcome: "stop_requested",
    stop_reason: "stopped on request: lunch",
  });
});

test("SPEC 8: stop: a verdict that is under way is ended, for a stop goes before it", () => {
  const p = play(stateOf({ atoms: atoms("A") }));
  expect(p.done("A.1")).toEqual(["check"]);
  expect(p.stop("lunch")).toEqual(["abort check"]);
  expect(p.stop()).toEqual([]);
  expect(p.send({ type: "background_aborted", at: NOW, call: "check" })).toEqual(["halt stop_requested"]);
  expect(p.status("A")).toBe("resolved");
});

const GOAL = { kind: "set", field: "goal", value: "another", reason: "" } as const;
const REASON = { reason: "" } as const;

test("SPEC 8: a redirect that changes the brief ends every agent, and is applied at once; results are discarded", () => {
  const p = play(stateOf({ atoms: atoms("A", "B") }));
  expect(p.redirect(GOAL)).toEqual(["abort A.1", "abort B.1"]);
  expect(p.loop.state.objective.goal).toBe("another");
  expect(p.control.redirect_requested).toBe(false);
  expect(p.loop.state.corrections).toHaveLength(1);
  expect(p.facts.at(-1)).toMatchObject({ fact: "redirected", interrupted: ["A.1", "B.1"], going_on: [] });
  // What it still reports does not count, and while it ends nobody works its atom beside it.
  expect(p.succeed("A.1")).toEqual(["shelve A.1", "start A.2"]);
  expect(p.aborted("B.1")).toEqual(["shelve B.1", "start B.2"]);
  expect(p.aborted("A.1")).toEqual([]);
});

test("SPEC 4, 8: an iteration that a redirect ended whole is not judged; its fuel is spent", () => {
  const p = play(stateOf({ atoms: atoms("A", "B"), constraints: { max_parallel_agents: 2, max_stall_count: 1 } }));
  p.redirect(GOAL);
  p.aborted("A.1");
  expect(p.aborted("B.1")).toEqual(["shelve B.1", "start B.2"]);
  expect(p.facts.map(({ fact }) => fact)).not.toContain("iteration_judged");
  expect(p.control).toMatchObject({ iteration: 2, stall_count: 0 });
});

test("SPEC 8: redirect: what it touches and is being integrated lands first, and counts; what is held is put aside", () => {
  const p = play(stateOf(RACE("A", "B")));
  p.succeed("A.1");
  p.succeed("B.1");
  expect(p.redirect(GOAL)).toEqual([]);
  expect(p.control.redirect_requested).toBe(true);
  expect(p.integrated("A.1")).toEqual(["shelve B.1", "check"]);
  expect(p.status("A")).toBe("resolved");
  expect(p.loop.state.objective.goal).toBe("another");
});

test("SPEC 8: an atom that is taken out and put back under its name waits until the agent of the former one has ended", () => {
  const p = play(stateOf({ atoms: atoms("A", "B") }));
  expect(p.redirect({ kind: "remove", id: "A", ...REASON })).toEqual(["abort A.1"]);
  expect(p.redirect({ kind: "add", id: "A", description: "anew", depends_on: [], ...REASON })).toEqual([]);
  expect(p.aborted("A.1")).toEqual(["shelve A.1", "start A.2"]);
});

test("SPEC 4, 8: a new max_duration wakes the run when it is over", () => {
  const p = play(stateOf({ atoms: atoms("A") }));
  expect(p.at(60).redirect({ kind: "limit", constraint: "max_duration", value: "2m", ...REASON })).toEqual([
    "wake 60000",
  ]);
});

test("SPEC 8: redirect during a check: a new brief ends it once, and it is done again on what is wanted now", () => {
  const p = play(stateOf({ atoms: atoms("A") }));
  expect(p.done("A.1")).toEqual(["check"]);
  expect(p.redirect(GOAL)).toEqual(["abort check"]);
  expect(p.redirect({ ...GOAL, value: "a third" })).toEqual([]);
  expect(p.send({ type: "background_aborted", at: NOW, call: "check" })).toEqual(["check"]);
  expect(p.loop.state.corrections).toHaveLength(2);
  // A check that ended as usual all the same was of the old goal.
  p.redirect(GOAL);
  expect(p.checked(true)).toEqual(["check"]);
});

test("SPEC 8: redirect during replanning: on another brief the planner's atoms are not added; beside new work they are", () => {
  const p = play(stateOf({ atoms: atoms("A", "C") }));
  p.done("A.1");
  p.done("C.1");
  expect(p.checked(false)).toEqual(["replan it"]);
  const late = { type: "replanned", at: NOW, atoms: [{ id: "late", description: "late" }], reason: "" } as const;
  expect(p.redirect(GOAL)).toEqual(["abort planner"]);
  expect(p.send(late)).toEqual(["check"]);
  expect(p.loop.state.atoms.length).toBe(2);
  expect(p.checked(false)).toEqual(["replan it"]);
  expect(p.redirect({ kind: "add", id: "B", description: "", depends_on: [], ...REASON })).toEqual([]);
  expect(p.send(late)).toEqual(["start B.1", "start late.1"]);
});

test("SPEC 8: a redirect behind one that waits is judged by what that one leaves", () => {
  const p = play(stateOf({ atoms: atoms("A") }));
  p.succeed("A.1");
  const add = (id: string, ...depends_on: string[]) =>
    p.redirect({ kind: "add", id, description: id, depends_on, reason: "" });
  expect(p.redirect(GOAL)).toEqual([]);
  expect(add("B")).toEqual([]);
  expect(add("C", "B")).toEqual([]);
  expect(p.facts).toEqual([]);
  expect(add("C")).toEqual([]);
  expect(p.integrated("A.1")).toEqual(["start B.1"]);
  expect(p.facts.map(({ fact }) => fact).filter((fact) => fact.startsWith("redirect"))).toEqual([
    "redirected",
    "redirected",
    "redirected",
    "redirect_refused",
  ]);
  expect(p.loop.state.atoms.map(({ id }) => id)).toEqual(["A", "B", "C"]);
});

test("SPEC 4: verify_each: checked after each iteration; true aborts what runs, and nothing more is integrated", () => {
  const p = play(stateOf({ atoms: atoms("A", "B", "C", "D", "E") }), { settings: { verify_each: true } });
  p.done("A.1");
  p.done("B.1");
  // Iteration 1 is judged with C; D and E of iteration 2 are running.
  expect(p.done("C.1")).toEqual(["check"]);
  // SCHEDULE-5: held until the verdict.
  expect(p.succeed("D.1")).toEqual([]);
  expect(p.checked(true)).toEqual(["shelve D.1", "abort E.1"]);
  expect(p.aborted("E.1")).toEqual(["shelve E.1", "halt verified"]);
});

test("SPEC 4: verify_each: nothing new in the branch is not checked again", () => {
  const p = play(stateOf({ atoms: atoms("A", "B"), constraints: { max_parallel_agents: 1 } }), {
    settings: { verify_each: true },
  });
  expect(p.done("A.1")).toContain("check");
  p.checked(false);
  expect(p.fail("B.1")).not.toContain("check");
});

test("SPEC 6: a base case that is not met becomes new work: the planner's atoms, or one for each failing leaf", () => {
  const p = play(stateOf({ atoms: atoms("A0", "A1") }));
  p.done("A0.1");
  expect(p.done("A1.1")).toEqual(["check"]);
  expect(p.checked(false)).toEqual(["replan it"]);
  expect(p.send({ type: "replanned", at: NOW, atoms: [{ description: "fix it" }], reason: "red" })).toEqual([
    "start A2.1",
  ]);
  p.done("A2.1");
  p.checked(false);
  p.send({ type: "replanned", at: NOW, atoms: [], reason: "" });
  expect(p.loop.state.atoms.at(-1)).toMatchObject({ id: "A3", description: "Make pass: it" });
  p.done("A3.1");
  p.checked(false);
  // What the planner says cannot be used: the failing leaves it is.
  p.send({ type: "replanned", at: NOW, atoms: [{ description: "x", depends_on: ["ghost"] }], reason: "" });
  expect(p.loop.state.atoms.at(-1)).toMatchObject({ id: "A4", description: "Make pass: it" });
});

test("SPEC 9: needs_confirmation: an assertion, or a verdict that nobody gave; a word given beforehand counts", () => {
  const asserted = play(stateOf({ atoms: atoms("A") }));
  asserted.done("A.1");
  expect(asserted.checked(true, true)).toEqual(["halt needs_confirmation"]);
  expect(asserted.control.status).toBe("stopped");
  const confirmed = play(stateOf({ atoms: atoms("A") }), { settings: { confirmed: true } });
  confirmed.done("A.1");
  expect(confirmed.checked(true, true)).toEqual(["halt verified"]);
  const undecided = play(stateOf({ atoms: atoms("A") }));
  undecided.done("A.1");
  expect(undecided.checked(null)).toEqual(["halt needs_confirmation"]);
  expect(undecided.control.stop_reason).toContain("it");
  // A check that was run too seldom is for nobody to decide.
  const beside = play(stateOf({ atoms: atoms("A") }));
  beside.done("A.1");
  const leaves = [
    { item: "runs", check: { type: "command", value: "true" } },
    { item: "reads well", check: { type: "assertion", value: "it reads well" } },
  ] as const;
  const verdict = judge({ checklist: leaves }, () => undefined);
  beside.send({ type: "base_case_checked", at: NOW, verdict, commit: "c" });
  expect(beside.control.stop_reason).toBe("nobody decided: reads well");
});

test("SPEC 6: protected files that changed in another way stop the loop as tampered, listed", () => {
  const p = play(stateOf({ atoms: atoms("A") }));
  p.done("A.1");
  expect(p.send({ type: "tampered", at: NOW, files: ["spec/a.ts"] })).toEqual(["halt tampered"]);
  expect(p.control.stop_reason).toContain("spec/a.ts");
});

test("SPEC 7: an agent that is not available is no failure of the atom; what runs is finished, then the run stops", () => {
  const p = play(stateOf({ atoms: atoms("A", "B", "C", "D") }));
  expect(p.send({ type: "agent_unavailable", at: NOW, attempt: "A.1", reason: "not logged in" })).toEqual([
    "shelve A.1",
  ]);
  p.done("B.1");
  expect(p.done("C.1")).toEqual(["halt agent_unavailable"]);
  expect([...p.loop.run.memory.values()].flatMap((memory) => memory.nogoods)).toEqual([]);
});

test("SPEC 4: the cost budget: nothing starts once it is spent, the outcome says which", () => {
  const p = play(stateOf({ atoms: atoms("A", "B"), constraints: { max_cost_usd: 1, max_parallel_agents: 1 } }));
  p.usage({ cost_usd: 1.25 });
  expect(p.succeed("A.1")).toEqual(["integrate A.1"]);
  expect(p.integrated("A.1")).toEqual(["halt budget"]);
  expect(p.control.stop_reason).toContain("max_cost_usd, 1.25 of 1 USD");
});

test("SPEC 4: the time budget counts earlier runs; the deadline is asked for at the start", () => {
  const sketch = stateOf({ atoms: atoms("A", "B"), constraints: { max_duration: "90s", max_parallel_agents: 1 } });
  const p = play(sketch, { memory: { active_ms: 30_000 } });
  expect(p.first).toEqual(["wake 60000", "start A.1"]);
  p.at(61);
  expect(p.send({ type: "time_passed", at: new Date(Date.parse(NOW) + 61_000).toISOString() })).toEqual([]);
  expect(p.fail("A.1")).toEqual(["shelve A.1", "halt budget"]);
  expect(p.control.stop_reason).toContain("max_duration, 1m 31s of 1m 30s");
});

test("SPEC 8: a crash puts orphans back and refunds nothing; a stop that was asked for stands", () => {
  const dead = stateOf({
    atoms: [
      { id: "A", status: "in_progress" },
      { id: "B", status: "in_progress" },
    ],
    constraints: { max_iterations: 4 },
  });
  const state = { ...dead, control: { ...dead.control, status: "running" as const, iteration: 3, stall_count: 2 } };
  const p = play(state, { from: "crashed", memory: { attempts: { A: 5 }, cost_usd: 2 } });
  expect(p.first).toEqual(["start A.6", "start B.1"]);
  expect(p.control).toMatchObject({ iteration: 4, stall_count: 2 });
  expect(p.loop.run.cost_usd).toBe(2);
  const stopping = play({ ...state, control: { ...state.control, stop_requested: true } }, { from: "crashed" });
  expect(stopping.first).toEqual(["halt stop_requested"]);
});

test("SPEC 7: atoms whose work could not stand without a reverted one are done again", () => {
  const p = play(stateOf({ ...OR("A", "B"), atoms: [...atoms("A", "B", "P", "p")], splits: [["P", ["p"]]] }));
  p.done("p.1");
  expect(p.status("P")).toBe("resolved");
  p.fail("A.1");
  expect(p.reverted("p")).toEqual(["start B.1", "start p.2"]);
  expect([p.status("P"), p.status("p")]).toEqual(["pending", "in_progress"]);
  expect(p.reverted("p", "P")).toEqual([]);
});

test("SPEC 8: late and unknown events change nothing", () => {
  const p = play(stateOf({ atoms: atoms("A", "B") }));
  p.succeed("A.1");
  const before = p.loop;
  expect(p.succeed("A.1")).toEqual([]);
  expect(p.integrated("B.1")).toEqual([]);
  expect(p.aborted("Z.9")).toEqual([]);
  expect(p.reverted("A")).toEqual([]);
  expect(p.checked(true)).toEqual([]);
  expect(p.send({ type: "replanned", at: NOW, atoms: [{ description: "x" }], reason: "" })).toEqual([]);
  expect(p.send({ type: "background_aborted", at: NOW, call: "check" })).toEqual([]);
  expect(p.loop.state).toEqual(before.state);
  expect(p.loop.run).toEqual(before.run);
  p.integrated("A.1");
  p.done("B.1");
  p.checked(true);
  const halted = p.loop;
  p.stop();
  p.redirect(GOAL);
  expect(p.loop).toBe(halted);
});

test("SPEC 8: while a loop is held nothing starts, what is under way lands; a redirect is applied; a stop ends it", () => {
  const atoms = [{ id: "A1" }, { id: "A2" }, { id: "A3", depends_on: ["A1"] }];
  const constraints = { max_parallel_agents: 2 };
  const hold = (p: Play, held: boolean): string[] => p.send({ type: "hold_changed", at: NOW, held });
  const p = play(stateOf({ atoms, constraints }));
  expect(hold(p, true)).toEqual([]);
  expect(p.succeed("A1.1")).toEqual(["integrate A1.1"]);
  expect(p.integrated("A1.1")).toEqual([]);
  expect(p.fail("A2.1")).toEqual(["shelve A2.1"]);
  expect(p.redirect({ kind: "add", id: "A4", description: "new", depends_on: [], reason: "" })).toEqual([]);
  expect(p.status("A4")).toBe("pending");
  expect(p.loop.run.halted).toBe(null);
  expect(hold(p, false)).toEqual(["start A2.2", "start A3.1"]);
  const stopped = play(stateOf({ atoms, constraints }));
  hold(stopped, true);
  stopped.fail("A1.1");
  stopped.fail("A2.1");
  expect(stopped.stop()).toEqual(["halt stop_requested"]);
});

test("SPEC 16: who worked an attempt, and what it calls its commit, go with its work to where it is integrated", () => {
  const one = play(stateOf({ atoms: atoms("A") }));
  const work = { summary: "s", artifacts: ["a"], subject: "feat: s", agent: "claude:opus" };
  one.send({ type: "work_succeeded", at: NOW, attempt: "A.1", ...work });
  expect(one.effects).toEqual([{ type: "integrate", attempt: expect.objectContaining({ id: "A.1" }), ...work }]);
});
