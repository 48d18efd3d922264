/** Atoms that wait for each other, and atoms that do not. */
import { expect, test } from "vitest";
import { filesExist, setStage } from "./stage.ts";

test("SPEC 5: a chain is worked one after the other, on what was integrated before", async () => {
  const stage = setStage({
    atoms: [{ id: "A1" }, { id: "A2", depends_on: ["A1"] }, { id: "A3", depends_on: ["A2"] }],
    objective: { base_case: filesExist("a", "b", "c") },
    script: {
      A1: [{ write: { a: "1" } }],
      A2: [{ sh: "test -f a" }, { write: { b: "2" } }],
      A3: [{ sh: "test -f b" }, { write: { c: "3" } }],
    },
  });
  const end = await stage.run();
  expect(end).toMatchObject({ ok: true, exit_code: 0, report: { outcome: "verified", merged: true, attempts: 3 } });
  const events = (kind: string): string =>
    stage
      .journal()
      .flatMap(({ event, atom = "" }) => (event === kind ? atom : []))
      .join(" ");
  for (const kind of ["attempt_started", "attempt_integrated", "atom_resolved"]) expect(events(kind)).toBe("A1 A2 A3");
  expect(stage.read("c")).toBe("3");
  expect(stage.state().control).toMatchObject({ status: "completed", outcome: "verified", stop_reason: null });
});

test("SPEC 7: an attempt gets the bindings of its direct dependencies only", async () => {
  const stage = setStage({
    atoms: [
      { id: "A1" },
      { id: "A2", depends_on: ["A1"] },
      { id: "A3", depends_on: ["A2", "G1"] },
      { id: "G1", depends_on: ["A1"] },
      { id: "G2", depends_on: ["A1"] },
    ],
    groups: [{ name: "g", choices: ["G1", "G2"] }],
    script: {
      A1: [{ write: { a: "1" } }],
      A2: [{ write: { b: "2" } }],
      G1: [{ answer: { success: false, summary: "no" } }],
    },
  });
  expect(await stage.run()).toMatchObject({ exit_code: 0 });
  expect(stage.asked("A1.1").bindings).toEqual({});
  expect(stage.asked("A3.1").bindings).toEqual({
    A2: { summary: "did A2", artifacts: ["b"] },
    // The choice that took over from the one it names.
    G2: { summary: "did G2", artifacts: [] },
  });
  expect(stage.asked("A3.1").prompt).not.toContain("did A1");
});

test("SPEC 5: atoms that are ready work side by side", async () => {
  const stage = setStage({
    atoms: [{ id: "A1" }, { id: "A2" }],
    constraints: { max_parallel_agents: 2 },
    // Each ends only if the other one is running.
    script: {
      A1: [{ flag: "one" }, { await: "two" }, { write: { a: "1" } }],
      A2: [{ flag: "two" }, { await: "one" }, { write: { b: "2" } }],
    },
  });
  expect(await stage.run()).toMatchObject({ exit_code: 0, report: { iteration: 1, attempts: 2 } });
  expect([stage.read("a"), stage.read("b")]).toEqual(["1", "2"]);
});

test("SPEC 5: there is no barrier: a slow atom does not idle the other slots, and its iteration is judged when it settles", async () => {
  const stage = setStage({
    atoms: [{ id: "S" }, { id: "B" }, { id: "C", depends_on: ["B"] }, { id: "D", depends_on: ["C"] }],
    constraints: { max_parallel_agents: 2 },
    script: {
      S: [{ flag: "slow" }, { await: "last" }],
      B: [{ await: "slow" }],
      D: [{ flag: "last" }, { await: "over" }],
    },
  });
  const end = await stage.run({
    during: (line) => {
      if (line.event === "atom_resolved" && line.atom === "S") stage.raise("over");
    },
  });
  expect(end).toMatchObject({ exit_code: 0 });
  const events = stage.journal().map(({ event, iteration, atom }) => `${event} ${atom ?? iteration}`);
  expect(events.indexOf("iteration_judged 1")).toBeGreaterThan(events.indexOf("atom_resolved S"));
});
