/** Repositories that are not as most are (SPEC section 16): each works, or is named before anything is spent. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Workspace } from "../../../src/loop/ports.ts";
import { created, gitIn, projectAt, testProject, work, writeFiles, type Files, type Project } from "./project.ts";

const project = (files: Files): Promise<Project> => testProject(files);

async function begun(here: Project): Promise<Workspace> {
  const workspace = await created(here.options());
  onTestFinished(() => workspace.close());
  return workspace;
}

/** One attempt that adds a file and changes another, its verdict's checkout, and the hand-over. @returns the notes of the opening */
async function worked(here: Project, change: Files): Promise<string> {
  const workspace = await begun(here);
  const { notes } = await workspace.open();
  const done = await work(workspace, "A1", (dir) => writeFiles(dir, change));
  expect(done).toMatchObject({ kind: "integrated", files: Object.keys(change).toSorted() });
  const place = await workspace.checkout();
  expect(place.failed).toBeUndefined();
  await place.release();
  expect(await workspace.finish("verified")).toMatchObject({ merged: true });
  expect(here.git("status", "--porcelain")).toBe("");
  return notes.join("\n");
}

test.each([
  ["autocrlf", { "core.autocrlf": "true" }, ""],
  ["autocrlf=input", { "core.autocrlf": "input" }, ""],
  ["eol=crlf by attributes", {}, "* text=auto eol=crlf\n"],
  ["core.eol", { "core.eol": "crlf" }, "*.txt text\n"],
])("line endings: with %s a commit holds what the attempt changed and no more", async (_, settings, attributes) => {
  const here = await project({
    ".gitattributes": attributes,
    "a.txt": "one\ntwo\n",
    "b.txt": "b\n",
    "raw.bin": "x\0\r\ny\n",
  });
  for (const [name, value] of Object.entries(settings)) here.git("config", name, value);
  here.git("rm", "-q", "--cached", "-r", ".");
  here.git("reset", "-q", "--hard");
  const crlf = (await readFile(join(here.root, "a.txt"), "utf8")).includes("\r\n");
  expect(crlf).toBe(!JSON.stringify(settings).includes("input"));
  expect(await worked(here, { "a.txt": "one\r\ntwo\r\nthree\r\n", "new.txt": "n\n" })).toBe("");
  expect(here.git("diff", "--stat", "HEAD~1", "HEAD", "--", "b.txt", "raw.bin")).toBe("");
  expect(here.git("show", "HEAD:a.txt")).not.toContain("\r");
});

test.each([
  ["line endings", "* text=auto eol=crlf\n", []],
  ["other words", "*.txt ident\n", ["judge.txt"]],
])(
  "SPEC 6: attributes that an attempt brings are honest work but where they bring other words: %s",
  async (_, attributes, tampered) => {
    const here = await project({ "judge.txt": "a\n$Id$\n" });
    const workspace = await created(here.options({ protected: ["judge.txt"] }));
    onTestFinished(() => workspace.close());
    await workspace.open();
    await work(workspace, "A1", (dir) => writeFiles(dir, { ".gitattributes": attributes }));
    const place = await workspace.checkout();
    expect(place).toMatchObject({ tampered });
    expect(place.failed).toBeUndefined();
    await place.release();
  },
);

test("a shallow clone works as a whole one does", async () => {
  const origin = await project({ "a.txt": "1\n" });
  for (const number of [2, 3]) {
    await origin.write({ "a.txt": `${number}\n` });
    origin.git("commit", "-qam", `number ${number}`);
  }
  const here = await cloneOf(origin, "--depth", "1");
  expect(here.git("rev-list", "--count", "HEAD")).toBe("1");
  expect(await worked(here, { "a.txt": "4\n", "b.txt": "b\n" })).toBe("");
  expect(here.git("rev-list", "--count", "HEAD")).toBe("2");
});

