/** Submodules in worktrees (SPEC section 7): filled in from what the person has, and nothing done in them is lost. */
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import {
  attemptOf,
  createProject,
  gitIn,
  integratedFiles,
  opened,
  work,
  writeFiles,
  type Project,
  tamperedIn,
} from "./project.ts";

/** outer > middle > inner, all on this machine. */
async function nestedProjects(): Promise<{
  readonly outer: Project;
  readonly middle: Project;
  readonly inner: Project;
}> {
  const inner = await createProject({ "inner.txt": "inner\n" });
  const middle = await createProject({ "middle.txt": "middle\n" });
  const outer = await createProject({ "outer.txt": "outer\n" });
  for (const one of [inner, middle, outer]) onTestFinished(() => one.remove());
  const add = (to: Project, from: Project, path: string): void => {
    to.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "--name", `the ${path}`, from.root, path);
    to.git("commit", "-q", "-m", `with ${path}`);
  };
  add(middle, inner, "in ner");
  add(outer, middle, "middle");
  outer.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init", "--recursive");
  return { outer, middle, inner };
}

test("SPEC 7: submodules, nested ones too, are filled in without their origin", async () => {
  const { outer, middle, inner } = await nestedProjects();
  const config = outer.git("config", "--local", "--list");
  await middle.remove();
  await inner.remove();
  const workspace = await opened(outer);
  const { dir } = await workspace.start(attemptOf("A1"));
  expect(await readFile(join(dir, "middle/in ner/inner.txt"), "utf8")).toBe("inner\n");
  expect(await integratedFiles(workspace, ["middle/middle.txt"])).toEqual({ "middle/middle.txt": "middle\n" });
  await workspace.close();
  expect(outer.git("config", "--local", "--list")).toBe(config);
  expect(outer.git("worktree", "list").split("\n")).toHaveLength(1);
});

test("SPEC 7: work inside a submodule, committed or not, is integrated and found again", async () => {
  const { outer } = await nestedProjects();
  const workspace = await opened(outer);
  const result = await work(workspace, "A1", async (dir) => {
    await writeFiles(dir, { "middle/in ner/new.txt": "new\n", "middle/middle.txt": "changed\n" });
    gitIn(join(dir, "middle"), "-c", "user.name=x", "-c", "user.email=x@y", "commit", "-q", "-am", "by the agent");
  });
  expect(result).toMatchObject({ kind: "integrated", files: ["middle"] });
  const next = await opened(outer, { run: "r2" });
  expect(await integratedFiles(next, ["middle/in ner/new.txt", "middle/middle.txt"])).toEqual({
    "middle/in ner/new.txt": "new\n",
    "middle/middle.txt": "changed\n",
  });
  await next.revert(["A1"], "out");
  expect(await integratedFiles(next, ["middle/in ner/new.txt", "middle/middle.txt"])).toEqual({
    "middle/in ner/new.txt": undefined,
    "middle/middle.txt": "middle\n",
  });
});

test("SPEC 7: a submodule whose line endings git would change is as it was, but for what the attempt changed", async () => {
  const inner = await createProject({ "a.t": "x\r\n", "b.t": "x\r\n" });
  await inner.write({ ".gitattributes": "*.t text\n" });
  inner.git("-c", "core.safecrlf=false", "add", ".gitattributes");
  inner.git("commit", "-q", "-m", "attributes");
  const outer = await createProject({ "outer.txt": "outer\n" });
  for (const one of [inner, outer]) onTestFinished(() => one.remove());
  outer.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.root, "lib");
  outer.git("commit", "-q", "-m", "with lib");
  const workspace = await opened(outer);
  expect(await work(workspace, "A1", (dir) => writeFiles(dir, { "outer.txt": "2\n" }))).toMatchObject({
    kind: "integrated",
    files: ["outer.txt"],
  });
  expect(await work(workspace, "A2", (dir) => writeFiles(dir, { "lib/a.t": "changed\n" }))).toMatchObject({
    kind: "integrated",
    files: ["lib"],
  });
  const made = outer.loop("rev-parse", "aot/demo/integration:lib");
  expect(
    gitIn(join(outer.root, ".git/modules/lib"), "--git-dir=.", "diff-tree", "-r", "--name-only", `${made}^`, made),
  ).toBe("a.t");
  await workspace.close();
});

