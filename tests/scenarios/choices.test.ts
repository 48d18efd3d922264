/** Alternatives: given up, taken over, taken out, exhausted. */
import { expect, test } from "vitest";
import { redirectLoop } from "../../src/index.ts";
import { filesExist, setStage } from "./stage.ts";

const refuses = (summary: string) => [{ answer: { success: false, summary } }];

test("SPEC 7: a failed choice is given up, and the alternative learns why; what is below it is taken out; other atoms' work stays", async () => {
  const stage = setStage({
    atoms: [
      { id: "P" },
      { id: "Q" },
      { id: "A2" },
      { id: "A3", depends_on: ["A2", "X"] },
      { id: "X" },
      { id: "Z", depends_on: ["P"] },
    ],
    groups: [{ name: "g", choices: ["P", "Q"] }],
    splits: [["P", ["A2", "A3"]]],
    constraints: { max_attempts_per_atom: 2 },
    objective: { base_case: filesExist("q", "x", "z") },
    script: {
      A2: [{ write: { "lib/a": "a", shared: "by A2" } }],
      X: [{ await: "A2" }, { write: { x: "x" } }],
      A3: refuses("cannot"),
      Q: [{ sh: "test ! -e lib && test ! -e shared && test -f x" }, { write: { q: "q" } }],
      Z: [{ write: { z: "z" } }],
    },
  });
  const end = await stage.run({
    during: (line) => {
      if (line.event === "atom_resolved") stage.raise(line.atom);
    },
  });
  expect(end).toMatchObject({ exit_code: 0 });
  expect(["lib/a", "shared", "x", "q", "z"].map(stage.integrated)).toEqual([null, null, "x", "q", "z"]);
  expect(stage.asked("Q.1").nogoods.map(({ reason }) => reason)).toEqual(["cannot", "cannot"]);
  expect(stage.asked("Q.1").prompt).toContain("cannot");
  expect(stage.state().trail).toMatchObject([{ or_group: "g", selected: "Q" }]);
});

test("SPEC 7: work that cannot stand without what was taken out is done again", async () => {
  const stage = setStage({
    atoms: [{ id: "P" }, { id: "Q" }, { id: "A2" }, { id: "A3", depends_on: ["X"] }, { id: "X", depends_on: ["A2"] }],
    groups: [{ name: "g", choices: ["P", "Q"] }],
    splits: [["P", ["A2", "A3"]]],
    constraints: { max_attempts_per_atom: 2 },
    objective: { base_case: filesExist("list") },
    script: {
      A2: [{ write: { list: "one\n" } }],
      "X.1": [{ append: { list: "two\n" } }],
      "X.2": [{ append: { list: "zwei\n" } }],
      A3: refuses("cannot"),
      Q: [{ sh: "test ! -e list" }, { write: { list: "eins\n" } }],
    },
  });
  expect(await stage.run()).toMatchObject({ exit_code: 0 });
  const reverted = stage.journal().find(({ event }) => event === "work_reverted");
  expect(reverted).toMatchObject({ commit: expect.any(String), lost: ["X"] });
  expect(stage.integrated("list")).toBe("eins\nzwei");
});

test("SPEC 7, 8, 9: no alternative left is exit 14, and a choice that a person adds takes over in the next run", async () => {
  const stage = setStage({
    atoms: [{ id: "A" }, { id: "B" }, { id: "end", depends_on: ["A"] }],
    groups: [{ name: "g", choices: ["A", "B"] }],
    objective: { base_case: filesExist("c", "end") },
    script: {
      A: [{ write: { a: "x" } }, ...refuses("no such API")],
      B: refuses("too slow"),
      C: [{ sh: "test ! -e a" }, { write: { c: "c" } }],
      end: [{ sh: "test -e c" }, { write: { end: "x" } }],
    },
  });
  expect(await stage.run()).toMatchObject({ exit_code: 14, report: { message: "OR group exhausted: g" } });
  // Without another choice the next run ends as the last one did.
  expect(await stage.run()).toMatchObject({ exit_code: 14 });
  const add = {
    kind: "add",
    id: "C",
    description: "do C",
    depends_on: [],
    or_group: "g",
    reason: "a third way",
  } as const;
  expect(await redirectLoop(stage.stateFile, add)).toMatchObject({ ok: true, value: { via: "file" } });
  expect(await stage.run()).toMatchObject({ exit_code: 0 });
  const { trail, corrections, or_groups } = stage.state();
  expect(or_groups).toMatchObject([{ selected: "C", failed: ["A", "B"] }]);
  expect(trail.map((entry) => ("or_group" in entry ? entry.selected : entry.type))).toEqual(["B", "C"]);
  expect(corrections).toMatchObject([{ type: "dag_adjustment", trail_cleared: false }]);
  const starts = stage.journal().flatMap((line) => (line.event === "attempt_started" ? [line.atom] : []));
  expect(starts).toEqual(["A", "B", "C", "end"]);
});
