/** The loop's own repository (SPEC section 7): what a person does beside it, and what a crash leaves of it. */
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { attemptOf, opened, testProject, work, writeFiles, type Project } from "./project.ts";

const lineOf = ({ root }: Project): string => join(root, ".git/aot-loop/demo.git");
const made = (name: string) => (dir: string) => writeFiles(dir, { [name]: `${name}\n` });

/** Nothing that only a reflog or a deleted branch names stays. */
function collect(here: Project): void {
  here.git("reflog", "expire", "--expire=now", "--all");
  here.git("gc", "-q", "--prune=now");
}

test("LINE-REPOSITORY-1: what a person amends, deletes and collects beside a run takes nothing away from it", async () => {
  const here = await testProject({ "a.txt": "a\n" });
  const first = await opened(here);
  await work(first, "A1", made("one.txt"));
  const { dir } = await first.start(attemptOf("A2"));
  await writeFiles(dir, { "a.txt": "tried\n" });
  await first.shelve(attemptOf("A2"), "no");
  await first.close();
  const workspace = await opened(here, { run: "r2" });
  const { dir: mine } = await workspace.start(attemptOf("A3"));
  here.git("commit", "-q", "--amend", "-m", "another");
  for (const branch of here.git("branch", "--list", "aot/*", "--format=%(refname:short)").split("\n"))
    here.git("branch", "-q", "-D", branch);
  here.git("update-ref", "-d", "refs/aot/demo/tip");
  collect(here);
  await writeFiles(mine, { "three.txt": "3\n" });
  const work3 = { description: "x", summary: "x", artifacts: [] };
  expect(await workspace.integrate(attemptOf("A3"), work3)).toMatchObject({ kind: "integrated" });
  await workspace.close();
  expect(here.git("show", "aot/demo/integration:one.txt")).toBe("one.txt");
  expect(here.git("show", "aot/demo/attempt/A2-1-r1:a.txt")).toBe("tried");
  expect(here.git("for-each-ref", "refs/aot/demo/pinned")).toBe("");
});

test("LINE-REPOSITORY-3: after a kill the refs are in the line, and the next run goes on with them; where it is gone, with the person's", async () => {
  const here = await testProject({ "a.txt": "a\n" });
  await work(await opened(here), "A1", made("one.txt"));
  expect(here.git("branch", "--list", "aot/*")).toBe("");
  const next = await opened(here, { run: "r2" });
  await work(next, "A2", made("two.txt"));
  await next.close();
  expect(existsSync(lineOf(here))).toBe(false);
  expect(here.git("ls-tree", "--name-only", "aot/demo/integration").split("\n")).toEqual([
    "a.txt",
    "one.txt",
    "two.txt",
  ]);
  await work(await opened(here, { run: "r3" }), "A3", made("three.txt"));
  rmSync(lineOf(here), { recursive: true });
  const last = await opened(here, { run: "r4" });
  await work(last, "A4", made("four.txt"));
  await last.close();
  expect(here.git("ls-tree", "--name-only", "aot/demo/integration").split("\n")).toEqual([
    "a.txt",
    "four.txt",
    "one.txt",
    "two.txt",
  ]);
});