test("a partial clone works, with its remote away, and says what git in the sandbox does without", async () => {
  const origin = await project({ "a.txt": "1\n", "old.txt": "old\n" });
  origin.git("config", "uploadpack.allowFilter", "true");
  await origin.write({ "old.txt": "new\n" });
  origin.git("commit", "-qam", "second");
  const here = await cloneOf(origin, "--filter=blob:none");
  expect(here.git("rev-list", "--objects", "--missing=print", "HEAD")).toMatch(/^\?/m);
  here.git("remote", "set-url", "origin", `file://${origin.root}-away`);
  expect(await worked(here, { "a.txt": "4\n", "b.txt": "b\n" })).toContain("partial clone");
});

test("names that differ in case alone are named where the file system takes them for one", async () => {
  const here = await project({ "a.txt": "1\n", "src/Read.txt": "R\n", "src/read.txt": "r\n" });
  expect(await worked(here, { "b.txt": "b\n" })).toBe("");
  const other = await project({ "a.txt": "1\n", "src/Read.txt": "R\n", "src/read.txt": "r\n" });
  other.git("config", "core.ignorecase", "true");
  const { notes } = await (await begun(other)).open();
  expect(notes.join()).toMatch(/differ in case alone.*src\/Read\.txt, src\/read\.txt/);
});

const POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:0123456789abcdef\nsize 12\n";

test("pointers of LFS without git-lfs are named, and are what attempts and checks see", async () => {
  const here = await project({ ".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n", "big.bin": POINTER });
  expect(await worked(here, { "a.txt": "a\n" })).toMatch(/big\.bin.*git-lfs/);
});

test("LFS that git insists on and that is not there ends the run before anything is spent", async () => {
  const here = await project({ ".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n", "big.bin": POINTER });
  here.git("config", "filter.lfs.required", "true");
  here.git("config", "filter.lfs.process", "git-lfs-that-is-not-there filter-process");
  await expect((await begun(here)).open()).rejects.toMatchObject({
    problem: { code: "lfs_missing", hint: expect.stringContaining("git lfs install") as string },
  });
  expect(here.git("branch", "--list", "aot/*")).toBe("");
});

test("LFS works where it is there: what the filter makes of a pointer is in the attempt's folder and the verdict's", async () => {
  const here = await project({ ".gitattributes": "*.bin filter=lfs -text\n", "big.bin": POINTER });
  // Stands in for git-lfs: a pointer on the way in, the content on the way out.
  await writeFile(join(here.root, ".git", "smudge"), "content");
  await writeFile(join(here.root, ".git", "clean"), POINTER);
  here.git("config", "filter.lfs.required", "true");
  here.git("config", "filter.lfs.smudge", `cat '${join(here.root, ".git", "smudge")}' #`);
  here.git("config", "filter.lfs.clean", `cat '${join(here.root, ".git", "clean")}' #`);
  here.git("rm", "-q", "--cached", "big.bin");
  here.git("reset", "-q", "--hard");
  const workspace = await begun(here);
  await workspace.open();
  const done = await work(workspace, "A1", async (dir) => {
    expect(await readFile(join(dir, "big.bin"), "utf8")).toBe("content");
    await writeFiles(dir, { "a.txt": "a" });
  });
  expect(done).toMatchObject({ kind: "integrated", files: ["a.txt"] });
  const place = await workspace.checkout();
  expect(place.failed).toBeUndefined();
  expect(await readFile(join(place.dir, "big.bin"), "utf8")).toBe("content");
  await place.release();
});

async function cloneOf(origin: Project, ...how: readonly string[]): Promise<Project> {
  const dir = `${origin.root}-clone`;
  gitIn(origin.root, "clone", "-q", ...how, `file://${origin.root}`, dir);
  const here = projectAt(dir);
  onTestFinished(() => here.remove());
  here.git("config", "user.name", "Person");
  here.git("config", "user.email", "person@example.org");
  return here;
}
