import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createGit } from "../../../src/adapters/workspace/git.ts";
import { addWorktree } from "../../../src/adapters/workspace/worktree.ts";
import { lineRefs } from "../../../src/adapters/workspace/integration-line.ts";
import { scratchPrefix } from "../../../src/adapters/workspace/workspace-name.ts";
import { opened, testProject } from "./project.ts";

test("SPEC 7: a worktree that goes while git makes another one is no failure of the run", async () => {
  const project = await testProject({ "a.txt": "a\n" });
  const admin = join(project.root, ".git", "worktrees");
  const half = join(admin, "A-1-r");
  mkdirSync(half, { recursive: true });
  // What git sees of one that is removed while it reads it: a path that was there a moment ago.
  writeFileSync(join(half, "gitdir"), `${join(project.root, "A-1-r", ".git")}\n`);
  writeFileSync(join(half, "HEAD"), "ref: refs/heads/a\n");
  writeFileSync(join(half, "commondir"), "gone/../../..\n");
  const git = createGit({ cwd: project.root });
  const failures: string[] = [];
  const first = {
    ...git,
    run: async (...call: Parameters<typeof git.run>) => {
      const answer = await git.run(...call);
      if (!answer.ok) failures.push(answer.failure.stderr);
      rmSync(half, { recursive: true, force: true });
      return answer;
    },
  };
  const dir = join(project.root, "B-1-r");
  expect(
    await addWorktree(first, dir, {
      branch: "aot/x/attempt/B-1-r",
      commit: project.git("rev-parse", "HEAD"),
      name: "B-1-r",
    }),
  ).toMatchObject({ dir });
  expect(failures, "git did stumble").toHaveLength(1);
  expect(existsSync(join(dir, "a.txt"))).toBe(true);
});

test("SPEC 8: what a killed run had set aside to remove is removed by the next", async () => {
  const project = await testProject({ "a.txt": "a\n" });
  const aside = join(project.root, ".git", "aot-removed-1-A-1-r");
  mkdirSync(join(aside, "refs"), { recursive: true });
  writeFileSync(join(aside, "HEAD"), "ref: refs/heads/gone\n");
  const workspace = await opened(project);
  await workspace.close();
  expect(readdirSync(join(project.root, ".git")).filter((name) => name.startsWith("aot-"))).toEqual([]);
});

test("SPEC 8: what a git that was killed at once left of a worktree is removed, another's is not", async () => {
  const project = await testProject({ "a.txt": "a\n" });
  await opened(project);
  const admin = join(project.root, ".git", "worktrees");
  for (const name of ["A-1-r9", "B-1-r9"]) mkdirSync(join(admin, name), { recursive: true });
  writeFileSync(join(admin, "A-1-r9", "locked"), "initializing\n");
  project.git("branch", "aot/demo/attempt/A-1-r9");
  await opened(project, { run: "r2" });
  expect(readdirSync(admin)).toEqual(["B-1-r9"]);
  expect(project.git("branch", "--list", "aot/demo/attempt/*")).toBe("");
});

test("SPEC 8: the same of a checkout for verification, whose name says which loop's it is", async () => {
  const project = await testProject({ "a.txt": "a\n" });
  const admin = join(project.root, ".git", "worktrees");
  const other = join(admin, `${scratchPrefix(lineRefs("other").own)}r9-1`);
  for (const half of [join(admin, `${scratchPrefix(lineRefs("demo").own)}r9-1`), other]) {
    mkdirSync(half, { recursive: true });
    writeFileSync(join(half, "locked"), "initializing\n");
  }
  const workspace = await opened(project);
  await workspace.close();
  expect(readdirSync(admin).map((name) => join(admin, name))).toEqual([other]);
});
