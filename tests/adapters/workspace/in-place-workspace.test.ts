import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { createInPlaceWorkspace } from "../../../src/adapters/workspace/in-place-workspace.ts";
import type { InPlaceOptions } from "../../../src/adapters/workspace/workspace-options.ts";
import { attemptOf, integratedFiles, testProject, work, workOf, writeFiles, type Project } from "./project.ts";

const folder = (git = false): Promise<Project> => testProject({ "b.txt": "b\n", "tests/goal.ts": "expect\n" }, { git });

async function opened(
  project: Project,
  more: Partial<InPlaceOptions> = {},
): Promise<{ workspace: Awaited<ReturnType<typeof createInPlaceWorkspace>>; notes: readonly string[] }> {
  const workspace = await createInPlaceWorkspace({ ...project.options(), ...more });
  const { notes } = await workspace.open();
  return { workspace, notes };
}

test("SPEC 7: in place, what the person changes between attempts stays, also when an attempt is put back", async () => {
  const project = await folder();
  const { workspace } = await opened(project);
  await work(workspace, "A1", (dir) => writeFiles(dir, { "one.txt": "1" }));
  await project.write({ "b.txt": "the person's\n" });
  await workspace.start(attemptOf("A2"));
  await project.write({ "b.txt": "wrecked\n" });
  const { kept } = await workspace.shelve(attemptOf("A2"), "failed");
  expect(await readFile(kept ?? "", "utf8")).toContain("+wrecked");
  expect(await readFile(join(project.root, "b.txt"), "utf8")).toBe("the person's\n");
  expect((await workspace.revert(["A1"], "out")).lost).toEqual([]);
  expect(await integratedFiles(workspace, ["b.txt", "one.txt"])).toEqual({
    "b.txt": "the person's\n",
    "one.txt": undefined,
  });
});

test("SPEC 8: in place, what another loop writes meanwhile stays when an attempt is put back", async () => {
  const own = ".claude/loops/x.state.json";
  const journal = "loops/y.state.json.aot-loop/journal.jsonl";
  const project = await folder();
  await project.write({ [own]: "before\n", [journal]: "before\n" });
  const { workspace } = await opened(project);
  await workspace.start(attemptOf("A1"));
  await project.write({ [own]: "meanwhile\n", [journal]: "meanwhile\n", "b.txt": "wrecked\n" });
  await workspace.shelve(attemptOf("A1"), "failed");
  for (const [file, text] of [
    [own, "meanwhile\n"],
    [journal, "meanwhile\n"],
    ["b.txt", "b\n"],
  ] as const)
    expect(await readFile(join(project.root, file), "utf8")).toBe(text);
});

test("SPEC 7: in place, the person's own repository is not touched", async () => {
  const project = await folder(true);
  const { workspace } = await opened(project);
  const before = [
    project.git("for-each-ref"),
    project.git("rev-parse", "HEAD"),
    await readFile(join(project.root, ".git/config"), "utf8"),
  ];
  await work(workspace, "A1", (dir) => writeFiles(dir, { "one.txt": "1" }));
  await workspace.start(attemptOf("A2"));
  await project.write({ "two.txt": "2" });
  await workspace.shelve(attemptOf("A2"), "failed");
  await workspace.close();
  expect([
    project.git("for-each-ref"),
    project.git("rev-parse", "HEAD"),
    await readFile(join(project.root, ".git/config"), "utf8"),
  ]).toEqual(before);
  expect(project.git("status", "--porcelain", "--", ".", ":!.claude")).toBe("?? one.txt");
});

test("SPEC 7: in place, files come back byte for byte whatever the project's attributes say", async () => {
  const project = await folder();
  const mixed = "one\r\ntwo\nthree\r\n";
  await project.write({ ".gitattributes": "* text=auto eol=lf ident\n", "mixed.txt": mixed, "ident.txt": "$Id$\n" });
  const { workspace } = await opened(project);
  await workspace.start(attemptOf("A1"));
  await project.write({ "mixed.txt": "x\n", "ident.txt": "x\n" });
  await workspace.shelve(attemptOf("A1"), "failed");
  expect(await readFile(join(project.root, "mixed.txt"), "utf8")).toBe(mixed);
  expect(await readFile(join(project.root, "ident.txt"), "utf8")).toBe("$Id$\n");
});

test("SPEC 7: in place, a repository inside is left alone and named", async () => {
  const project = await folder();
  const inner = { "inner/file.txt": "x" };
  await project.write(inner);
  const { gitIn } = await import("./project.ts");
  gitIn(join(project.root, "inner"), "init", "-q");
  const { workspace, notes } = await opened(project);
  expect(notes.join()).toContain("inner is a git repository of its own");
  await workspace.start(attemptOf("A1"));
  await project.write({ "inner/file.txt": "by the attempt", "b.txt": "b2\n" });
  await workspace.shelve(attemptOf("A1"), "failed");
  expect(await readFile(join(project.root, "inner/file.txt"), "utf8")).toBe("by the attempt");
  expect(await readFile(join(project.root, "b.txt"), "utf8")).toBe("b\n");
});

