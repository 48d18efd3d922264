/** Redirects from another process while agents are running (SPEC section 8, the table). */
import { beforeAll, expect, test } from "vitest";
import { redirectLoop } from "../../src/index.ts";
import type { Redirect } from "../../src/core/redirect.ts";
import type { CorrectionType } from "../../src/core/state.ts";
import { isAlive } from "../../src/host/process.ts";
import { bundleFixture, eventually } from "../support/bundle.ts";
import { startRunner } from "./runner.ts";
import { filesExist, setStage, type Play, type Stage } from "./stage.ts";

let runner = "";
beforeAll(async () => {
  runner = await bundleFixture("programs/runner.ts");
});

/** `base` is done; P and H work on it side by side. */
const PLAY: Omit<Play, "script"> = {
  atoms: [
    { id: "base" },
    { id: "P", depends_on: ["base"] },
    { id: "Q", depends_on: ["base"] },
    { id: "H", depends_on: ["base"] },
    { id: "spare", depends_on: ["P", "H"] },
  ],
  groups: [{ name: "g", choices: ["P", "Q"] }],
  constraints: { max_parallel_agents: 2 },
  objective: { base_case: filesExist("base") },
};

const FINISHES: NonNullable<Play["script"]> = {
  "base.1": [{ write: { base: "first" } }],
  "base.2": [{ sh: "test ! -e base" }, { write: { base: "second" } }],
  "P.1": [{ write: { p: "1" } }, { flag: "P" }, { await: "go" }],
  "H.1": [{ write: { h: "1" } }, { flag: "H" }, { await: "go" }],
};

/** P and H are running while the loop is redirected; `ended`: whom that ends. */
async function redirected(
  redirect: Redirect,
  ended: readonly string[],
): Promise<{ stage: Stage; answer: Awaited<ReturnType<typeof redirectLoop>> }> {
  const stage = setStage({ ...PLAY, script: FINISHES });
  const run = startRunner(runner, stage);
  await eventually("both agents work", () => stage.isRaised("P") && stage.isRaised("H"), 30_000);
  const agents = new Map(["P.1", "H.1"].map((attempt) => [attempt, stage.pidOf(attempt)]));
  const answer = await redirectLoop(stage.stateFile, redirect);
  for (const [attempt, pid] of agents)
    if (ended.includes(attempt)) await eventually(`${attempt} ends`, () => !isAlive(pid), 30_000);
    else expect([attempt, isAlive(pid)]).toEqual([attempt, true]);
  stage.raise("go");
  expect(await run.ended()).toEqual({ exit_code: 0 });
  stage.expectClean();
  const firsts = stage.journal().flatMap((line) => (line.event === "attempt_integrated" ? [line.attempt] : []));
  for (const attempt of agents.keys())
    expect([attempt, firsts.includes(attempt)], "what goes on counts").toEqual([attempt, !ended.includes(attempt)]);
  const told = stage.journal().find((line) => line.event === "redirected");
  expect(told?.event === "redirected" ? told.interrupted?.toSorted() : null).toEqual([...ended].toSorted());
  expect(stage.state().control).toMatchObject({ redirect_requested: false, outcome: "verified" });
  return { stage, answer };
}

