/** What becomes of attempts that do not simply succeed (SPEC section 7). */
import { expect, test } from "vitest";
import { filesExist, setStage } from "./stage.ts";

test("SPEC 7: a merge conflict fails the attempt, and the next one starts from the new base", async () => {
  const stage = setStage({
    files: { list: "one\n" },
    atoms: [{ id: "A1" }, { id: "A2" }],
    script: {
      A1: [{ flag: "read" }, { write: { list: "eins\n" } }],
      "A2.1": [{ await: "read" }, { await: "integrated" }, { write: { list: "uno\n" } }],
      "A2.2": [{ sh: "grep -q eins list" }, { append: { list: "due\n" } }],
    },
  });
  const end = await stage.run({
    during: (line) => {
      if (line.event === "attempt_integrated") stage.raise("integrated");
    },
  });
  expect(end).toMatchObject({ exit_code: 0 });
  expect(stage.integrated("list")).toBe("eins\ndue");
  expect(stage.asked("A2.2").nogoods).toMatchObject([
    { attempt: "A2.1", reason: expect.stringContaining("merge conflict in list") },
  ]);
  // Never lost.
  expect(stage.git("branch", "--list", "aot/*/attempt/*")).toMatch(/A2/);
});

test("SPEC 2, 7: a probe goes first, and what it found reaches the worker and who builds on it, or is all that was asked", async () => {
  const stage = setStage({
    atoms: [
      { id: "A1", probe: true },
      { id: "A2", depends_on: ["A1", "B1"] },
      { id: "B1", probe: true },
    ],
    script: {
      "A1.1": [
        { write: { scribble: "x" } },
        { answer: { feasible: true, findings: "use the second door", cost_estimate: "two hours" } },
      ],
      "A1.2": [{ sh: "test ! -e scribble" }, { write: { a: "1" } }],
      B1: [{ write: { scribble: "y" } }, { answer: { feasible: true, findings: "it takes two keys", done: true } }],
    },
  });
  expect(await stage.run()).toMatchObject({ exit_code: 0 });
  for (const part of ["use the second door", "two hours", "This is attempt 1"])
    expect(stage.asked("A1.2").prompt).toContain(part);
  for (const part of ["A probe had found: use the second door", "B1: it takes two keys"])
    expect(stage.asked("A2.1").prompt).toContain(part);
  expect(stage.journal().filter(({ event, atom }) => event === "attempt_started" && atom === "B1")).toHaveLength(1);
  expect(stage.integrated("scribble")).toBe(null);
});

test("SPEC 2: a probe that says infeasible is a failure with its findings as nogood", async () => {
  const stage = setStage({
    atoms: [{ id: "A1", probe: true }, { id: "A2" }],
    groups: [{ name: "g", choices: ["A1", "A2"] }],
    script: { A1: [{ answer: { feasible: false, findings: "there is no door" } }], A2: [{ write: { a: "1" } }] },
  });
  expect(await stage.run()).toMatchObject({ exit_code: 0 });
  expect(stage.asked("A2.1").nogoods).toMatchObject([{ atom: "A1", reason: "there is no door" }]);
  expect(stage.journal()).toContainEqual(expect.objectContaining({ event: "attempt_failed", kind: "infeasible" }));
});

test("SPEC 7: an atom that is too large is split; what depends on it waits for its children", async () => {
  const children = [
    { id: "S1", description: "half" },
    { id: "S2", description: "other half", depends_on: ["S1"] },
  ];
  const stage = setStage({
    atoms: [{ id: "A1" }, { id: "A2", depends_on: ["A1"] }],
    objective: { base_case: filesExist("s1", "s2") },
    script: {
      A1: [{ answer: { split: children, reason: "too large" } }],
      S1: [{ write: { s1: "1" } }],
      S2: [{ sh: "test -f s1" }, { write: { s2: "2" } }],
      A2: [{ sh: "test -f s1 && test -f s2" }],
    },
  });
  expect(await stage.run()).toMatchObject({ exit_code: 0 });
  expect(stage.state().decompositions).toEqual([{ parent: "A1", children: ["S1", "S2"], reason: "too large" }]);
  expect(stage.asked("A2.1").bindings).toEqual({
    A1: { summary: "Completed via S1, S2 resolution", artifacts: ["s1", "s2"] },
  });
});

test("SPEC 7: a success that changed no file names none in its binding", async () => {
  const stage = setStage({
    atoms: [{ id: "A1" }, { id: "A2", depends_on: ["A1"] }],
    objective: { base_case: filesExist("made") },
    script: {
      A1: [{ answer: { success: true, summary: "it was so already", artifacts: ["README.md"] } }],
      A2: [{ write: { made: "1" } }],
    },
  });
  expect(await stage.run()).toMatchObject({ exit_code: 0 });
  expect(stage.asked("A2.1").bindings).toEqual({ A1: { summary: "it was so already", artifacts: [] } });
});
