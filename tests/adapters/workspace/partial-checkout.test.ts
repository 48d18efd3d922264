/** A merge into the person's checkout that died half-way (SPEC section 8, PORTS-4 of the port). */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Workspace } from "../../../src/loop/ports.ts";
import { opened, testProject, work, writeFiles, type Files, type Project } from "./project.ts";

const FIRST: Files = { "old.txt": "1\n", "gone.txt": "g\n", "mine.txt": "m\n", "deep/also.txt": "d\n" };

/** A verified loop that changes, adds and deletes; and what its files are in the end. */
async function verified(): Promise<{ readonly here: Project; readonly workspace: Workspace }> {
  const here = await testProject(FIRST);
  const workspace = await opened(here);
  await work(workspace, "A1", async (dir) => {
    await writeFiles(dir, { "old.txt": "2\n", "new one.txt": "n\n", "deep/new.txt": "x\n" });
    rmSync(join(dir, "gone.txt"));
  });
  return { here, workspace: workspace };
}

/** As a git leaves it that is killed before it writes its index. */
function cutOff(here: Project): void {
  writeFileSync(join(here.root, "old.txt"), "2\n");
  writeFileSync(join(here.root, "new one.txt"), "n\n");
  writeFileSync(join(here.root, "deep/new.txt"), "");
  rmSync(join(here.root, "gone.txt"));
}

test("SPEC 8: after a merge that was cut off the run says what to type, and that works", async () => {
  const { here, workspace } = await verified();
  cutOff(here);
  const lock = join(here.root, ".git/index.lock");
  writeFileSync(lock, "");
  writeFileSync(join(here.root, "mine.txt"), "my own\n");
  const { merged, message } = await workspace.finish("verified");
  expect([merged, existsSync(lock)]).toEqual([false, true]);
  expect(message).toContain(lock);
  expect(message).toMatch(/up: git merge --no-overwrite-ignore aot\/demo\/integration$/);
  for (const path of [lock, join(here.root, "deep/new.txt"), join(here.root, "new one.txt")]) rmSync(path);
  here.git("checkout", "old.txt");
  here.git("merge", "-q", "aot/demo/integration");
  expect(here.git("status", "--porcelain")).toBe(" M mine.txt");
  expect(readFileSync(join(here.root, "deep/new.txt"), "utf8")).toBe("x\n");
});

test("SPEC 8: a file of the person's that is where the result has one stays", async () => {
  const { here, workspace } = await verified();
  cutOff(here);
  writeFileSync(join(here.root, "deep/new.txt"), "x\nmy own\n");
  const before = here.git("status", "--porcelain");
  const { merged, message } = await workspace.finish("verified");
  expect([merged, message.includes("deep/new.txt")]).toEqual([false, true]);
  expect(here.git("status", "--porcelain")).toBe(before);
  expect(readFileSync(join(here.root, "deep/new.txt"), "utf8")).toBe("x\nmy own\n");
});

test("SPEC 8: a merge that died when all but a lock was done counts as done", async () => {
  const { here, workspace } = await verified();
  await workspace.finish("stop_requested");
  here.git("merge", "-q", "aot/demo/integration");
  const lock = join(here.root, ".git/HEAD.lock");
  writeFileSync(lock, "");
  expect(await workspace.finish("verified")).toMatchObject({ merged: true });
});
