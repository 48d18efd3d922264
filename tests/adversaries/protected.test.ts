/** Agents that change what decides the verdict, in their worktree or by git's own means (SPEC sections 6 and 7). */
import { describe, expect, test } from "vitest";
import { expectNothingLeft, expectTrulyVerified, expectUnverified, setScene } from "./scene.ts";

describe.concurrent("SPEC 6: an attempt that changes a protected file fails and learns why", () => {
  test.each([
    "edits",
    "deletesIt",
    "renamesIt",
    "makesItExecutable",
    "linksIt",
    "linksItsFolder",
    "addsAnother",
    "weakensTheScript",
    "commitsIt",
    "makesItARepository",
  ])("%s", async (deed) => {
    const scene = setScene();
    expectUnverified(scene, await scene.run({ deed: `protected#${deed}` }), "max_iterations");
    const failed = scene.stage.journal().find((line) => line.event === "attempt_failed");
    expect(failed).toMatchObject({ kind: "protected", reason: expect.stringMatching(/test|package\.json/) });
    expect(scene.notes(), "its work is kept").toMatch(/the work of A1\.1 is kept in/);
  });
});

describe.concurrent("SPEC 6: what git was asked to hide is not in the commit, and the checks do not see it", () => {
  test.each(["hidesByIgnore", "assumesUnchanged", "skipsTheWorktree", "shimsTheTools", "breaksItsGit"])(
    "%s",
    async (deed) => {
      const scene = setScene();
      expectUnverified(scene, await scene.run({ deed: `protected#${deed}` }), "max_iterations");
    },
  );
});

describe.concurrent("SPEC 6: a verdict's checkout is a clone of the commit, whatever an attempt did to the repository's settings", () => {
  test.each(["replacesTheObject", "smudges", "smudgesByAttributes", "sparsens", "graftsHistory"])(
    "%s",
    async (deed) => {
      const scene = setScene();
      const outcome = "max_iterations";
      const ended = await scene.run({ deed: `protected#${deed}` });
      expect(ended, ended.err).toMatchObject({ code: 12, outcome });
      expect(scene.stage.state().control).toMatchObject({ status: "stopped", outcome });
      expect(scene.stage.read("notes.txt")).toBe("mine\n");
      expectNothingLeft(scene);
    },
  );
});

test("SPEC 6: an object that is not what its name says ends the run with what to do, as often as it is run", async () => {
  const scene = setScene({ constraints: { max_iterations: 3 } });
  for (const deed of ["protected#rewritesTheObject", "lies#claimsSuccess"]) {
    const ended = await scene.run({ deed });
    expect(ended).toMatchObject({ code: 1 });
    expect(JSON.stringify(ended.json)).toMatch(/git fsck/);
    expect(scene.stage.state().control.status).not.toBe("completed");
  }
});

describe.concurrent("SPEC 7, 8: refs and settings that an agent changed are put right, and the loop goes on to the truth", () => {
  test.each(["movesTheBranch", "movesTheOwnRefs", "deletesTheRefs", "makesTheBranchSymbolic", "deletesItsWorktree"])(
    "%s",
    async (deed) => {
      const scene = setScene({ constraints: { max_iterations: 3 } });
      const ended = await scene.run({ deed: `protected#${deed}`, strikes: 1 });
      expectTrulyVerified(scene, ended);
      expect(scene.has("hook-ran")).toBe(false);
    },
  );
});

describe.concurrent("SPEC 6, 7: hooks and settings that an agent left in the repository run nothing, decide nothing, and are said", () => {
  test.each([
    ["setsHooks", ".git/hooks/post-checkout"],
    ["movesTheWorkTree", ".git/config"],
  ])("%s", async (deed, left) => {
    const scene = setScene({ constraints: { max_iterations: 3 } });
    const ended = await scene.run({ deed: `protected#${deed}`, strikes: 1 });
    expectTrulyVerified(scene, ended);
    expect(ended.json["place"]).toContain(left);
    expect(scene.has("hook-ran")).toBe(false);
  });
});

describe.concurrent("SPEC 9: a repository that an agent broke ends the run, with what and where", () => {
  test.each(["deletesTheRepository", "breaksTheConfig"])("%s", async (deed) => {
    const scene = setScene();
    const ended = await scene.run({ deed: `protected#${deed}` });
    expect(ended.code).toBe(1);
    expect(JSON.stringify(ended.json)).toMatch(/repository|config/);
    expect(scene.stage.read("notes.txt")).toBe("mine\n");
    expect(scene.stage.state().control.status).not.toBe("completed");
  });
});

test("SPEC 9: garbage collected under the loop may end the run with what git said, never as verified without the work", async () => {
  const scene = setScene({ constraints: { max_iterations: 5 } });
  const ended = await scene.run({ deed: "protected#collectsGarbage", strikes: 1 });
  // Objects that no ref names yet can go with it; not guaranteed: that the next run needs no `git fsck` first.
  if (ended.code === 0) return expectTrulyVerified(scene, ended);
  expect(ended.code).toBe(1);
  expect(JSON.stringify(ended.json)).toMatch(/git /);
  expect(scene.stage.state().control.status).not.toBe("completed");
  expect(scene.stage.read("notes.txt")).toBe("mine\n");
});