test("SPEC 7, 16: a submodule that is empty in the person's checkout and cannot be had is empty in an attempt's", async () => {
  const { outer, middle } = await nestedProjects();
  outer.git("submodule", "--quiet", "deinit", "--all", "--force");
  await rm(join(outer.root, ".git/modules"), { recursive: true });
  await middle.remove();
  const notes: string[] = [];
  const workspace = await opened(outer, { onNote: (text) => void notes.push(text) });
  for (const atom of ["A1", "A2"])
    expect(await work(workspace, atom, (dir) => writeFiles(dir, { [`${atom}.txt`]: "x\n" }))).toMatchObject({
      kind: "integrated",
      files: [`${atom}.txt`],
    });
  expect(notes).toEqual([expect.stringContaining("To have it: git submodule update --init middle")]);
  await workspace.close();
});

test("SPEC 16: a submodule that is not fetched stays so, and the person's settings as they were", async () => {
  const { outer } = await nestedProjects();
  outer.git("submodule", "--quiet", "deinit", "--all", "--force");
  await rm(join(outer.root, ".git/modules"), { recursive: true });
  const config = outer.git("config", "--local", "--list");
  const notes: string[] = [];
  const workspace = await opened(outer, { onNote: (text) => void notes.push(text) });
  expect(await work(workspace, "A1", (dir) => writeFiles(dir, { "A1.txt": "x\n" }))).toMatchObject({
    kind: "integrated",
  });
  expect(outer.git("config", "--local", "--list")).toBe(config);
  expect(notes).toEqual([expect.stringContaining("To have it: git submodule update --init middle")]);
  await workspace.close();
});

test("SPEC 7: a submodule that cannot be had is said with the next step, and nothing hangs", async () => {
  const { outer, middle } = await nestedProjects();
  await rm(join(outer.root, ".git/modules"), { recursive: true });
  await middle.remove();
  const workspace = await opened(outer);
  await expect(workspace.start(attemptOf("A1"))).rejects.toMatchObject({
    problem: { code: "submodules_failed", hint: expect.stringContaining("git submodule update") as string },
  });
  await workspace.close();
  expect(outer.git("worktree", "list").split("\n")).toHaveLength(1);
});

test("SPEC 6: a submodule whose commit no remote has is named at the hand-over, and not once one has it", async () => {
  const { outer } = await nestedProjects();
  const workspace = await opened(outer);
  await work(workspace, "A1", (dir) => writeFiles(dir, { "middle/middle.txt": "changed\n" }));
  const { message, merged } = await workspace.finish("verified");
  expect([merged, message]).toEqual([true, expect.stringMatching(/^Push .*: middle \([\da-f]{10}\)\. main now holds/)]);
  const commit = outer.git("rev-parse", "HEAD:middle");
  gitIn(join(outer.root, "middle"), "update-ref", "refs/remotes/origin/main", commit);
  const later = await opened(outer, { run: "r2" });
  expect((await later.finish("verified")).message).not.toContain("Push");
});

test("SUBMODULE-3: what globs name inside of a submodule is protected, nested ones included", async () => {
  const { outer } = await nestedProjects();
  const workspace = await opened(outer, { protected: ["middle/in ner/*.txt"] });
  const files = (text: string) => (dir: string) => writeFiles(dir, { "middle/in ner/inner.txt": text });
  const result = await work(workspace, "A1", files("easier\n"));
  expect(result).toMatchObject({ kind: "protected", files: ["middle/in ner/inner.txt"] });
  const other = await work(workspace, "A2", (dir) => writeFiles(dir, { "middle/middle.txt": "changed\n" }));
  expect(other).toMatchObject({ kind: "integrated", files: ["middle"] });
  expect(await tamperedIn(workspace)).toEqual([]);
  const later = await opened(outer, { protected: ["**/middle.txt"], run: "r2" });
  expect(await tamperedIn(later)).toEqual(["middle/middle.txt"]);
});
