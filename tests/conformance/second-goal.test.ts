/** A second goal in the same project (SPEC sections 6 and 7): it has nothing to do with the branches of the first. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aot, aotJson, type RanJson } from "../support/aot.ts";
import { projectWith, type Project } from "./project.ts";

interface Typed extends Project {
  align(goal: string, file: string, ...flags: string[]): Promise<void>;
  run(...flags: string[]): Promise<RanJson>;
}

function project(): Typed {
  const made = projectWith({});
  const { dir, agent } = made;
  return {
    ...made,
    align: async (goal, file, ...flags) => {
      const words = ["align", goal, "--check", `file: ${file}`, "--atom", `A1: ${file}`, "--yes", ...flags];
      expect(await aot(words, { cwd: dir })).toMatchObject({ code: 0 });
    },
    run: async (...flags) => await aotJson(["run", "--agent", agent, ...flags], { cwd: dir }),
  };
}

test("SPEC 6, 7: a second goal starts from where the project stands, protected files included, and is handed over", async () => {
  const { dir, git, align, run } = project();
  await align("Goal one", "one.txt");
  expect(await run()).toMatchObject({ code: 0, json: { outcome: "verified", merged: true } });

  writeFileSync(join(dir, "judge.txt"), "a person's own work between the goals\n");
  git("add", "judge.txt");
  git("commit", "-q", "-m", "the person's");
  await align("Goal two", "two.txt", "--protect", "judge.txt");
  expect(await run()).toMatchObject({ code: 0, json: { outcome: "verified", merged: true } });

  expect(git("ls-tree", "--name-only", "main").split("\n")).toEqual(
    expect.arrayContaining(["judge.txt", "one.txt", "two.txt"]),
  );
  expect(git("branch", "--format=%(refname:short)")).toMatch(/aot\/goal-two-\w+\/integration/);
});

test("SPEC 7: what a goal that was given up had integrated is not in the next one's result, and not lost", async () => {
  const { git, align, run } = project();
  await align(
    "Goal one",
    "one.txt",
    "--check",
    "file: never.txt",
    "--max-iterations",
    "1",
    "--max-parallel-agents",
    "1",
  );
  expect(await run()).toMatchObject({ code: 12, json: { outcome: "max_iterations" } });

  await align("Goal two", "two.txt", "--force");
  expect(await run()).toMatchObject({ code: 0, json: { outcome: "verified", merged: true } });

  expect(git("ls-tree", "--name-only", "main")).toBe("two.txt");
  const [first] = git("branch", "--list", "aot/goal-one-*/integration", "--format=%(refname:short)").split("\n");
  expect(git("ls-tree", "--name-only", first ?? "")).toBe("one.txt");
});
