/** SLOT-POOL: what an attempt finds is what a new checkout of its commit holds, whatever was done there before. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { attemptOf, createProject, gitIn, opened, testProject, workOf, type Project } from "./project.ts";

const FILES = {
  ".gitignore": "*.log\nbuild/\n",
  "a.txt": "a\n",
  "b.sh": "#!/bin/sh\n",
  "lib/c.txt": "c\n",
  "lib/deep/d.txt": "d\n",
  "lib/deep/e.txt": "e\n",
  "sp ace/ü.txt": "u\n",
};
const TRACKED = Object.keys(FILES);
const FOLDERS = ["lib", "lib/deep", "sp ace"];

/** What somebody can do in a folder. */
const DEEDS: Readonly<Record<string, (dir: string, path: string, folder: string) => void>> = {
  write: (dir, path) => writeFileSync(join(dir, path), "changed"),
  append: (dir, path) => writeFileSync(join(dir, path), "more", { flag: "a" }),
  "same size and time": (dir, path) => {
    const { atime, mtime, size } = lstatSync(join(dir, path));
    writeFileSync(join(dir, path), "x".repeat(size));
    utimesSync(join(dir, path), atime, mtime);
  },
  remove: (dir, path) => rmSync(join(dir, path)),
  "make private": (dir, path) => chmodSync(join(dir, path), 0o600),
  "make executable": (dir, path) => chmodSync(join(dir, path), 0o755),
  "second name": (dir, path) => linkSync(join(dir, path), join(dirname(dir), "elsewhere")),
  "link for a file": (dir, path) => {
    rmSync(join(dir, path));
    symlinkSync("/etc/hostname", join(dir, path));
  },
  "folder for a file": (dir, path) => {
    rmSync(join(dir, path));
    mkdirSync(join(dir, path, "inside"), { recursive: true });
    writeFileSync(join(dir, path, "inside", "x"), "x");
  },
  "move a file": (dir, path) => renameSync(join(dir, path), join(dir, "moved.txt")),
  "new file": (dir, _, folder) => writeFileSync(join(dir, folder, "new.txt"), "new"),
  "ignored file": (dir, _, folder) => writeFileSync(join(dir, folder, "x.log"), "log"),
  "ignored folder": (dir, _, folder) => {
    mkdirSync(join(dir, folder, "build", "sub"), { recursive: true });
    writeFileSync(join(dir, folder, "build", "sub", "x"), "x", { mode: 0o444 });
  },
  "empty folder": (dir, _, folder) => mkdirSync(join(dir, folder, "empty"), { recursive: true }),
  "repository in a folder": (dir, _, folder) => gitIn(join(dir, folder), "init", "-q"),
  "git directory with files": (dir, _, folder) => {
    mkdirSync(join(dir, folder, ".git"), { recursive: true });
    writeFileSync(join(dir, folder, ".git", "note"), "for the next one");
  },
  "remove a folder": (dir, _, folder) => rmSync(join(dir, folder), { recursive: true }),
  "link for a folder": (dir, _, folder) => {
    // In the place of all of it: a test of its own.
    if (folder === "") return;
    rmSync(join(dir, folder), { recursive: true });
    symlinkSync(".", join(dir, folder));
  },
  "open folder": (dir, _, folder) => chmodSync(join(dir, folder), 0o777),
  "closed folder": (dir, _, folder) => chmodSync(join(dir, folder), 0o500),
  "hide from git": (dir, path) => gitIn(dir, "update-index", "--assume-unchanged", path),
  "own setting": (dir) => gitIn(dir, "config", "core.fileMode", "true"),
  "own commit": (dir) => gitIn(dir, "-c", "user.name=A", "-c", "user.email=a@b.c", "commit", "-qam", "own"),
  "add by force": (dir) => {
    writeFileSync(join(dir, "forced.log"), "x");
    gitIn(dir, "add", "-f", "forced.log");
  },
};

function act(deed: string, dir: string, path: string, folder: string): void {
  try {
    DEEDS[deed]?.(dir, path, folder);
  } catch {
    // An earlier deed may have taken what this one needs.
  }
}

/** All that a folder holds, but its git directory: kinds, permissions, contents, second names. */
function holdings(dir: string, top = true): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(dir)) {
    if (top && name === ".git") continue;
    const path = join(dir, name);
    const stat = lstatSync(path);
    const mode = stat.mode.toString(8);
    if (stat.isDirectory()) {
      found[`${name}/`] = mode;
      for (const [inner, value] of Object.entries(holdings(path, false))) found[`${name}/${inner}`] = value;
    } else
      found[name] =
        `${mode} ${stat.nlink} ${stat.isSymbolicLink() ? readlinkSync(path) : createHash("sha256").update(readFileSync(path)).digest("hex")}`;
  }
  return found;
}

/** What a new checkout of the integrated commit holds, as the same git makes it. */
function fresh(project: Project, number: number): Record<string, string> {
  const dir = `${project.root}-fresh-${number}`;
  project.loop("worktree", "add", "-q", "--detach", dir, "aot/demo/integration");
  const held = holdings(dir);
  project.loop("worktree", "remove", "--force", dir);
  return held;
}

const step = fc.record({
  deeds: fc.array(
    fc.record({
      deed: fc.constantFrom(...Object.keys(DEEDS)),
      path: fc.constantFrom(...TRACKED),
      folder: fc.constantFrom("", ...FOLDERS),
    }),
    { maxLength: 5 },
  ),
  integrated: fc.boolean(),
});