const reason = "because";
const KINDS: readonly (readonly [string, Redirect, CorrectionType, readonly string[], (stage: Stage) => void])[] = [
  [
    "set goal",
    { kind: "set", field: "goal", value: "another goal", reason },
    "objective_change",
    ["P.1", "H.1"],
    (stage) => expect(stage.state().objective.goal).toBe("another goal"),
  ],
  [
    "remove, of what waits",
    { kind: "remove", id: "spare", reason },
    "dag_adjustment",
    [],
    (stage) => expect(stage.state().atoms.map(({ id }) => id)).toEqual(["base", "P", "Q", "H"]),
  ],
  [
    "change, of what is worked",
    { kind: "change", id: "P", description: "in other words", reason },
    "dag_adjustment",
    ["P.1"],
    (stage) => expect(stage.asked("P.2").atom).toEqual({ id: "P", description: "in other words" }),
  ],
  [
    "of several changes at once",
    {
      kind: "transaction",
      changes: [
        { kind: "limit", constraint: "max_iterations", value: 40, reason: "" },
        { kind: "add", id: "new", description: "one more", depends_on: [], reason: "" },
        { kind: "change", id: "spare", depends_on: ["new"], reason: "" },
      ],
      reason,
    },
    "dag_adjustment",
    [],
    (stage) => expect(Object.keys(stage.asked("spare.1").bindings)).toEqual(["new"]),
  ],
  [
    "choose",
    { kind: "choose", group: "g", atom: "Q", reason },
    "dag_adjustment",
    ["P.1"],
    (stage) => {
      expect(stage.state().trail).toMatchObject([{ or_group: "g", selected: "Q", reason }]);
      expect(stage.journal().filter((line) => line.event === "attempt_started" && line.atom === "P")).toHaveLength(1);
      expect([stage.integrated("p"), stage.integrated("h")]).toEqual([null, "1"]);
    },
  ],
  [
    "redo",
    { kind: "redo", id: "base", reason },
    "dag_adjustment",
    ["P.1", "H.1"],
    (stage) => {
      expect(stage.state().trail).toMatchObject([{ type: "user_correction", reason: expect.stringContaining(reason) }]);
      expect(stage.integrated("base")).toBe("second");
      expect(stage.asked("base.2").prompt).toMatch(
        /a person: resolved before, and to be done again: because\n.*It had reported: did base/s,
      );
    },
  ],
  [
    "rebind",
    { kind: "rebind", id: "base", binding: { summary: "by hand", artifacts: ["base", "x"] }, reason },
    "bindings_override",
    ["P.1", "H.1"],
    (stage) => expect(stage.asked("P.2").bindings).toEqual({ base: { summary: "by hand", artifacts: ["base", "x"] } }),
  ],
];

test.each(KINDS)(
  "SPEC 8: redirect %s ends what it touches, the rest goes on and counts; it is recorded, and the asker learns it",
  async (_, redirect, type, ended, look) => {
    const { stage, answer } = await redirected(redirect, ended);
    const { corrections } = stage.state();
    expect(corrections).toMatchObject([{ type, trail_cleared: type === "objective_change" }]);
    expect(corrections[0]?.description).toContain(reason);
    const names = answer.ok ? answer.value.description : "";
    expect(answer).toMatchObject({ ok: true, value: { via: "runner", revert: [], notes: [] } });
    expect(names.startsWith(corrections[0]?.description ?? "-")).toBe(true);
    for (const attempt of ["P.1", "H.1"]) expect(names).toContain(attempt);
    look(stage);
  },
);

test("SPEC 4, 8: three redirects in a row that touch nothing spend no iteration and end no agent", async () => {
  const stage = setStage({ ...PLAY, script: FINISHES });
  const run = startRunner(runner, stage);
  await eventually("both agents work", () => stage.isRaised("P") && stage.isRaised("H"), 30_000);
  // The state file may lag behind the journal.
  const iterationNow = (): number => Math.max(...stage.journal().map((line) => line.iteration));
  const iteration = iterationNow();
  for (const value of [40, 41, 42])
    expect(
      await redirectLoop(stage.stateFile, { kind: "limit", constraint: "max_iterations", value, reason }),
    ).toMatchObject({ ok: true });
  expect(iterationNow()).toBe(iteration);
  stage.raise("go");
  expect(await run.ended()).toEqual({ exit_code: 0 });
  const starts = stage.journal().flatMap((line) => (line.event === "attempt_started" ? [line.attempt] : []));
  expect(starts.toSorted()).toEqual(["H.1", "P.1", "base.1", "spare.1"]);
  stage.expectClean();
});

