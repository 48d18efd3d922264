/** SPEC 7: what git ignores of an attempt is not integrated, and not lost in silence either. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { prepared } from "../../../src/adapters/workspace/prepared-workspace.ts";
import {
  attemptOf,
  created,
  gitIn,
  opened,
  projectAt,
  testProject,
  work,
  workOf,
  writeFiles,
  type Files,
  type Project,
} from "./project.ts";

const IGNORE = "lib/\nnode_modules/\ndist/\n.env\n*.gen\n";
const REF = "refs/aot/demo/ignored/A1-1-r1";

const project = (files: Files = {}): Promise<Project> =>
  testProject({ "a.txt": "a\n", ".gitignore": IGNORE, ...files });

/** The files that a commit differs in from its parent. */
function changedBy(here: Project, commit: string): string[] {
  return here.loop("diff-tree", "-r", "--no-commit-id", "--name-only", commit).split("\n");
}

test("ignored files of an attempt are kept beside its work and named, with what to do", async () => {
  const here = await project();
  const workspace = await opened(here);
  const result = await work(workspace, "A1", (dir) =>
    writeFiles(dir, { "lib/sum.js": "sum\n", "lib/deep/x.js": "x\n", "b.gen": "b\n", "new.txt": "n\n" }),
  );
  expect(result).toMatchObject({
    kind: "integrated",
    files: ["new.txt"],
    ignored: { files: ["b.gen", "lib/sum.js", "lib/deep/x.js"], message: expect.stringContaining(REF) as string },
  });
  expect(result.kind === "integrated" && result.ignored?.message).toMatch(/git add -f/);
  expect(changedBy(here, REF)).toEqual(["b.gen", "lib/deep/x.js", "lib/sum.js"]);
  expect(here.loop("show", `${REF}:lib/sum.js`)).toBe("sum");
  await workspace.close();
});

test("an attempt all of whose work is ignored loses none of it", async () => {
  const here = await project();
  const workspace = await opened(here);
  expect(await work(workspace, "A1", (dir) => writeFiles(dir, { "lib/sum.js": "sum\n" }))).toMatchObject({
    kind: "integrated",
    commit: null,
    ignored: { files: ["lib/sum.js"] },
  });
  expect(here.loop("show", `${REF}:lib/sum.js`)).toBe("sum");
});

test("what installing and building leave is neither kept nor named, unless the attempt names it", async () => {
  const here = await project();
  const workspace = await opened(here);
  const build: Files = { "node_modules/x/index.js": "x\n", "dist/app.js": "app\n", "lib/__pycache__/a.pyc": "c\n" };
  const silent = await work(workspace, "A1", (dir) => writeFiles(dir, { ...build, "a.txt": "a2\n" }));
  expect(silent).toMatchObject({ kind: "integrated", files: ["a.txt"] });
  expect(silent).not.toHaveProperty("ignored");
  const attempt = attemptOf("A2");
  const { dir } = await workspace.start(attempt);
  await writeFiles(dir, build);
  const artifacts = ["./dist/app.js", join(dir, "a.txt"), "../outside", "dist"];
  expect(await workspace.integrate(attempt, { ...workOf("A2"), artifacts })).toMatchObject({
    ignored: { files: ["dist/app.js"] },
  });
});

test("what is kept is bounded, and what is not kept is named", async () => {
  const here = await project();
  const workspace = await opened(here);
  const many = Object.fromEntries(Array.from({ length: 250 }, (_, i) => [`lib/${i}.js`, "x\n"]));
  expect(
    await work(workspace, "A1", (dir) => writeFiles(dir, { ...many, "b.gen": "b\n", ".env": "TOKEN=x\n" })),
  ).toMatchObject({
    ignored: { files: ["b.gen", "lib/", ".env"], message: expect.stringContaining("lib/, .env (not kept)") as string },
  });
  expect(changedBy(here, REF)).toEqual(["b.gen"]);
});

test("of an attempt that failed they are kept and named, too", async () => {
  const here = await project();
  const notes: string[] = [];
  const workspace = await opened(here, { onNote: (text) => void notes.push(text) });
  const { dir } = await workspace.start(attemptOf("A1"));
  await writeFiles(dir, { "lib/sum.js": "sum\n" });
  await workspace.shelve(attemptOf("A1"), "failed");
  expect(notes).toEqual([expect.stringContaining(`git ignores lib/sum.js (kept as ${REF})`)]);
  expect(here.loop("show", `${REF}:lib/sum.js`)).toBe("sum");
});

test("an ignored file that the agent added to its index by force is work", async () => {
  const here = await project();
  const workspace = await opened(here);
  const result = await work(workspace, "A1", async (dir) => {
    await writeFiles(dir, { "lib/sum.js": "sum\n", "lib/other.js": "o\n" });
    gitIn(dir, "add", "-f", "lib/sum.js");
    await writeFiles(dir, { "lib/sum.js": "sum 2\n" });
  });
  expect(result).toMatchObject({ files: ["lib/sum.js"], ignored: { files: ["lib/other.js"] } });
  expect(here.loop("show", "aot/demo/integration:lib/sum.js")).toBe("sum 2");
});

test("what set-up commands left and the agent did not change is not its own", async () => {
  const here = await project();
  const inner = await opened(here);
  const script = 'const fs=require("fs");fs.mkdirSync("lib");for(const n of ["a","b"])fs.writeFileSync("lib/"+n,n)';
  const workspace = prepared(inner, {
    root: here.root,
    commands: [`node -e '${script}'`],
    timeout_ms: 60_000,
    port_base: 47_300,
    protected: [],
    env: process.env,
    logs: join(here.root, ".claude/aot-loop/logs"),
  });
  await workspace.open();
  const result = await work(workspace, "A1", async (dir) => {
    expect(await readFile(join(dir, "lib/a"), "utf8")).toBe("a");
    await writeFiles(dir, { "lib/b": "changed\n", "lib/c": "c\n" });
  });
  expect(result).toMatchObject({ ignored: { files: ["lib/b", "lib/c"] } });
});

test("in a folder of the repository they bear the names that they have there", async () => {
  const here = await project({ "pkg/a.txt": "a\n" });
  const workspace = await created(projectAt(join(here.root, "pkg")).options());
  await workspace.open();
  expect(
    await work(workspace, "A1", (dir) => writeFiles(dir, { "lib/sum.js": "s\n", "../lib/top.js": "t\n" })),
  ).toMatchObject({ ignored: { files: ["../lib/top.js", "lib/sum.js"] } });
});
