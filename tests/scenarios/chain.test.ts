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