test("SPEC 8: with --finish what a redirect touches ends first, and counts; nothing is started meanwhile", async () => {
  const stage = setStage({ ...PLAY, constraints: { max_parallel_agents: 3 }, script: FINISHES });
  const run = startRunner(runner, stage);
  await eventually("both agents work", () => stage.isRaised("P") && stage.isRaised("H"), 30_000);
  const agents = ["P.1", "H.1"].map((attempt) => stage.pidOf(attempt));
  const asked = redirectLoop(stage.stateFile, {
    kind: "transaction",
    changes: [
      { kind: "set", field: "goal", value: "another goal", reason: "" },
      { kind: "add", id: "new", description: "one more", depends_on: [], reason: "" },
    ],
    reason,
    finish: true,
  });
  await eventually(
    "it is asked for",
    () => stage.journal().some(({ event }) => event === "redirect_requested"),
    30_000,
  );
  expect(agents.map(isAlive)).toEqual([true, true]);
  stage.raise("go");
  expect(await asked).toMatchObject({ ok: true });
  expect(await run.ended()).toEqual({ exit_code: 0 });
  const events = stage.journal().map(({ event, atom = "" }) => `${event} ${atom}`);
  expect(events.filter((event) => event.startsWith("attempt_discarded"))).toEqual([]);
  const made = events.findIndex((event) => event.startsWith("redirected"));
  for (const atom of ["P", "H"]) expect(events.indexOf(`attempt_integrated ${atom}`)).toBeLessThan(made);
  expect(events.indexOf("attempt_started new")).toBeGreaterThan(made);
  stage.expectClean();
});

test("SPEC 8: a redirect that would leave an invalid state is refused, and the asker learns why; no agent is killed", async () => {
  const stage = setStage({
    ...PLAY,
    script: {
      "base.1": [{ write: { base: "first" } }],
      "P.1": [{ flag: "P" }, { await: "go" }, { write: { done: "x" } }],
      "H.1": [{ flag: "H" }, { await: "go" }],
    },
  });
  const run = startRunner(runner, stage);
  await eventually("both agents work", () => stage.isRaised("P") && stage.isRaised("H"), 30_000);
  const answer = await redirectLoop(stage.stateFile, { kind: "remove", id: "base", reason });
  expect(answer.ok ? [] : answer.problems).toMatchObject([
    { message: expect.stringContaining("it is resolved"), hint: expect.stringContaining("aot redirect rebind") },
  ]);
  expect([stage.pidOf("P.1"), stage.pidOf("H.1")].map(isAlive), "nobody is killed for it").toEqual([true, true]);
  stage.raise("go");
  expect(await run.ended()).toEqual({ exit_code: 0 });
  stage.expectClean();
  expect(stage.integrated("done"), "the interrupted work counts").toBe("x");
  const starts = stage.journal().filter((line) => line.event === "attempt_started");
  expect(starts.map((line) => line.atom ?? "").toSorted()).toEqual(["H", "P", "base", "spare"]);
  expect(stage.state().control).toMatchObject({ redirect_requested: false, outcome: "verified" });
  expect(stage.state().corrections).toEqual([]);
});

test("SPEC 8: what a redirect of the stopped loop gave up is taken out by the next run, once", async () => {
  const stage = setStage({
    atoms: [{ id: "P" }, { id: "Q" }, { id: "X", depends_on: ["P"] }, { id: "Y", depends_on: ["X"] }],
    groups: [{ name: "g", choices: ["P", "Q"] }],
    constraints: { max_parallel_agents: 1 },
    objective: { base_case: filesExist("y") },
    script: {
      P: [{ write: { p: "p" } }],
      Q: [{ sh: "test ! -e p" }, { write: { q: "q" } }],
      X: [{ write: { x: "x" } }],
      Y: [{ write: { y: "y" } }],
    },
  });
  const stopAt = (atom: string) => ({
    during: (line: { event: string; atom?: string }, control: { stop(reason: string): void }) => {
      if (line.event === "attempt_started" && line.atom === atom) control.stop("a look");
    },
  });
  const choose = (atom: string) => redirectLoop(stage.stateFile, { kind: "choose", group: "g", atom, reason });
  expect(await stage.run(stopAt("P"))).toMatchObject({ exit_code: 10 });
  expect(await choose("Q")).toMatchObject({ ok: true, value: { via: "file", revert: ["P"] } });
  expect(await stage.run(stopAt("Q"))).toMatchObject({ exit_code: 10 });
  expect([stage.integrated("p"), stage.integrated("q")]).toEqual([null, "q"]);
  expect(await choose("P")).toMatchObject({ ok: true });
  expect(await stage.run(stopAt("P"))).toMatchObject({ exit_code: 10 });
  expect([stage.integrated("p"), stage.integrated("q")]).toEqual(["p", null]);
  // The reverts were done: neither of them is done again.
  expect(await stage.run()).toMatchObject({ exit_code: 0 });
  expect([stage.integrated("p"), stage.integrated("q"), stage.integrated("y")]).toEqual(["p", null, "y"]);
});

