/** What only worktrees can do, and what a repository can do to them (SPEC sections 6 to 8). */
import { execFileSync } from "node:child_process";
import { access, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { createGitWorkspace } from "../../../src/adapters/workspace/git-workspace.ts";
import {
  attemptOf,
  created,
  gitIn,
  integratedFiles,
  opened,
  projectAt,
  testProject,
  work,
  writeFiles,
  type Files,
  type Project,
} from "./project.ts";
import { needs } from "../../support/needs.ts";

const FIRST: Files = { "a.txt": "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "b.txt": "b\n" };

const project = (files: Files = FIRST): Promise<Project> => testProject(files);

async function problemOf(here: Project): Promise<string> {
  const made = await createGitWorkspace(here.options());
  if (made.ok) throw new Error("it should have been refused");
  expect(made.problem.hint).not.toBe("");
  return made.problem.code;
}

test("SPEC 7: what keeps worktrees from working is a value with a next step", async () => {
  const none = await testProject({}, { git: false });
  none.git("init", "-q");
  expect(await problemOf(none)).toBe("no_commits");
  const bare = await testProject({}, { git: false });
  bare.git("init", "-q", "--bare");
  expect(await problemOf(bare)).toBe("bare_repository");
  const blocked = await project();
  blocked.git("branch", "aot/demo");
  expect(await problemOf(blocked)).toBe("branch_in_the_way");
  const path = process.env["PATH"];
  process.env["PATH"] = "/nonexistent";
  const made = await createGitWorkspace(blocked.options()).finally(() => {
    process.env["PATH"] = path;
  });
  expect(made.ok ? null : made.problem.code).toBe("git_missing");
});

test("SPEC 7: a folder inside the repository, a linked worktree and a submodule are all good roots", async () => {
  // `git submodule` is a shell script.
  needs("sed", "basename", "uname");
  const here = await project({ ...FIRST, "deep/er/file.txt": "x" });
  const inside = await created(here.options({ root: join(here.root, "deep/er") }));
  await inside.open();
  expect((await work(inside, "A1", (dir) => writeFiles(dir, { "c.txt": "c" }))).kind).toBe("integrated");
  await inside.close();
  here.git("worktree", "add", "-q", "-b", "side", `${here.root}-linked`);
  const linked = projectAt(`${here.root}-linked`);
  onTestFinished(() => linked.remove());
  const workspace = await opened(linked, { loop: "linked" });
  await work(workspace, "A1", (dir) => writeFiles(dir, { "linked.txt": "x" }));
  expect((await workspace.finish("verified")).merged).toBe(true);
  expect(linked.git("log", "-1", "--format=%s")).toBe("Do A1");
  expect(here.git("log", "-1", "--format=%s", "main")).toBe("first");
  await workspace.close();
  const outer = await project({ "outer.txt": "o" });
  outer.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", here.root, "sub");
  outer.git("commit", "-q", "-m", "with a submodule");
  const sub = projectAt(join(outer.root, "sub"));
  const nested = await opened(sub, { loop: "nested" });
  await work(nested, "A1", (dir) => writeFiles(dir, { "in-sub.txt": "x" }));
  expect((await nested.finish("verified")).merged).toBe(true);
  expect(await readFile(join(sub.root, "in-sub.txt"), "utf8")).toBe("x");
});

test("SPEC 7: a dirty tree is named, and attempts start from the commit", async () => {
  const here = await project();
  await here.write({ "b.txt": "dirty\n", "new.txt": "n" });
  const workspace = await created(here.options());
  const { notes } = await workspace.open();
  expect(notes.join()).toContain("b.txt, new.txt");
  expect(await integratedFiles(workspace, ["b.txt", "new.txt"])).toEqual({ "b.txt": "b\n", "new.txt": undefined });
});

test("SPEC 9: where no attempt was integrated that is what is said, whatever they changed", async () => {
  const workspace = await opened(await project());
  const { message } = await workspace.finish("stalled");
  expect(message).toBe("No change was integrated; your checkout is as it was.");
});

test("PORTS-4: `finish` touches the checkout only on verified, and only by a fast-forward that harms nothing", async () => {
  const here = await project();
  const workspace = await opened(here);
  await work(workspace, "A1", (dir) => writeFiles(dir, { "b.txt": "b2\n", "new.txt": "n" }));
  const stopped = await workspace.finish("stop_requested");
  expect(stopped).toEqual({ merged: false, message: expect.stringContaining("aot/demo/integration") as string });
  await here.write({ "b.txt": "the person's\n" });
  const dirty = await workspace.finish("verified");
  expect(dirty).toEqual({
    merged: false,
    message: expect.stringContaining("git merge --no-overwrite-ignore aot/demo/integration") as string,
  });
  expect(await readFile(join(here.root, "b.txt"), "utf8")).toBe("the person's\n");
  here.git("checkout", "-q", "b.txt");
  await here.write({ "new.txt": "untracked, in the way" });
  expect((await workspace.finish("verified")).merged).toBe(false);
  await rm(join(here.root, "new.txt"));
  await here.write({ "a.txt": "dirty, but not in the way\n" });
  here.git("checkout", "-q", "-b", "elsewhere");
  expect((await workspace.finish("verified")).message).toContain("elsewhere");
  here.git("checkout", "-q", "main");
  expect(await workspace.finish("verified")).toEqual({
    merged: true,
    message: expect.stringContaining("main") as string,
  });
  expect([await readFile(join(here.root, "b.txt"), "utf8"), await readFile(join(here.root, "a.txt"), "utf8")]).toEqual([
    "b2\n",
    "dirty, but not in the way\n",
  ]);
});

test("PORTS-4: a file that git does not track in the checkout is never written over, ignored or not, and is named", async () => {
  const here = await testProject({ "a.txt": "a\n", ".gitignore": ".env\ncfg\nout/\n" });
  await here.write({ ".env": "the person's\n", cfg: "mine\n", "out/x": "built\n" });
  const workspace = await opened(here);
  await work(workspace, "A1", async (dir) => {
    await writeFiles(dir, { ".env": "the agent's\n", "cfg/a": "n\n", out: "file\n", "a.txt": "a2\n" });
    gitIn(dir, "add", "-A", "-f");
    // Outside of the ignore rules they are work like any other.
    await writeFiles(dir, { ".gitignore": "" });
  });
  const { merged, message } = await workspace.finish("verified");
  expect(merged).toBe(false);
  expect(message).toMatch(/\.env[^]*cfg[^]*up: git merge --no-overwrite-ignore aot\/demo\/integration$/);
  const read = (name: string): Promise<string> => readFile(join(here.root, name), "utf8");
  expect([await read(".env"), await read("cfg"), await read("out/x"), await read("a.txt")]).toEqual([
    "the person's\n",
    "mine\n",
    "built\n",
    "a\n",
  ]);
  for (const name of [".env", "cfg", "out"]) await rm(join(here.root, name), { recursive: true });
  here.git("merge", "-q", "--no-overwrite-ignore", "aot/demo/integration");
  expect([await read(".env"), await read("a.txt")]).toEqual(["the agent's\n", "a2\n"]);
});

test("SPEC 7: what the agent committed itself counts, on whatever branch or none", async () => {
  const here = await project();
  const workspace = await opened(here);
  const deeds: [string, (dir: string) => void][] = [
    ["A1", (dir) => void gitIn(dir, "commit", "-q", "-am", "by the agent")],
    [
      "A2",
      (dir) => {
        gitIn(dir, "checkout", "-q", "-b", "agents-own");
        gitIn(dir, "commit", "-q", "-am", "x");
      },
    ],
    [
      "A3",
      (dir) => {
        gitIn(dir, "checkout", "-q", "--detach");
        gitIn(dir, "commit", "-q", "-am", "x");
      },
    ],
    [
      "A4",
      (dir) => {
        gitIn(dir, "add", "-A");
        gitIn(dir, "branch", "-m", "renamed-away");
      },
    ],
    ["A5", (dir) => void gitIn(dir, "stash", "list")],
  ];
  for (const [atom, deed] of deeds) {
    const result = await work(workspace, atom, async (dir) => {
      await writeFiles(dir, { "b.txt": `by ${atom}\n`, [`new-${atom}.txt`]: atom });
      deed(dir);
    });
    expect(result.kind === "integrated" && [...result.files].sort()).toEqual(["b.txt", `new-${atom}.txt`]);
    expect((await integratedFiles(workspace, ["b.txt"]))["b.txt"]).toBe(`by ${atom}\n`);
  }
  expect(here.loop("rev-list", "--count", "main..aot/demo/integration")).toBe("5");
});

test("SPEC 7: a merge in progress counts as the files stand", async () => {
  const here = await project();
  const workspace = await opened(here);
  const result = await work(workspace, "A1", async (dir) => {
    gitIn(dir, "checkout", "-q", "-b", "x");
    await writeFiles(dir, { "b.txt": "x\n" });
    gitIn(dir, "commit", "-q", "-am", "x");
    gitIn(dir, "checkout", "-q", "-b", "y", "main");
    await writeFiles(dir, { "b.txt": "y\n" });
    gitIn(dir, "commit", "-q", "-am", "y");
    expect(() => gitIn(dir, "merge", "x")).toThrow("git merge x");
    expect(gitIn(dir, "ls-files", "--unmerged")).not.toBe("");
    await writeFiles(dir, { "b.txt": "settled\n" });
  });
  expect(result.kind).toBe("integrated");
  expect(await integratedFiles(workspace, ["b.txt"])).toEqual({ "b.txt": "settled\n" });
});

test("SPEC 7: a worktree without its .git, index or git directory loses no work", async () => {
  const here = await project();
  const workspace = await opened(here);
  const admin = (dir: string): string => gitIn(dir, "rev-parse", "--absolute-git-dir");
  const deeds: [string, (dir: string) => Promise<void>][] = [
    ["A1", (dir) => rm(join(dir, ".git"), { recursive: true })],
    [
      "A2",
      async (dir) => {
        await rm(join(dir, ".git"), { recursive: true });
        gitIn(dir, "init", "-q");
      },
    ],
    ["A3", (dir) => writeFile(join(admin(dir), "index"), "rubbish")],
    ["A4", (dir) => rm(admin(dir), { recursive: true })],
    ["A5", (dir) => writeFile(join(admin(dir), "HEAD"), "rubbish")],
    ["A6", (dir) => writeFile(join(admin(dir), "index.lock"), "")],
  ];
  for (const [atom, deed] of deeds) {
    const result = await work(workspace, atom, async (dir) => {
      await writeFiles(dir, { "b.txt": `by ${atom}\n`, "sub/new.txt": atom });
      await deed(dir);
    });
    expect([atom, result.kind]).toEqual([atom, "integrated"]);
    expect(await integratedFiles(workspace, ["b.txt", "sub/new.txt", "a.txt"])).toEqual({
      "b.txt": `by ${atom}\n`,
      "sub/new.txt": atom,
      "a.txt": FIRST["a.txt"],
    });
  }
  expect(here.git("worktree", "list").split("\n")).toHaveLength(1);
});

test("SPEC 7: a folder that the agent removed is a failure of that attempt", async () => {
  const here = await project();
  const workspace = await opened(here);
  const result = await work(workspace, "A1", (dir) => rm(dir, { recursive: true }));
  expect(result).toEqual({ kind: "failed", reason: expect.stringContaining("is gone") as string });
  expect(await workspace.shelve(attemptOf("A1"), "gone")).toEqual({ kept: null });
  expect((await work(workspace, "A2", (dir) => writeFiles(dir, { "c.txt": "c" }))).kind).toBe("integrated");
  expect(here.git("worktree", "list").split("\n")).toHaveLength(1);
});

test("SPEC 7: nothing that an attempt does to refs, settings or hooks is seen outside of its slot", async () => {
  const here = await project();
  const before = [here.git("for-each-ref"), here.git("config", "--list"), here.git("worktree", "list")];
  const workspace = await opened(here);
  const result = await work(workspace, "A1", async (dir) => {
    await writeFiles(dir, {
      "one.txt": "1",
      ".git/hooks/post-commit": "#!/bin/sh\n",
      ".git/info/attributes": "* -diff",
    });
    gitIn(dir, "update-ref", "refs/heads/evil", "HEAD");
    gitIn(dir, "update-ref", "-d", "refs/heads/main");
    gitIn(dir, "tag", "evil");
    gitIn(dir, "config", "core.fsmonitor", "touch ran; false");
    gitIn(dir, "config", "filter.evil.clean", "touch ran; cat");
    gitIn(dir, "worktree", "add", "-q", "--detach", join(dir, "more"));
  });
  expect(result).toMatchObject({ kind: "integrated" });
  await workspace.shelve(attemptOf("A1"), "no");
  const now = (): string[] => [here.git("for-each-ref"), here.git("config", "--list"), here.git("worktree", "list")];
  expect(now().map((text) => text.replaceAll(/^.*refs\/aot\/demo\/pinned.*\n?/gm, ""))).toEqual(before);
  expect(await readdir(join(here.root, ".git/hooks"))).not.toContain("post-commit");
  await workspace.close();
  expect(here.git("for-each-ref", "--format=%(refname)")).not.toContain("evil");
});

test("SPEC 7: whoever moves or deletes the loop's refs is put right and reported", async () => {
  const here = await project();
  const notes: string[] = [];
  const workspace = await opened(here, { onNote: (text) => notes.push(text) });
  await work(workspace, "A1", (dir) => writeFiles(dir, { "one.txt": "1" }));
  const branch = "refs/heads/aot/demo/integration";
  const deeds: [string, () => void][] = [
    [
      "A2",
      () => {
        const smuggled = here.loop("commit-tree", "-p", branch, `${branch}^{tree}`, "-m", "smuggled");
        here.loop("update-ref", branch, smuggled);
      },
    ],
    ["A3", () => void here.loop("update-ref", "-d", branch)],
    ["A4", () => void here.loop("symbolic-ref", branch, "refs/heads/other")],
    [
      "A5",
      () => {
        here.loop("update-ref", "refs/aot/demo/tip", "main");
        here.loop("update-ref", branch, "main");
      },
    ],
  ];
  for (const [i, [atom, deed]] of deeds.entries()) {
    const result = await work(workspace, atom, async (dir) => {
      await writeFiles(dir, { [`${atom}.txt`]: atom });
      deed();
    });
    expect(result.kind).toBe("integrated");
    expect(notes).toHaveLength(i + 1);
  }
  expect(notes[0]).toContain("refs/aot/demo/foreign/1");
  expect(here.loop("log", "--format=%s", "--reverse", "main..aot/demo/integration").split("\n")).toEqual(
    ["A1", "A2", "A3", "A4", "A5"].map((atom) => `Do ${atom}`),
  );
  expect(here.loop("log", "-1", "--format=%s", "refs/aot/demo/foreign/1")).toBe("smuggled");
  expect(here.git("log", "-1", "--format=%s", "main")).toBe("first");
});

test("SPEC 8: a branch that went back between runs is restored; one that a person took further is accepted", async () => {
  const here = await project();
  const one = await opened(here);
  await work(one, "A1", (dir) => writeFiles(dir, { "one.txt": "1" }));
  await one.close();
  here.git("update-ref", "refs/heads/aot/demo/integration", "main");
  const two = await created(here.options({ run: "r2" }));
  const back = await two.open();
  expect([back.integrated.length, back.notes.length]).toEqual([1, 1]);
  await two.close();
  here.git("worktree", "add", "-q", `${here.root}-hand`, "aot/demo/integration");
  const hand = projectAt(`${here.root}-hand`);
  onTestFinished(() => hand.remove());
  await hand.write({ "by-hand.txt": "h" });
  hand.git("add", "-A");
  hand.git("commit", "-q", "-m", "by hand");
  here.git("worktree", "remove", "--force", hand.root);
  const three = await created(here.options({ run: "r3" }));
  expect((await three.open()).integrated).toHaveLength(1);
  await three.revert(["A1"], "out");
  expect(await integratedFiles(three, ["by-hand.txt", "one.txt"])).toEqual({
    "by-hand.txt": "h",
    "one.txt": undefined,
  });
});

test("SPEC 7: a main repository that is gone is said in plain words", async () => {
  const here = await project();
  const workspace = await opened(here);
  await rm(join(here.root, ".git"), { recursive: true });
  await expect(workspace.start(attemptOf("A1"))).rejects.toMatchObject({ problem: { code: "repository_gone" } });
});

test("SPEC 7: hooks and prompts of the person do not stop the loop; their name is on the commits", async () => {
  const here = await project();
  here.git("config", "core.safecrlf", "true");
  await writeFiles(join(here.root, ".git/hooks"), {
    "post-checkout": "#!/bin/sh\nexit 1\n",
    "reference-transaction": "#!/bin/sh\nexit 1\n",
  });
  for (const hook of ["post-checkout", "reference-transaction"])
    await import("node:fs/promises").then((fs) => fs.chmod(join(here.root, ".git/hooks", hook), 0o755));
  const workspace = await opened(here);
  expect((await work(workspace, "A1", (dir) => writeFiles(dir, { "c.txt": "c\r\n" }))).kind).toBe("integrated");
  expect(here.loop("log", "-1", "--format=%an <%ae>", "aot/demo/integration")).toBe("Person <person@example.org>");
});

test("SPEC 7, 16: a person without a name in git gets the loop's, and hears of it before anything is spent", async () => {
  const here = await project();
  expect((await (await created(here.options())).open()).notes.join()).not.toContain("git config user.name");
  here.git("config", "--unset", "user.name");
  here.git("config", "--unset", "user.email");
  const workspace = await created(here.options());
  expect((await workspace.open()).notes.join()).toContain("git config user.name");
  await work(workspace, "A1", (dir) => writeFiles(dir, { "c.txt": "c" }));
  expect(here.loop("log", "-1", "--format=%an <%ae>", "aot/demo/integration")).toBe("AoT Loop <aot-loop@localhost>");
});

test("SPEC 7: GIT_* of the caller does not lead elsewhere", async () => {
  const here = await project();
  const other = await project();
  Object.assign(process.env, {
    GIT_DIR: join(other.root, ".git"),
    GIT_WORK_TREE: other.root,
    GIT_INDEX_FILE: join(other.root, "x"),
  });
  try {
    const workspace = await opened(here);
    expect((await work(workspace, "A1", (dir) => writeFiles(dir, { "c.txt": "c" }))).kind).toBe("integrated");
  } finally {
    for (const name of ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"]) delete process.env[name];
  }
  expect(other.git("branch", "--list", "aot/*")).toBe("");
  expect(here.loop("rev-list", "--count", "main..aot/demo/integration")).toBe("1");
});

test("SPEC 7: a repository made inside becomes plain files, and its .git is kept aside", async () => {
  const here = await project();
  const workspace = await opened(here);
  const result = await work(workspace, "A1", async (dir) => {
    await writeFiles(dir, { "app/file.txt": "x", "empty/other.txt": "y" });
    gitIn(join(dir, "app"), "init", "-q");
    gitIn(join(dir, "app"), "add", "-A");
    gitIn(join(dir, "app"), "-c", "user.name=x", "-c", "user.email=x@y", "commit", "-q", "-m", "own");
    gitIn(join(dir, "empty"), "init", "-q");
  });
  expect(result.kind === "integrated" && [...result.files].sort()).toEqual(["app/file.txt", "empty/other.txt"]);
  expect(await readdir(join(here.root, ".claude/aot-loop/kept/demo/A1-1-r1"))).toHaveLength(2);
});

test("SPEC 7: a tracked state file is the same before and after an attempt that changed or removed it", async () => {
  const here = await project({ ...FIRST, ".claude/aot-loop-state.md": "status: running\n" });
  const workspace = await opened(here);
  await work(workspace, "A1", (dir) =>
    writeFiles(dir, { ".claude/aot-loop-state.md": "status: completed\n", "c.txt": "c" }),
  );
  const gone = await work(workspace, "A2", async (dir) => {
    await rm(join(dir, ".claude"), { recursive: true });
    gitIn(dir, "commit", "-q", "-am", "without");
  });
  expect(gone).toEqual({ kind: "integrated", commit: null, files: [] });
  expect(await integratedFiles(workspace, [".claude/aot-loop-state.md"])).toEqual({
    ".claude/aot-loop-state.md": "status: running\n",
  });
});

test("SPEC 8: git status of the person stays clean while attempts work", async () => {
  const here = await project();
  const workspace = await opened(here);
  await workspace.start(attemptOf("A1"));
  await here.write({ ".claude/aot-loop-state.md.lock": "x" });
  expect(here.git("status", "--porcelain")).toBe("");
  await workspace.close();
  const exclude = await readFile(join(here.root, ".git/info/exclude"), "utf8");
  await (await opened(here, { run: "r2" })).close();
  expect(await readFile(join(here.root, ".git/info/exclude"), "utf8")).toBe(exclude);
});

test("SPEC 8: a stale lock on the loop's own refs is removed, one in the person's repository is not", async () => {
  const here = await project();
  await (await opened(here)).close();
  const ours = join(here.root, ".git/refs/heads/aot/demo/integration.lock");
  await writeFile(ours, "");
  await writeFile(join(here.root, ".git/index.lock"), "");
  const workspace = await opened(here, { run: "r2" });
  await expect(access(ours)).rejects.toThrow("ENOENT");
  expect((await work(workspace, "A1", (dir) => writeFiles(dir, { "b.txt": "b2\n" }))).kind).toBe("integrated");
  const end = await workspace.finish("verified");
  expect([end.merged, end.message.includes("index.lock")]).toEqual([false, true]);
  await access(join(here.root, ".git/index.lock"));
});

test("SPEC 8: a folder that a crash left after its work was integrated goes, and is not kept once more", async () => {
  const here = await project();
  const workspace = await opened(here);
  await work(workspace, "A1", (dir) => writeFiles(dir, { "one.txt": "1" }));
  // As if the crash had come between the integration and the removal.
  const left = join(here.root, ".claude/worktrees/aot-loop/demo/A1-1-r1");
  here.loop("update-ref", "refs/heads/aot/demo/attempt/A1-1-r1", "main");
  await writeFiles(left, { "one.txt": "1" });
  const next = await created(here.options({ run: "r2" }));
  const { integrated, notes } = await next.open();
  expect([integrated.map((one) => one.attempt), notes]).toEqual([["A1.1"], []]);
  expect(here.loop("branch", "--list", "aot/demo/attempt/*")).toBe("");
  await expect(access(left)).rejects.toThrow("ENOENT");
  expect(here.git("worktree", "list").split("\n")).toHaveLength(1);
});

test.skipIf(process.platform === "win32")("SPEC 7: a pipe that an attempt left is in nobody's way", async () => {
  needs("mkfifo");
  const here = await project();
  const workspace = await opened(here);
  const result = await work(workspace, "A1", async (dir) => {
    await writeFiles(dir, { "b.txt": "b3\n" });
    execFileSync("mkfifo", [join(dir, "pipe")]);
  });
  expect(result).toMatchObject({ kind: "integrated", files: ["b.txt"] });
  await workspace.close();
});

test("SPEC 7: what an attempt left is told by its commit and what it changed", async () => {
  const here = await project();
  const workspace = await opened(here);
  expect((await work(workspace, "A0", (dir) => writeFiles(dir, { "other.txt": "in\n" }))).kind).toBe("integrated");
  const attempt = attemptOf("A1");
  const { dir } = await workspace.start(attempt);
  await writeFiles(dir, { "a.txt": "tried\n" });
  await workspace.shelve(attempt, "no");
  const kept = (await workspace.kept?.([attempt.id, "A9.1"])) ?? new Map();
  expect([...kept.keys()]).toEqual([attempt.id]);
  const { commit = "", diff = "" } = kept.get(attempt.id) ?? {};
  expect(here.loop("show", `${commit}:a.txt`)).toBe("tried");
  expect(diff).toContain("+tried");
  expect(diff).not.toContain("other.txt");
  await workspace.close();
});

test("SPEC 8: a file beside the worktrees is nobody's work, and stays", async () => {
  const here = await project();
  const beside = join(here.root, ".claude/worktrees/aot-loop");
  await writeFiles(beside, { stray: "mine\n", "demo/notes.txt": "mine\n" });
  const workspace = await opened(here);
  await work(workspace, "A1", (dir) => writeFiles(dir, { "b.txt": "b2\n" }));
  await workspace.close();
  expect([
    await readFile(join(beside, "stray"), "utf8"),
    await readFile(join(beside, "demo/notes.txt"), "utf8"),
  ]).toEqual(["mine\n", "mine\n"]);
});

test.each([
  ["set", "--cone", "src"],
  ["set", "--cone", "--sparse-index", "src"],
  ["set", "--no-cone", "/src/"],
])("SPEC 6: a verdict's checkout is the whole commit, though the person's is sparse: %s %s %s", async (...how) => {
  const here = await project({ "src/a.txt": "a\n", "notes/b.md": "b\n" });
  here.git("sparse-checkout", ...how);
  const workspace = await opened(here);
  const { dir, release } = await workspace.checkout();
  expect(await readFile(join(dir, "notes/b.md"), "utf8")).toBe("b\n");
  expect(gitIn(dir, "status", "--porcelain", "--ignored")).toBe("");
  // What people and attempts have checked out stays as it is.
  expect(here.git("sparse-checkout", "list").trim()).toMatch(/src/);
  await release();
});

test("SPEC 6, COMMIT-FILES-1: a check that removes the clone's git directory is put right, one that forges an object is seen", async () => {
  const here = await project();
  const workspace = await opened(here);
  const { dir, between, release } = await workspace.checkout();
  const before = await readFile(join(dir, "a.txt"), "utf8");
  await rm(join(dir, ".git"), { recursive: true });
  await writeFiles(dir, { "a.txt": "easy\n" });
  expect(await between?.()).toEqual({ put_back: ["a.txt"], stuck: [], tampered: [] });
  expect(await readFile(join(dir, "a.txt"), "utf8")).toBe(before);
  const oid = here.git("rev-parse", "HEAD:a.txt");
  await mkdir(join(dir, ".git/objects", oid.slice(0, 2)), { recursive: true });
  await writeFile(join(dir, ".git/objects", oid.slice(0, 2), oid.slice(2)), deflateSync("blob 5\0easy\n"));
  await writeFiles(dir, { "a.txt": "easy\n" });
  expect(await between?.()).toEqual({ put_back: ["a.txt"], stuck: ["a.txt"], tampered: [] });
  await release();
});
