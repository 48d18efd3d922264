/** A project that is a folder of a repository (SPEC sections 2, 6 and 7). */
import { access, mkdir, readFile, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { projectPath } from "../../../src/adapters/workspace/aligned-commit.ts";
import type { GitWorkspaceOptions } from "../../../src/adapters/workspace/workspace-options.ts";
import type { Workspace } from "../../../src/loop/ports.ts";
import {
  attemptOf,
  created,
  integratedFiles,
  testProject,
  work,
  writeFiles,
  type Project,
  tamperedIn,
} from "./project.ts";

const repository = (): Promise<Project> =>
  testProject({ README: "top\n", "pkg/a.txt": "a\n", "pkg/tests/a": "a\n", "tests/a": "top\n" });

async function begun(here: Project, more: Partial<GitWorkspaceOptions> = {}): Promise<Workspace> {
  const root = join(here.root, "pkg");
  await mkdir(join(root, ".claude"), { recursive: true });
  const workspace = await created({
    ...here.options({ root, stateFile: join(root, ".claude/aot-loop-state.md"), dir: join(root, ".claude/aot-loop") }),
    ...more,
  });
  return workspace;
}

test("SPEC 7: attempts and checks begin in the project's folder; the whole worktree is committed, files are named from the project", async () => {
  const here = await repository();
  const workspace = await begun(here);
  await workspace.open();
  const result = await work(workspace, "A1", async (dir) => {
    expect(await readFile(join(dir, "a.txt"), "utf8")).toBe("a\n");
    await writeFiles(dir, { "b.txt": "b\n", "../README": "changed\n" });
  });
  expect(result.kind === "integrated" && [...result.files].sort()).toEqual(["../README", "b.txt"]);
  expect(await integratedFiles(workspace, ["b.txt", "../README"])).toEqual({
    "b.txt": "b\n",
    "../README": "changed\n",
  });
  expect((await workspace.finish("verified")).merged).toBe(true);
  expect(await readFile(join(here.root, "pkg/b.txt"), "utf8")).toBe("b\n");
  await workspace.close();
});

test("SPEC 6, PORTS-2: protected globs are the project's, for attempts and for what is tampered with", async () => {
  const here = await repository();
  const workspace = await begun(here, { protected: ["tests/**"] });
  await workspace.open();
  const change = (files: Record<string, string>) => (dir: string) => writeFiles(dir, files);
  expect(await work(workspace, "A1", change({ "tests/a": "weaker\n" }))).toEqual({
    kind: "protected",
    files: ["tests/a"],
  });
  await workspace.shelve(attemptOf("A1"), "protected");
  expect(await work(workspace, "A2", change({ "../tests/a": "not ours\n" }))).toMatchObject({ kind: "integrated" });
  expect(await tamperedIn(workspace)).toEqual([]);
  await workspace.close();
  const free = await begun(here, { run: "r2" });
  await free.open();
  await work(free, "A3", change({ "tests/a": "weaker\n" }));
  await free.close();
  const strict = await begun(here, { run: "r3", protected: ["tests/**"] });
  await strict.open();
  expect(await tamperedIn(strict)).toEqual(["tests/a"]);
});

test("SPEC 6: a glob that leads out of the project protects what is there", async () => {
  const here = await repository();
  const workspace = await begun(here, { protected: ["../tests/**"] });
  await workspace.open();
  const result = await work(workspace, "A1", (dir) => writeFiles(dir, { "../tests/a": "weaker\n", "tests/a": "b\n" }));
  expect(result).toEqual({ kind: "protected", files: ["../tests/a"] });
});

test("SPEC 7, 8: the loop's own files are left out at the project's place, and are no uncommitted work", async () => {
  const here = await repository();
  const workspace = await begun(here);
  await here.write({ "pkg/.claude/aot-loop-state.md": "state\n", "pkg/mine.txt": "mine\n" });
  const { notes } = await workspace.open();
  expect(notes).toEqual(["Not committed, so attempts do not see it: mine.txt."]);
  const result = await work(workspace, "A1", (dir) =>
    writeFiles(dir, { ".claude/aot-loop-state.md": "x", ".claude/aot-loop-extra.md": "x", "b.txt": "b\n" }),
  );
  expect(result).toMatchObject({ kind: "integrated", files: ["b.txt"] });
});

test("SPEC 7: a project of which nothing is committed yet is an empty folder for attempts; one that became a link is refused", async () => {
  const here = await testProject({ README: "top\n" });
  const workspace = await begun(here);
  await workspace.open();
  expect(await work(workspace, "A1", (dir) => writeFiles(dir, { "b.txt": "b\n" }))).toMatchObject({
    kind: "integrated",
    files: ["b.txt"],
  });
  if (process.platform === "win32") return;
  await work(workspace, "A2", async (dir) => {
    await rm(dir, { recursive: true });
    await symlink(here.root, dir);
  });
  await expect(workspace.checkout()).rejects.toThrow("pkg/ is not a folder any more");
  await expect(access(join(here.root, ".claude/aot-loop"))).rejects.toThrow("ENOENT");
  await workspace.close();
});

test("SPEC 2: a file's name in the project leads to the file, from wherever the project lies", () => {
  const name = fc.stringMatching(/^[a-z][a-z.]{0,3}$/);
  const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"));
  fc.assert(
    fc.property(fc.array(name, { maxLength: 3 }), path, (folders, file) => {
      const prefix = folders.map((folder) => `${folder}/`).join("");
      expect(join("/top", prefix, projectPath(prefix)(file))).toBe(join("/top", file));
    }),
  );
});
