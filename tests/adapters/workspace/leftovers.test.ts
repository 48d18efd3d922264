/** What goes when somebody cleans up, and what never does (SPEC sections 7 and 8). */
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { leftoversIn, removeLeftovers, type Leftovers } from "../../../src/adapters/workspace/leftovers.ts";
import { loopPaths } from "../../../src/host/loop-paths.ts";
import { findRepository } from "../../../src/adapters/workspace/repository.ts";
import { attemptOf, gitIn, opened, testProject, workOf, writeFiles, type Project } from "./project.ts";

const project = (): Promise<Project> => testProject({ "a.txt": "a\n", ".gitignore": "deps/\n" });

const worktreesOf = (here: Project): string => join(here.root, ".claude/worktrees/aot-loop");

async function look(here: Project, current = ""): Promise<Leftovers> {
  const repository = await findRepository(here.root);
  if (!repository.ok) throw new Error(repository.problem.message);
  return await leftoversIn(repository.value, loopPaths(here.options().stateFile), current);
}

async function clean(here: Project, current = ""): Promise<readonly string[]> {
  const repository = await findRepository(here.root);
  if (!repository.ok) throw new Error(repository.problem.message);
  return await removeLeftovers(repository.value, await look(here, current));
}

const refs = (here: Project): string[] => here.git("for-each-ref", "--format=%(refname)").split("\n");

test("SPEC 8, LEFTOVERS-1: of the slots that a dead run left only those without work go", async () => {
  const here = await project();
  // As a killed run leaves it: nothing is closed.
  const workspace = await opened(here, { loop: "dead" });
  const places = new Map<string, string>();
  for (const atom of ["Idle", "Edited", "Fresh", "Ignored", "Committed"])
    places.set(atom, (await workspace.start(attemptOf(atom))).dir);
  const dirOf = (atom: string): string => places.get(atom) ?? "";
  await workspace.checkout();
  await writeFiles(dirOf("Edited"), { "a.txt": "b\n" });
  await writeFiles(dirOf("Fresh"), { "new/file.txt": "x", "new/other.txt": "x" });
  await writeFiles(dirOf("Ignored"), { "deps/big": "x" });
  await writeFiles(dirOf("Committed"), { "c.txt": "c" });
  gitIn(dirOf("Committed"), "add", "-A");
  gitIn(dirOf("Committed"), "-c", "user.name=n", "-c", "user.email=e@x", "commit", "-q", "-m", "mine");
  await mkdir(join(worktreesOf(here), "dead", "stray"));
  await writeFile(join(worktreesOf(here), "dead", "stray", "file"), "x");
  const found = (await look(here, "dead")).slots.map(({ slot, holds }): [string, string | null] => [
    slot.name.split("-")[0] ?? "",
    holds,
  ]);
  expect(Object.fromEntries(found)).toEqual({
    Idle: null,
    Ignored: null,
    "+check": null,
    Edited: "1 changed file",
    Fresh: "2 changed files",
    Committed: "1 changed file",
    stray: "files that git does not know",
  });
  expect(await clean(here, "dead")).toHaveLength(3);
  for (const [atom, dir] of places)
    expect([atom, existsSync(dir)]).toEqual([atom, !["Idle", "Ignored"].includes(atom)]);
  const line = join(here.root, ".git/aot-loop/dead.git");
  const attempts = (): string[] => gitIn(line, "for-each-ref", "refs/heads/aot/dead/attempt").split("\n");
  expect(attempts()).toHaveLength(3);
  // The next run keeps the rest as branches, as it always does.
  const next = await opened(here, { loop: "dead" });
  expect(attempts()).toHaveLength(4);
  expect((await look(here, "dead")).slots).toEqual([]);
  await next.close();
  expect(refs(here).filter((name) => name.includes("/attempt/"))).toHaveLength(4);
});

/** A goal with one attempt integrated and one kept. */
async function goal(here: Project, loop: string, end: "verified" | "stalled", kept: boolean): Promise<void> {
  const workspace = await opened(here, { loop });
  await writeFiles((await workspace.start(attemptOf("A1"))).dir, { [`${loop}.txt`]: "x" });
  await workspace.integrate(attemptOf("A1"), workOf("A1"));
  await writeFiles((await workspace.start(attemptOf("A2"))).dir, kept ? { [`${loop}-kept.txt`]: "x" } : {});
  await workspace.shelve(attemptOf("A2"), "failed");
  await workspace.finish(end);
  await workspace.close();
}

