/** The commits that a person gets (SPEC section 16): signed, by their convention, squashed, and seen by their hooks. */
import { existsSync, mkdirSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { chmod, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { leftoversIn, removeLeftovers } from "../../../src/adapters/workspace/leftovers.ts";
import { loopPaths } from "../../../src/host/loop-paths.ts";
import { findRepository } from "../../../src/adapters/workspace/repository.ts";
import type { GitWorkspaceOptions } from "../../../src/adapters/workspace/workspace-options.ts";
import type { Workspace } from "../../../src/loop/ports.ts";
import { needs } from "../../support/needs.ts";
import { attemptOf, opened, testProject, work, workOf, writeFiles, type Files, type Project } from "./project.ts";

const LINE = "aot/demo/integration";

const project = (files: Files = { "a.txt": "a\n" }): Promise<Project> => testProject(files);

async function begun(here: Project, more: Partial<GitWorkspaceOptions> = {}): Promise<Workspace> {
  const workspace = await opened(here, more);
  onTestFinished(() => workspace.close());
  return workspace;
}

test("SPEC 16: each commit names loop, atom, attempt and agent", async () => {
  const here = await project();
  const workspace = await begun(here);
  await twoAtoms(workspace);
  expect(here.loop("log", "-1", "--format=%(trailers:only)", LINE)).toMatch(
    /^Aot-Loop: demo\nAot-Atom: A2\nAot-Attempt: A2\.1\nAot-Agent: claude:opus\nAot-Workspace: /,
  );
});

/** Two atoms, each with a file of its name. */
async function twoAtoms(workspace: Workspace): Promise<void> {
  for (const atom of ["A1", "A2"])
    await work(workspace, atom, (dir) => writeFiles(dir, { [`${atom}.txt`]: `${atom}\n` }));
}

/** Signs as `git config gpg.format ssh` has it. @returns where the key is */
async function signing(here: Project): Promise<string> {
  needs("ssh-keygen");
  const key = join(here.root, ".git", "key");
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key]);
  await writeFile(`${key}.allowed`, `person@example.org ${await readFile(`${key}.pub`, "utf8")}`);
  for (const [name, value] of [
    ["commit.gpgsign", "true"],
    ["gpg.format", "ssh"],
    ["user.signingkey", key],
    ["gpg.ssh.allowedSignersFile", `${key}.allowed`],
  ] as const)
    here.git("config", name, value);
  return key;
}

async function hook(here: Project, path: string, lines: string): Promise<void> {
  await writeFiles(here.root, { [path]: `#!/bin/sh\n${lines}\n` });
  await chmod(join(here.root, path), 0o755);
}

test("SPEC 16: who signs commits gets signed ones, one for each atom, with the files that were verified", async () => {
  const here = await project();
  await signing(here);
  const workspace = await begun(here);
  await twoAtoms(workspace);
  const end = await workspace.finish("verified");
  expect(end).toMatchObject({ merged: true, handed_over: here.git("rev-parse", "HEAD") });
  for (const commit of ["HEAD", "HEAD~1"]) here.git("verify-commit", commit);
  expect(here.git("log", "--format=%s", "-2")).toBe("Do A2\nDo A1");
  expect(here.git("rev-parse", "HEAD^{tree}")).toBe(here.git("rev-parse", `${LINE}^{tree}`));
  expect(() => here.git("verify-commit", LINE)).toThrow();
});

test("HANDED-COMMITS-2: a run that ends twice hands over the same commits", async () => {
  const here = await project();
  await signing(here);
  const workspace = await begun(here);
  await twoAtoms(workspace);
  const first = await workspace.finish("verified");
  const second = await workspace.finish("verified");
  expect(second.handed_over).toBe(first.handed_over);
  expect(second).toMatchObject({ merged: true });
  expect(here.git("rev-parse", "HEAD")).toBe(first.handed_over);
});

test("SPEC 16: who signs with GPG gets signatures that GPG verifies, by the key that was asked for", async () => {
  needs("gpg", "gpgconf");
  const here = await project();
  const home = join(here.root, ".git", "gnupg");
  mkdirSync(home, { mode: 0o700 });
  vi.stubEnv("GNUPGHOME", home);
  const batch = ["--batch", "--quiet", "--passphrase", ""];
  execFileSync("gpg", [...batch, "--quick-gen-key", "Person <person@example.org>", "ed25519", "sign", "1d"], {
    stdio: "pipe",
  });
  onTestFinished(() => {
    execFileSync("gpgconf", ["--kill", "gpg-agent"]);
    vi.unstubAllEnvs();
  });
  here.git("config", "commit.gpgsign", "true");
  here.git("config", "user.signingkey", "person@example.org");
  const workspace = await begun(here);
  await twoAtoms(workspace);
  expect(await workspace.finish("verified")).toMatchObject({ merged: true });
  expect(here.git("log", "-2", "--format=%G? %GS")).toBe(
    "G Person <person@example.org>\nG Person <person@example.org>",
  );
});