test(
  "SLOT-POOL-1: whatever an attempt does, the next finds what a new checkout of its commit holds",
  { timeout: 300_000 },
  async () => {
    let number = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 4 }), async (steps) => {
        const project = await createProject(FILES);
        try {
          const workspace = await opened(project);
          for (const [index, { deeds, integrated }] of steps.entries()) {
            const attempt = attemptOf(`A${index}`);
            const { dir } = await workspace.start(attempt);
            expect(holdings(dir)).toEqual(fresh(project, ++number));
            expect(gitIn(dir, "status", "--porcelain", "--ignored")).toBe("");
            expect(gitIn(dir, "ls-files", "-v", "--debug")).not.toContain("\nh ");
            for (const { deed, path, folder } of deeds) act(deed, dir, path, folder);
            const settled = integrated ? await workspace.integrate(attempt, workOf(attempt.atom)) : null;
            if (settled?.kind !== "integrated") await workspace.shelve(attempt, "tried");
            rmSync(join(dirname(dir), "elsewhere"), { force: true });
          }
          await workspace.close();
          expect(project.git("worktree", "list").split("\n")).toHaveLength(1);
          expect(existsSync(join(project.root, ".claude/worktrees/aot-loop/demo"))).toBe(false);
        } finally {
          await project.remove();
        }
      }),
      { numRuns: 14 },
    );
  },
);

test("SLOT-POOL-4: a link in the place of a whole worktree leads to nothing that is removed", async () => {
  const project = await testProject(FILES);
  const workspace = await opened(project);
  const [first, other] = [await workspace.start(attemptOf("A1")), await workspace.start(attemptOf("A2"))];
  writeFileSync(join(other.dir, "new.txt"), "of another attempt");
  const before = holdings(other.dir);
  rmSync(first.dir, { recursive: true });
  symlinkSync(other.dir, first.dir);
  await workspace.shelve(attemptOf("A1"), "tried");
  const next = await workspace.start(attemptOf("A3"));
  expect(lstatSync(next.dir).isDirectory()).toBe(true);
  expect(holdings(other.dir)).toEqual(before);
  await workspace.close();
});

test("SLOT-POOL-1: what no attempt has changed is not written again", async () => {
  const project = await testProject(FILES);
  const workspace = await opened(project);
  const first = await workspace.start(attemptOf("A1"));
  const inode = lstatSync(join(first.dir, "a.txt")).ino;
  writeFileSync(join(first.dir, "new.txt"), "new");
  await workspace.integrate(attemptOf("A1"), workOf("A1"));
  const second = await workspace.start(attemptOf("A2"));
  expect(second.dir).not.toBe(first.dir);
  expect(lstatSync(join(second.dir, "a.txt")).ino).toBe(inode);
  expect(readFileSync(join(second.dir, "new.txt"), "utf8")).toBe("new");
  await workspace.close();
});

test("SLOT-POOL-1: files whose attributes have changed are written anew", async () => {
  const project = await testProject({ ...FILES, ".gitattributes": "" });
  const workspace = await opened(project);
  const first = await workspace.start(attemptOf("A1"));
  writeFileSync(join(first.dir, ".gitattributes"), "*.txt eol=crlf\n");
  expect((await workspace.integrate(attemptOf("A1"), workOf("A1"))).kind).toBe("integrated");
  const second = await workspace.start(attemptOf("A2"));
  expect(readFileSync(join(second.dir, "a.txt"), "utf8")).toBe("a\r\n");
  await workspace.close();
});

test("SLOT-POOL-3: a run that is killed leaves folders that the next one removes, and no work of them is made up", async () => {
  const project = await testProject(FILES);
  const killed = await opened(project);
  const { dir } = await killed.start(attemptOf("A1"));
  writeFileSync(join(dir, "new.txt"), "new");
  await killed.integrate(attemptOf("A1"), workOf("A1"));
  await killed.start(attemptOf("A2"));
  // As if the next attempt's slot had been made, and not all been checked out.
  mkdirSync(join(dirname(dir), "+check-half"));
  writeFileSync(join(dirname(dir), "+check-half", "a.txt"), "a\n");
  project.loop("update-ref", "refs/heads/aot/demo/attempt/A3-1-r1", "aot/demo/integration");
  const next = await opened(project, { run: "r2" });
  await next.close();
  expect(project.git("worktree", "list").split("\n")).toHaveLength(1);
  expect(project.loop("branch", "--list", "aot/demo/attempt/*")).toBe("");
  expect(existsSync(dirname(dir))).toBe(false);
});

test("SLOT-POOL-3: many attempts at once share no folder", async () => {
  const project = await testProject(FILES);
  const workspace = await opened(project);
  for (const round of [0, 1, 2])
    await Promise.all(
      [0, 1, 2, 3].map(async (slot) => {
        const attempt = attemptOf(`A${round}x${slot}`);
        const { dir } = await workspace.start(attempt);
        expect(readdirSync(dir).filter((name) => name.startsWith("mine"))).toEqual([]);
        writeFileSync(join(dir, `mine.log`), "mine");
        writeFileSync(join(dir, `${attempt.atom}.txt`), "x");
        if (slot === 3) await workspace.shelve(attempt, "not done");
        else expect((await workspace.integrate(attempt, workOf(attempt.atom))).kind).toBe("integrated");
      }),
    );
  await workspace.close();
  const listed = execFileSync("git", ["ls-tree", "--name-only", "aot/demo/integration"], {
    cwd: project.root,
    encoding: "utf8",
  });
  expect(listed.split("\n").filter((name) => /^A\dx\d\.txt$/.test(name))).toHaveLength(9);
});