test("LEFTOVERS-1, LEFTOVERS-2: of the goals only those go that are verified and taken over, and of these not what was never integrated", async () => {
  const here = await project();
  await goal(here, "done", "verified", false);
  await goal(here, "kept", "verified", true);
  await goal(here, "stalled", "stalled", false);
  // Another state file's loop that has integrated nothing yet: all that it has is merged.
  await (await opened(here, { loop: "begun" })).close();
  here.git("checkout", "-q", "-b", "elsewhere", "HEAD~1");
  await goal(here, "now", "verified", false);
  expect(existsSync(join(worktreesOf(here), "done")), "no run leaves an empty folder").toBe(false);
  const before = refs(here);
  const reported = (await look(here, "now")).goals.map(({ loop, verified, unmerged }) => [
    loop,
    verified,
    unmerged.length > 0,
  ]);
  expect(reported.toSorted((a, b) => String(a[0]).localeCompare(String(b[0])))).toEqual([
    ["begun", false, false],
    ["done", true, false],
    ["kept", true, true],
    ["stalled", false, true],
  ]);
  expect((await clean(here, "now")).toSorted()).toEqual([
    expect.stringMatching(/^\d refs of goal kept; 3 stay$/),
    expect.stringMatching(/^goal done \(\d refs\)$/),
  ]);
  const left = refs(here);
  expect(left.filter((name) => name.includes("/done/"))).toEqual([]);
  expect(left.filter((name) => name.includes("/kept/"))).toEqual([
    "refs/aot/kept/tip",
    "refs/aot/kept/verified",
    before.find((name) => name.startsWith("refs/heads/aot/kept/attempt/")),
  ]);
  // LEFTOVERS-4: it is reported as verified still, nothing more of it goes, and all of it once its last branch is gone.
  expect((await look(here, "now")).goals.find(({ loop }) => loop === "kept")).toMatchObject({
    verified: true,
    refs: 3,
    removable: [],
  });
  expect(await clean(here, "now")).toEqual([]);
  for (const name of before.filter((one) => /\/(begun|stalled|now)\/|main|elsewhere/.test(one)))
    expect(left).toContain(name);
  here.git("update-ref", "-d", left.find((name) => name.startsWith("refs/heads/aot/kept/")) ?? "");
  expect(await clean(here, "now")).toEqual(["goal kept (2 refs)"]);
});

test("LEFTOVERS-1: a verified goal that nobody took over stays as it is; L3: so does a branch that is checked out", async () => {
  const here = await project();
  const workspace = await opened(here, { loop: "waiting", merge: false });
  await writeFiles((await workspace.start(attemptOf("A1"))).dir, { "w.txt": "x" });
  await workspace.integrate(attemptOf("A1"), workOf("A1"));
  await workspace.finish("verified");
  await workspace.close();
  const before = refs(here);
  expect(await clean(here)).toEqual([]);
  expect(refs(here)).toEqual(before);
  here.git("merge", "-q", "--ff-only", "aot/waiting/integration");
  here.git("checkout", "-q", "aot/waiting/integration");
  await clean(here);
  expect(refs(here)).toEqual([
    "refs/aot/waiting/tip",
    "refs/aot/waiting/verified",
    "refs/heads/aot/waiting/integration",
    "refs/heads/main",
  ]);
});

test("SPEC 8: a file beside the slots of a dead run is no leftover", async () => {
  const here = await project();
  const workspace = await opened(here, { loop: "one" });
  await workspace.start(attemptOf("A1"));
  const file = join(worktreesOf(here), "one", "notes.txt");
  await writeFile(file, "mine\n");
  const found = await look(here);
  expect(found.slots.map(({ slot }) => slot.name)).toEqual(["A1-1-r1"]);
  await clean(here);
  expect(existsSync(file)).toBe(true);
});

test("LEFTOVERS-1: asked for all, what failed attempts and goals that were not reached left goes, and each commit is named", async () => {
  const here = await project();
  for (const loop of ["dead", "now"]) {
    const workspace = await opened(here, { loop });
    const { dir } = await workspace.start(attemptOf("A1"));
    await writeFiles(dir, { "work.txt": "x" });
    await workspace.shelve(attemptOf("A1"), "failed");
    await workspace.close();
  }
  const work = here.git("rev-parse", "aot/dead/attempt/A1-1-r1");
  const repository = await findRepository(here.root);
  if (!repository.ok) throw new Error(repository.problem.message);
  expect(await clean(here, "now")).toEqual([]);
  const gone = await removeLeftovers(repository.value, await look(here, "now"), true);
  expect(gone).toContain(`aot/dead/attempt/A1-1-r1 (was ${work})`);
  expect(refs(here).filter((name) => name.includes("/dead/") || name.includes("/attempt/"))).toEqual([]);
  expect(refs(here)).toContain("refs/heads/aot/now/integration");
  here.git("branch", "back", work);
  expect(here.git("show", "back:work.txt")).toBe("x");
});