test("SPEC 16: a signature that cannot be made is said before anything is spent", async () => {
  const here = await project();
  const key = await signing(here);
  await rename(key, `${key}.away`);
  await expect(begun(here)).rejects.toMatchObject({
    problem: { code: "cannot_sign", message: expect.stringContaining("commit.gpgsign") as string },
  });
  expect(here.git("branch", "--list", "aot/*")).toBe("");
});

test("SPEC 15, 16: a program that the repository's own settings name never signs as the person", async () => {
  const here = await project();
  await signing(here);
  const ran = join(here.root, ".git", "ran");
  await hook(here, ".git/signer", `touch '${ran}'`);
  here.git("config", "gpg.ssh.program", join(here.root, ".git", "signer"));
  await expect(begun(here)).rejects.toMatchObject({
    problem: { code: "cannot_sign", message: expect.stringContaining("gpg.ssh.program") as string },
  });
  expect(existsSync(ran)).toBe(false);
});

test("SPEC 16: a key that is gone at the end loses nothing: the work is on its branch, with what to do", async () => {
  const here = await project();
  const key = await signing(here);
  const before = here.git("rev-parse", "HEAD");
  const workspace = await begun(here);
  await twoAtoms(workspace);
  await rename(key, `${key}.away`);
  const { message, merged } = await workspace.finish("verified");
  expect(merged).toBe(false);
  expect(message).toContain("could not be signed");
  expect(here.git("rev-parse", "HEAD")).toBe(before);
  await rename(`${key}.away`, key);
  const command = /git merge --squash .* && git commit/.exec(message)?.[0] ?? "exit 1";
  execFileSync("sh", ["-c", `${command} -q -m mine`], { cwd: here.root });
  here.git("verify-commit", "HEAD");
  expect(here.git("rev-parse", "HEAD^{tree}")).toBe(here.git("rev-parse", `${LINE}^{tree}`));
});

test("SPEC 16: one commit of all work, by the person's convention, signed off once", async () => {
  const here = await project();
  const commits = { squash: "Say hello", signoff: true, subject: "feat: {what}" };
  const workspace = await begun(here, { commits });
  await twoAtoms(workspace);
  await workspace.finish("verified");
  expect(here.git("log", "--format=%B", "HEAD")).toBe(
    [
      "feat: Say hello\n\n- feat: Do A1\n- feat: Do A2\n",
      "Aot-Loop: demo\nAot-Attempts: A1.1, A2.1\nAot-Agent: claude:opus\nSigned-off-by: Person <person@example.org>\n\nfirst",
    ].join("\n"),
  );
  expect(here.git("rev-parse", "HEAD^{tree}")).toBe(here.git("rev-parse", `${LINE}^{tree}`));
});

test.each([{}, { squash: "Say hello." }])(
  "SPEC 16: work in one piece is called as its worker says: %j",
  async (commits) => {
    const here = await project();
    const workspace = await begun(here, { commits });
    const attempt = attemptOf("A1");
    const { dir } = await workspace.start(attempt);
    await writeFiles(dir, { "A1.txt": "1\n" });
    await workspace.integrate(attempt, { ...workOf("A1"), subject: "feat(hello): say it" });
    await workspace.finish("verified");
    expect(here.git("log", "--format=%s", "-1")).toBe("feat(hello): say it");
    expect(here.git("log", "--format=%b", "-1")).toContain(workOf("A1").summary);
  },
);

test("HANDED-COMMITS-4: what was taken out again is not in the history that the person gets", async () => {
  const here = await project();
  const workspace = await begun(here);
  await twoAtoms(workspace);
  await workspace.revert(["A1"], "wrong");
  await work(workspace, "A3", (dir) => writeFiles(dir, { "A3.txt": "3\n" }));
  const { commit, release } = await workspace.checkout();
  await release();
  expect(await workspace.finish("verified")).toMatchObject({ merged: true, handed_over: commit });
  expect(here.git("log", "--format=%s")).toBe("Do A3\nDo A2\nfirst");
  expect(here.git("diff", "--name-only", "HEAD~1")).toBe("A3.txt");
  expect(here.git("rev-parse", "HEAD^{tree}")).toBe(here.git("rev-parse", `${LINE}^{tree}`));
});

test("LEFTOVERS-1: once the squashed commit is the person's nothing of the goal is left to keep", async () => {
  const here = await project();
  const workspace = await begun(here, { commits: { squash: "Say hello" } });
  await twoAtoms(workspace);
  await workspace.finish("verified");
  await workspace.close();
  const found = await findRepository(here.root);
  if (!found.ok) throw new Error(found.problem.message);
  const left = await leftoversIn(found.value, loopPaths(here.options().stateFile), "");
  expect(left.goals).toMatchObject([{ loop: "demo", verified: true, unmerged: [] }]);
  await removeLeftovers(found.value, left);
  expect(here.git("for-each-ref", "--format=%(refname)")).toBe("refs/heads/main");
});

