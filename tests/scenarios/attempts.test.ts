/** What becomes of attempts that do not simply succeed (SPEC section 7). */
import { expect, test } from "vitest";
import { filesExist, setStage } from "./stage.ts";
import { storyOf } from "./story.ts";

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
  expect(storyOf(stage.journal())).toMatchInlineSnapshot(`
    "
    run started, pending
    [1]
      A1.1 starts (1)
      A2.1 starts (1)
      A1.1 succeeded
      A1.1 integrated: list
      A1 resolved, M=1
      A2.1 succeeded
      A2.1 failed, conflict: merge conflict in list: others changed the same lines meanwhile; work from what is there now
      [1] judged: first, M=1
    [2]
      A2.2 starts (2)
      A2.2 succeeded
      A2.2 integrated: list
      A2 resolved, M=0
      [2] judged: progress, M=0
      base case: true
    halted, verified: the base case is verified
    "
  `);
  expect(stage.integrated("list")).toBe("eins\ndue");
  expect(stage.asked("A2.2").nogoods).toMatchObject([
    { attempt: "A2.1", reason: expect.stringContaining("merge conflict in list") },
  ]);
  // Never lost.
  expect(stage.git("branch", "--list", "aot/*/attempt/*")).toMatch(/A2/);
});

test("SPEC 2: a probe goes first, and the worker gets its findings", async () => {
  const stage = setStage({
    atoms: [{ id: "A1", probe: true }],
    script: {
      "A1.1": [{ write: { scribble: "x" } }, { answer: { feasible: true, findings: "use the second door" } }],
      "A1.2": [{ sh: "test ! -e scribble" }, { write: { a: "1" } }],
    },
  });
  expect(await stage.run()).toMatchObject({ exit_code: 0 });
  expect(storyOf(stage.journal())).toMatchInlineSnapshot(`
    "
    run started, pending
    [1]
      A1.1 starts, a probe (1)
      A1.1 feasible: use the second door
      [1] judged: first, M=1
    [2]
      A1.2 starts (2)
      A1.2 succeeded
      A1.2 integrated: a
      A1 resolved, M=0
      [2] judged: progress, M=0
      base case: true
    halted, verified: the base case is verified
    "
  `);
  expect(stage.asked("A1.2").prompt).toContain("use the second door");
  expect(stage.integrated("scribble")).toBe(null);
});

test("SPEC 2: a probe that says infeasible is a failure with its findings as nogood", async () => {
  const stage = setStage({
    atoms: [{ id: "A1", probe: true }, { id: "A2" }],
    groups: [{ name: "g", choices: ["A1", "A2"] }],
    script: { A1: [{ answer: { feasible: false, findings: "there is no door" } }], A2: [{ write: { a: "1" } }] },
  });
  expect(await stage.run()).toMatchObject({ exit_code: 0 });
  expect(storyOf(stage.journal())).toMatchInlineSnapshot(`
    "
    run started, pending
    [1]
      A1.1 starts, a probe (1)
      A1.1 failed, infeasible: there is no door
      g: A1 given up, M=1
      g: A2 selected
      nothing to revert
      A2.1 starts (1)
      A2.1 succeeded
      A2.1 integrated: a
      A2 resolved, M=0
      [1] judged: first, M=0
      base case: true
    halted, verified: the base case is verified
    "
  `);
  expect(stage.asked("A2.1").nogoods).toMatchObject([{ atom: "A1", reason: "there is no door" }]);
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
  expect(storyOf(stage.journal())).toMatchInlineSnapshot(`
    "
    run started, pending
    [1]
      A1.1 starts (1)
      A1.1 splits: too large
      A1 -> S1 S2, M=3
      S1.1 starts (1)
      S1.1 succeeded
      S1.1 integrated: s1
      S1 resolved, M=2
      S2.1 starts (1)
      S2.1 succeeded
      S2.1 integrated: s2
      S2 resolved, M=1
      A1 resolved, M=1
      [1] judged: first, M=1
    [2]
      A2.1 starts (2)
      A2.1 succeeded
      A2.1 integrated: nothing
      A2 resolved, M=0
      [2] judged: progress, M=0
      base case: true
    halted, verified: the base case is verified
    "
  `);
  expect(stage.state().decompositions).toEqual([{ parent: "A1", children: ["S1", "S2"], reason: "too large" }]);
  expect(stage.asked("A2.1").bindings).toEqual({
    A1: { summary: "Completed via S1, S2 resolution", artifacts: ["s1", "s2"] },
  });
});

test("SPEC 7: a split that gives no valid graph is a failure with its reason", async () => {
  const children = [
    { id: "S1", description: "half", depends_on: ["S2"] },
    { id: "S2", description: "half", depends_on: ["S1"] },
  ];
  const stage = setStage({
    atoms: [{ id: "A1" }],
    script: { "A1.1": [{ answer: { split: children, reason: "round" } }], "A1.2": [{ write: { a: "1" } }] },
  });
  expect(await stage.run()).toMatchObject({ exit_code: 0 });
  expect(stage.asked("A1.2").nogoods).toMatchObject([
    { reason: expect.stringContaining("the split cannot be taken up") },
  ]);
  expect(stage.state().atoms.length).toBe(1);
});

test("SPEC 4: max_attempts_per_atom ends the loop as spent budget, and counts over runs", async () => {
  const stage = setStage({
    atoms: [{ id: "A1" }],
    constraints: { max_attempts_per_atom: 2, max_stall_count: 9 },
    script: { A1: [{ exit: 3, stderr: "boom" }] },
  });
  const spent = {
    exit_code: 13,
    report: { outcome: "budget", message: "budget spent: max_attempts_per_atom, 2 each for A1" },
  };
  expect(await stage.run()).toMatchObject(spent);
  expect(await stage.run()).toMatchObject({ ...spent, report: { ...spent.report, attempts: 0 } });
});

test("SPEC 6: an attempt that changes a protected file is not integrated, and learns why", async () => {
  const stage = setStage({
    files: { "tests/check.sh": "exit 1\n" },
    atoms: [{ id: "A1" }],
    objective: { protected: ["tests/**"], base_case: filesExist("a") },
    script: {
      "A1.1": [{ write: { a: "1", "tests/check.sh": "exit 0\n" } }],
      "A1.2": [{ sh: "grep -q 'exit 1' tests/check.sh" }, { write: { a: "1" } }],
    },
  });
  expect(await stage.run()).toMatchObject({ exit_code: 0 });
  expect(storyOf(stage.journal())).toMatchInlineSnapshot(`
    "
    run started, pending
    [1]
      A1.1 starts (1)
      A1.1 succeeded
      A1.1 failed, protected: it changed protected files: tests/check.sh; they decide the verdict and no attempt may touch them
      [1] judged: first, M=1
    [2]
      A1.2 starts (2)
      A1.2 succeeded
      A1.2 integrated: a
      A1 resolved, M=0
      [2] judged: progress, M=0
      base case: true
    halted, verified: the base case is verified
    "
  `);
  expect(stage.asked("A1.2").nogoods).toMatchObject([{ reason: expect.stringContaining("tests/check.sh") }]);
  expect(stage.integrated("tests/check.sh")).toBe("exit 1");
});
