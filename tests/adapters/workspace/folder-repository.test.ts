/** A folder in no repository: imported, worked side by side, written back (SPEC section 7). */
import { existsSync, lstatSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { chmod, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createGitWorkspace } from "../../../src/adapters/workspace/git-workspace.ts";
import { bytesIn } from "../../../src/adapters/workspace/git.ts";
import type { WorkspaceOptions } from "../../../src/adapters/workspace/workspace-options.ts";
import type { Workspace } from "../../../src/loop/ports.ts";
import { attemptOf, created, gitIn, integratedFiles, testProject, work, workOf, writeFiles } from "./project.ts";
import type { Files, Project } from "./project.ts";

const OWN = ["--git-dir=.claude/aot-loop/folder.git", "--work-tree=."];

const folder = (files: Files = {}): Promise<Project> =>
  testProject({ "a.txt": "1\n2\n3\n4\n5\n", "b.txt": "b\n", ...files }, { git: false });

async function opened(
  project: Project,
  more: Partial<WorkspaceOptions> = {},
): Promise<Workspace & { readonly notes: readonly string[] }> {
  const workspace = await created(project.options(more));
  const { notes } = await workspace.open();
  return { ...workspace, notes };
}

const textAt = ({ root }: Project, name: string): string => readFileSync(join(root, name), "utf8");
const writes = (files: Files) => (dir: string) => writeFiles(dir, files);

test("SPEC 7: attempts of a folder work side by side in copies of it, and only a verdict changes it", async () => {
  const project = await folder();
  const { notes, ...workspace } = await opened(project);
  expect(notes).toEqual([expect.stringMatching(/is not in a git repository: .* writes verified work back/)]);
  const places = [await workspace.start(attemptOf("A1")), await workspace.start(attemptOf("A2"))];
  expect(new Set([project.root, ...places.map(({ dir }) => dir)]).size).toBe(3);
  await writeFiles(places[0]?.dir ?? "", { "a.txt": "ONE\n2\n3\n4\n5\n" });
  await writeFiles(places[1]?.dir ?? "", { "a.txt": "1\n2\n3\n4\nFIVE\n" });
  for (const atom of ["A1", "A2"])
    expect(await workspace.integrate(attemptOf(atom), workOf(atom))).toMatchObject({ kind: "integrated" });
  expect(await workspace.finish("stalled")).toMatchObject({ merged: false });
  expect(textAt(project, "a.txt")).toBe("1\n2\n3\n4\n5\n");
  expect(await workspace.finish("verified")).toMatchObject({ merged: true });
  expect(textAt(project, "a.txt")).toBe("ONE\n2\n3\n4\nFIVE\n");
  expect(existsSync(join(project.root, ".git"))).toBe(false);
});

test.skipIf(process.platform === "win32")(
  "SPEC 7: every file comes into an attempt and back into the folder byte for byte",
  async () => {
    const project = await folder({
      ".gitattributes": "* text=auto eol=lf ident\n*.bin filter=gone\n*.u16 working-tree-encoding=UTF-16\n",
    });
    const odd = { "mixed.txt": "one\r\ntwo\n", "ident.txt": "$Id$\n", "x.bin": "\u0000\r\n", "x.u16": "plain\n" };
    const eight = bytesIn(project.root, "caf\xe9");
    await project.write(odd);
    await writeFile(eight, "8 bits\r\n");
    await writeFile(join(project.root, "run.sh"), "#!/bin/sh\r\n");
    await chmod(join(project.root, "run.sh"), 0o755);
    await symlink("nowhere", join(project.root, "link"));
    const workspace = await opened(project);
    expect(await integratedFiles(workspace, Object.keys(odd))).toEqual(odd);
    await work(workspace, "A1", async (dir) => {
      expect(readFileSync(bytesIn(dir, "caf\xe9"), "utf8")).toBe("8 bits\r\n");
      expect([lstatSync(join(dir, "run.sh")).mode & 0o111, readlinkSync(join(dir, "link"))]).toEqual([
        0o111,
        "nowhere",
      ]);
      for (const name of Object.keys(odd))
        await writeFile(join(dir, name), `new\r\n${readFileSync(join(dir, name), "utf8")}`);
      await writeFile(bytesIn(dir, "caf\xe9"), "9 bits\r\n");
      await writeFile(bytesIn(dir, "\xe8"), "new\r\n");
      await chmod(join(dir, "b.txt"), 0o755);
      await rm(join(dir, "link"));
      await symlink("a.txt", join(dir, "link"));
    });
    expect(await workspace.finish("verified")).toMatchObject({ merged: true });
    for (const [name, text] of Object.entries(odd)) expect(textAt(project, name)).toBe(`new\r\n${text}`);
    expect([eight, bytesIn(project.root, "\xe8")].map((path) => readFileSync(path, "utf8"))).toEqual([
      "9 bits\r\n",
      "new\r\n",
    ]);
    expect(lstatSync(join(project.root, "b.txt")).mode & 0o111).not.toBe(0);
    expect(readlinkSync(join(project.root, "link"))).toBe("a.txt");
  },
);

test("SPEC 7: what a person edits in the folder meanwhile stays; the same file is not written over, and the command merges both", async () => {
  const project = await folder();
  const workspace = await opened(project);
  await work(workspace, "A1", writes({ "a.txt": "ONE\n2\n3\n4\n5\n" }));
  await project.write({ "b.txt": "mine\n", "new.txt": "mine\n" });
  expect(await workspace.finish("verified")).toMatchObject({ merged: true });
  expect(["a.txt", "b.txt", "new.txt"].map((name) => textAt(project, name))).toEqual([
    "ONE\n2\n3\n4\n5\n",
    "mine\n",
    "mine\n",
  ]);
  const next = await opened(project, { loop: "next", run: "r2" });
  expect(await integratedFiles(next, ["b.txt", "new.txt"])).toEqual({ "b.txt": "mine\n", "new.txt": "mine\n" });
  await work(next, "A1", writes({ "a.txt": "ONE\n2\n3\n4\nFIVE\n", "c.txt": "c\n" }));
  await project.write({ "a.txt": "mine\n2\n3\n4\n5\n" });
  const { merged, message } = await next.finish("verified");
  expect([merged, message]).toEqual([false, expect.stringContaining("it was changed there meanwhile: a.txt")]);
  expect([textAt(project, "a.txt"), existsSync(join(project.root, "c.txt"))]).toEqual(["mine\n2\n3\n4\n5\n", false]);
  const [, command = ""] = /, git (--git-dir\S+ --work-tree=\. merge .*)$/.exec(message) ?? [];
  project.git(...command.split(" "));
  expect([textAt(project, "a.txt"), textAt(project, "c.txt")]).toEqual(["mine\n2\n3\n4\nFIVE\n", "c\n"]);
});

test("SPEC 7: a merge that is not finished is named with the commands; finished, it is gone on from", async () => {
  const project = await folder();
  const workspace = await opened(project);
  await work(workspace, "A1", writes({ "b.txt": "theirs\n" }));
  await project.write({ "b.txt": "mine\n" });
  await workspace.finish("verified");
  expect(() => project.git(...OWN, "merge", "aot/demo/integration")).toThrow();
  const refused = await createGitWorkspace(project.options({ loop: "next" }));
  expect(refused).toMatchObject({ ok: false, problem: { hint: expect.stringContaining("merge --abort") as string } });
  await project.write({ "b.txt": "both\n" });
  project.git(...OWN, "add", "b.txt");
  const next = await opened(project, { loop: "next" });
  expect(await integratedFiles(next, ["b.txt"])).toEqual({ "b.txt": "both\n" });
  expect(project.git(...OWN, "rev-list", "--parents", "-n1", "HEAD").split(" ")).toHaveLength(3);
});

test("SPEC 7: what the person changed between two runs of a loop is merged like a commit of theirs", async () => {
  const project = await folder();
  const workspace = await opened(project);
  await work(workspace, "A1", writes({ "a.txt": "ONE\n2\n3\n4\n5\n" }));
  await workspace.close();
  await project.write({ "b.txt": "between\n" });
  const next = await opened(project, { run: "r2" });
  expect(next.notes.join()).toContain("The loop goes on with what folder got meanwhile");
  expect(await next.finish("verified")).toMatchObject({ merged: true });
  expect([textAt(project, "a.txt"), textAt(project, "b.txt")]).toEqual(["ONE\n2\n3\n4\n5\n", "between\n"]);
});

test("SPEC 8: a hand-over that was killed in the middle is taken back, and done again; what a person wrote there is kept", async () => {
  const project = await folder({ "gone.txt": "g\n" });
  const workspace = await opened(project);
  await work(workspace, "A1", async (dir) => {
    await writeFiles(dir, { "a.txt": "by A1\n", "new/deep.txt": "by A1\n", "b.txt": "by A1\n" });
    await rm(join(dir, "gone.txt"));
  });
  await workspace.finish("stalled");
  const tip = project.git(...OWN, "rev-parse", "aot/demo/integration");
  project.git(...OWN, "update-ref", "refs/aot-folder/handing", tip);
  // One is written, one cut off, one removed, one made, and the index is locked.
  await project.write({ "a.txt": "by A1\n", "b.txt": "by", "new/deep.txt": "by A1\n", "c.txt": "mine\n" });
  await rm(join(project.root, "gone.txt"));
  writeFileSync(join(project.root, ".claude/aot-loop/folder.git/index.lock"), "");
  const next = await opened(project, { run: "r2" });
  const [note = ""] = next.notes.filter((text) => text.includes("cut short"));
  expect(note).toContain("b.txt: as found");
  const [, found = ""] = /is in (\w+) of/.exec(note) ?? [];
  expect(project.git(...OWN, "show", `${found}:b.txt`)).toBe("by");
  expect(textAt(project, "a.txt")).toBe("1\n2\n3\n4\n5\n");
  expect(await next.finish("verified")).toMatchObject({ merged: true });
  expect(["a.txt", "b.txt", "new/deep.txt", "c.txt"].map((name) => textAt(project, name))).toEqual([
    "by A1\n",
    "by A1\n",
    "by A1\n",
    "mine\n",
  ]);
  expect(existsSync(join(project.root, "gone.txt"))).toBe(false);
});

test("SPEC 7: a repository inside is left alone and named at every run; ignored files and those of loops are no part of it", async () => {
  const project = await folder({ ".gitignore": "*.log\n", "x.log": "x", "inner/file.txt": "x", "empty/f": "" });
  gitIn(join(project.root, "inner"), "init", "-q");
  gitIn(
    join(project.root, "inner"),
    "-c",
    "user.name=N",
    "-c",
    "user.email=e",
    "commit",
    "-q",
    "--allow-empty",
    "-m",
    "i",
  );
  gitIn(join(project.root, "empty"), "init", "-q");
  await project.write({
    ".claude/loops/x.state.json": "{}",
    "loops/y.json.aot-loop/journal.jsonl": "{}",
    "my loop.md": "",
  });
  const options = { stateFile: join(project.root, "my loop.md"), dir: join(project.root, "my loop.md.aot-loop") };
  for (const run of ["r1", "r2"]) {
    const { notes, ...workspace } = await opened(project, { ...options, run });
    for (const name of ["inner", "empty"]) expect(notes.join()).toContain(`${name} is a git repository of its own`);
    await workspace.close();
  }
  expect(project.git(...OWN, "ls-files").split("\n")).toEqual([".gitignore", "a.txt", "b.txt"]);
  expect(project.git(...OWN, "rev-list", "--count", "HEAD")).toBe("1");
});

test("SPEC 6: a goal goes on only where it was aligned, and says how to align it again", async () => {
  const again = { ok: false, problem: { hint: expect.stringContaining("aot align --force") as string } };
  const project = await folder();
  const workspace = await opened(project);
  await work(workspace, "A1", writes({ "b.txt": "b2\n" }));
  await workspace.close();
  gitIn(project.root, "init", "-q", "-b", "main");
  gitIn(project.root, "add", "b.txt");
  gitIn(project.root, "-c", "user.name=N", "-c", "user.email=e", "commit", "-q", "-m", "now in git");
  expect(await createGitWorkspace(project.options())).toMatchObject(again);
  expect(await createGitWorkspace(project.options({ loop: "aligned-again" }))).toMatchObject({ ok: true });
  const alignedCommit = gitIn(project.root, "rev-parse", "HEAD");
  await rm(join(project.root, ".git"), { recursive: true });
  expect(await createGitWorkspace(project.options({ alignedCommit }))).toMatchObject(again);
});