test("SPEC 8: in place, a revert that a crash cut short is finished by the next run", async () => {
  const project = await folder();
  const { workspace } = await opened(project);
  await work(workspace, "A1", (dir) => writeFiles(dir, { "one.txt": "1", "b.txt": "by A1\n" }));
  await workspace.revert(["A1"], "out");
  await workspace.close();
  // As if the crash had come after the branch moved and before the folder was switched.
  const shadow = join(project.root, ".claude/aot-loop/shadow.git");
  project.git("--git-dir", shadow, "update-ref", "refs/aot/demo/folder", "refs/aot/demo/tip~1");
  await project.write({ "one.txt": "1", "b.txt": "by A1\n" });
  const next = await opened(project, { run: "r2" });
  expect(await readFile(join(project.root, "b.txt"), "utf8")).toBe("b\n");
  expect(await integratedFiles(next.workspace, ["one.txt", "b.txt"])).toEqual({ "one.txt": undefined, "b.txt": "b\n" });
});

test("SPEC 7: in place, an attempt that is not settled makes way for the next, and its work is kept", async () => {
  const project = await folder();
  const { workspace } = await opened(project);
  await workspace.start(attemptOf("A1"));
  await project.write({ "one.txt": "1" });
  await workspace.start(attemptOf("A2"));
  await project.write({ "two.txt": "2" });
  expect(await workspace.integrate(attemptOf("A1"), workOf("A1"))).toMatchObject({ kind: "failed" });
  expect((await workspace.shelve(attemptOf("A1"), "late")).kept).toContain("A1-1-r1.patch");
  expect(await workspace.integrate(attemptOf("A2"), workOf("A2"))).toMatchObject({
    kind: "integrated",
    files: ["two.txt"],
  });
});

test("SPEC 7: ignored files that an attempt made or changed in the folder are named; those that were there are not", async () => {
  const project = await folder();
  await writeFiles(project.root, { ".gitignore": "lib/\nnode_modules/\n", "lib/mine.js": "m\n", "lib/old.js": "o\n" });
  const { workspace } = await opened(project);
  const result = await work(workspace, "A1", (dir) =>
    writeFiles(dir, { "lib/sum.js": "s\n", "lib/old.js": "changed\n", "node_modules/x.js": "x\n", "b.txt": "b2\n" }),
  );
  expect(result).toMatchObject({
    kind: "integrated",
    files: ["b.txt"],
    ignored: { files: ["lib/old.js", "lib/sum.js"], message: expect.stringContaining("stays in the folder") as string },
  });
  expect(await readFile(join(project.root, "lib/sum.js"), "utf8")).toBe("s\n");
  const silent = await work(workspace, "A2", (dir) => writeFiles(dir, { "b.txt": "b3\n" }));
  expect(silent).not.toHaveProperty("ignored");
});

test("SPEC 7: a setting that hides changes from git hides none from the loop", async () => {
  const project = await folder();
  vi.stubEnv("GIT_CONFIG_COUNT", "1");
  vi.stubEnv("GIT_CONFIG_KEY_0", "core.ignoreStat");
  vi.stubEnv("GIT_CONFIG_VALUE_0", "true");
  onTestFinished(() => void vi.unstubAllEnvs());
  const { workspace } = await opened(project);
  for (const [atom, text] of [
    ["A1", "b2\n"],
    ["A2", "b3\n"],
  ] as const)
    expect(await work(workspace, atom, (dir) => writeFiles(dir, { "b.txt": text }))).toMatchObject({
      files: ["b.txt"],
    });
  await workspace.revert(["A2"], "out");
  expect(await work(workspace, "A3", (dir) => writeFiles(dir, { "b.txt": "b4\n" }))).toMatchObject({
    files: ["b.txt"],
  });
});

test("SPEC 6: in place, a protected file that a check changed is named before the next one", async () => {
  const project = await folder();
  const { workspace } = await opened(project, { protected: ["tests"] });
  const { dir, between, release } = await workspace.checkout();
  await writeFiles(dir, { "dist/out.js": "1", "tests/cache.bin": "1" });
  expect(await between?.()).toEqual({ put_back: [], tampered: [], stuck: [] });
  expect(existsSync(join(dir, "tests/cache.bin"))).toBe(false);
  await writeFiles(dir, { "tests/goal.ts": "true\n" });
  expect((await between?.())?.tampered).toEqual(["tests/goal.ts"]);
  await release();
});