test("SPEC 8: what a person has done again in a stopped loop starts without its work and what was built on it; other work stays", async () => {
  const stage = setStage({
    atoms: [{ id: "A" }, { id: "B", depends_on: ["A"] }, { id: "C" }, { id: "D", depends_on: ["B", "C"] }],
    constraints: { max_parallel_agents: 1 },
    objective: { base_case: filesExist("a", "b", "c", "d") },
    script: {
      "A.1": [{ write: { a: "1" } }],
      "A.2": [{ sh: "test ! -e a && test ! -e b && test -e c" }, { write: { a: "2" } }],
      "B.1": [{ write: { b: "1" } }],
      "B.2": [{ sh: "grep 2 a" }, { write: { b: "2" } }],
      C: [{ write: { c: "1" } }],
      D: [{ write: { d: "1" } }],
    },
  });
  const beforeD = {
    during: (line: { event: string; atom?: string }, control: { stop(reason: string): void }) => {
      if (line.event === "attempt_started" && line.atom === "D") control.stop("a look");
    },
  };
  expect(await stage.run(beforeD)).toMatchObject({ exit_code: 10 });
  const request = { kind: "redo", id: "A", reason } as const;
  const answer = await redirectLoop(stage.stateFile, request);
  expect(answer).toMatchObject({ ok: true, value: { via: "file", revert: expect.arrayContaining(["A", "B"]) } });
  expect(await redirectLoop(stage.stateFile, request)).toMatchObject({
    ok: false,
    problems: [{ message: "A is pending: there is nothing to do again" }],
  });
  expect(await stage.run()).toMatchObject({ exit_code: 0 });
  expect(["a", "b", "c", "d"].map((file) => stage.integrated(file))).toEqual(["2", "2", "1", "1"]);
  // SPEC 7: what a person said about it.
  expect(stage.asked("A.2").prompt).toContain(`a person: resolved before, and to be done again: ${reason}`);
});

test("SPEC 5, 8: a redirect that raises max_parallel_agents takes effect at once; one that lowers it ends nobody and holds from then on", async () => {
  const stage = setStage({
    ...PLAY,
    constraints: { max_parallel_agents: 1 },
    script: {
      "base.1": [{ write: { base: "x" } }],
      "H.1": [{ flag: "H.1" }, { await: "go" }],
      "P.1": [{ flag: "P.1" }, { await: "go" }],
    },
  });
  const run = startRunner(runner, stage);
  const limit = (value: number): ReturnType<typeof redirectLoop> =>
    redirectLoop(stage.stateFile, { kind: "limit", constraint: "max_parallel_agents", value, reason });
  await eventually("one agent works", () => stage.isRaised("H.1") || stage.isRaised("P.1"), 30_000);
  expect((await limit(2)).ok).toBe(true);
  await eventually("two work side by side", () => stage.isRaised("H.1") && stage.isRaised("P.1"), 30_000);
  expect([stage.pidOf("H.1"), stage.pidOf("P.1")].map(isAlive)).toEqual([true, true]);
  expect((await limit(1)).ok).toBe(true);
  expect([stage.pidOf("H.1"), stage.pidOf("P.1")].map(isAlive)).toEqual([true, true]);
  stage.raise("go");
  expect(await run.ended()).toEqual({ exit_code: 0 });
  const lines = stage.journal();
  expect(lines.filter((line) => line.event === "attempt_discarded")).toEqual([]);
  const last = lines.findLastIndex((line) => line.event === "redirected");
  const batches = lines.slice(last).filter((line) => line.event === "attempt_started");
  expect(new Set(batches.map(({ iteration }) => iteration)).size, "one attempt in each").toBe(batches.length);
  stage.expectClean();
});