test("SPEC 16: nobody signs off without a name, which is said before anything is spent", async () => {
  const here = await project();
  here.git("config", "--unset", "user.email");
  await expect(begun(here, { commits: { signoff: true } })).rejects.toMatchObject({
    problem: { code: "cannot_sign", hint: expect.stringContaining("git config user.email") as string },
  });
});

test("HANDED-COMMITS-3: what a person committed on the loop's branch stays theirs", async () => {
  const here = await project();
  const first = await begun(here);
  await work(first, "A1", (dir) => writeFiles(dir, { "A1.txt": "1\n" }));
  await first.close();
  const tree = here.git("rev-parse", `${LINE}^{tree}`);
  const author = ["-c", "user.name=Other", "-c", "user.email=other@example.org"];
  const theirs = here.git(...author, "commit-tree", tree, "-p", LINE, "-m", "theirs");
  here.git("update-ref", `refs/heads/${LINE}`, theirs);
  const workspace = await begun(here, { run: "r2", commits: { signoff: true } });
  await work(workspace, "A2", (dir) => writeFiles(dir, { "A2.txt": "2\n" }));
  await workspace.finish("verified");
  const log = here.git("log", "--format=%an %s %(trailers:key=Signed-off-by,valueonly,separator=%x2C)", "-3");
  const own = "Person <person@example.org>";
  expect(log.split("\n").map((line) => line.trim())).toEqual([
    `Person Do A2 ${own}`,
    "Other theirs",
    `Person Do A1 ${own}`,
  ]);
});

test("PROJECT-HOOKS-1: hooks of a folder that git ignores run once, on all of the work, and edit its messages", async () => {
  const here = await project({ "a.txt": "a\n", ".gitignore": ".husky/_\n" });
  const said = join(here.root, ".git", "said");
  // As husky does: the script in `_` looks for another one above itself.
  const above = '. "$(dirname "$0")/../$(basename "$0")"';
  await hook(here, ".husky/_/pre-commit", above);
  await hook(here, ".husky/_/commit-msg", above);
  await hook(here, ".husky/pre-commit", `git diff --cached --name-only HEAD >> '${said}'; echo . >> '${said}'`);
  const message = ".git/COMMIT_EDITMSG";
  await hook(
    here,
    ".husky/commit-msg",
    `[ "$1" = ${message} ] && echo "Change-Id: I$(git hash-object $1)" >> ${message}`,
  );
  here.git("add", "-A");
  here.git("commit", "-q", "-m", "hooks");
  here.git("config", "core.hooksPath", ".husky/_");
  const workspace = await begun(here);
  await twoAtoms(workspace);
  expect(await workspace.finish("verified")).toMatchObject({ merged: true });
  expect(await readFile(said, "utf8")).toBe("A1.txt\nA2.txt\n.\n");
  expect(here.git("log", "-2", "--format=%(trailers:key=Change-Id,valueonly)")).toMatch(
    /^I[0-9a-f]{40}\n+I[0-9a-f]{40}$/,
  );
  expect(here.git("status", "--porcelain")).toBe("");
});

test.each([
  [
    "refuses the work",
    "pre-commit",
    "echo no such style; exit 1",
    /pre-commit refused it \(exit code 1\): no such style/,
  ],
  ["refuses a message", "commit-msg", "grep -q ^feat: $1", /commit-msg refused it .*Do A1/],
  ["changes what was verified", "pre-commit", "echo more >> A1.txt", /pre-commit changed what was verified: A1\.txt/],
])("SPEC 16: a hook that %s keeps the work on its branch, and says what to do", async (_, name, lines, reason) => {
  const here = await project();
  const before = here.git("rev-parse", "HEAD");
  await hook(here, `.git/hooks/${name}`, lines);
  const workspace = await begun(here);
  await twoAtoms(workspace);
  const { message, merged } = await workspace.finish("verified");
  expect(message).toMatch(reason);
  expect(message).toContain(`git merge --squash ${LINE} && git commit`);
  expect(merged).toBe(false);
  expect(here.git("rev-parse", "HEAD")).toBe(before);
  expect(here.loop("show", `${LINE}:A2.txt`)).toBe("A2");
  await workspace.close();
  const without = await begun(here, { run: "r2", commits: { hooks: null } });
  expect(await without.finish("verified")).toMatchObject({ merged: true });
});

test("a link in the place of the hooks' folder is not written through", async () => {
  const here = await project({ "a.txt": "a\n", ".gitignore": "/own/\n" });
  await hook(here, "own/_/pre-commit", "exit 0");
  here.git("config", "core.hooksPath", "own/_");
  const workspace = await begun(here);
  const elsewhere = join(here.root, ".git");
  await work(workspace, "A1", async (dir) => {
    const { symlink } = await import("node:fs/promises");
    await symlink(elsewhere, join(dir, "own"));
  });
  const { message, merged } = await workspace.finish("verified");
  expect(merged).toBe(false);
  expect(message).toContain("a link is in the place of");
  await expect(readFile(join(elsewhere, "_", "pre-commit"))).rejects.toMatchObject({ code: "ENOENT" });
});
