/** Where a run works, what it is compared with, and what it says of the checkout (SPEC sections 6 and 7). */
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { aotJson, type RanJson } from "../support/aot.ts";
import { temporaryFolder } from "../support/bundle.ts";
import { projectWith, WRITES, type Project } from "./project.ts";

interface Typed extends Project {
  align(atom: string, ...flags: string[]): Promise<RanJson>;
  run(...flags: string[]): Promise<RanJson>;
}

/** Its agent makes `made.txt`, and what the atom's description names. */
function project(inGit: boolean, env: Readonly<Record<string, string>> = {}): Typed {
  const made = projectWith(
    { "judge.txt": "red\n" },
    { inGit, agent: `writeFileSync("made.txt", "made\\n"); ${WRITES}` },
  );
  const { dir, agent } = made;
  const align = ["align", "G", "--check", "file: made.txt", "--yes"];
  return {
    ...made,
    align: async (atom, ...flags) => await aotJson([...align, "--atom", `A1: ${atom}`, ...flags], { cwd: dir, env }),
    run: async (...flags) => await aotJson(["run", "--agent", agent, ...flags], { cwd: dir, env }),
  };
}

const PROTECT = ["--protect", "judge.txt", "--protect", "tests/**"];
const weaken = (dir: string): void => writeFileSync(join(dir, "judge.txt"), "green\n");

test("SPEC 6: outside git, what changed since the alignment is tampered with: before the first run, after it, and to aot verify", async () => {
  const { dir, align, run } = project(false);
  await align("x.txt", ...PROTECT);
  weaken(dir);
  expect(await run()).toMatchObject({ code: 18, json: { outcome: "tampered" } });
  writeFileSync(join(dir, "made.txt"), "made\n");
  const verified = await aotJson(["verify"], { cwd: dir });
  expect(verified).toMatchObject({ code: 0, json: { passed: true, tampered: ["judge.txt"] } });
  expect(verified.err).toContain("protected files changed since the goal was aligned: judge.txt");
  expect(await aotJson(["state", "set-status", "completed"], { cwd: dir })).toMatchObject({ code: 1 });
  writeFileSync(join(dir, "judge.txt"), "red\n");
  mkdirSync(join(dir, "tests"));
  writeFileSync(join(dir, "tests", "new"), "");
  expect(await run()).toMatchObject({ code: 18 });
  // A new alignment takes the files as they are.
  expect(await align("x.txt", ...PROTECT, "--force", "--check", "file: more.txt")).toMatchObject({ code: 0 });
  expect(await aotJson(["verify"], { cwd: dir })).toMatchObject({ code: 1, json: { tampered: [] } });
});

test("SPEC 6: a goal written by hand is aligned at its first run, outside git, too", async () => {
  const { dir, align, run } = project(false);
  await align("x.txt", ...PROTECT, "--check", "file: never.txt", "--max-iterations", "1");
  rmSync(join(dir, ".claude", "aot-loop"), { recursive: true });
  const file = join(dir, ".claude", "aot-loop-state.md");
  writeFileSync(file, readFileSync(file, "utf8").replace(/^ *aligned_commit:.*\n/m, ""));
  expect(await run()).toMatchObject({ code: 12 });
  weaken(dir);
  expect(await aotJson(["verify"], { cwd: dir })).toMatchObject({ json: { tampered: ["judge.txt"] } });
  await aotJson(["redirect", "limit", "max_iterations", "5"], { cwd: dir });
  expect(await run()).toMatchObject({ code: 18 });
});

test("SPEC 7: a goal aligned outside git is aligned again after `git init`, and says so", async () => {
  const { git, align, run } = project(false);
  await align("x.txt", "--max-iterations", "1", "--check", "file: more.txt");
  expect(await run()).toMatchObject({ code: 12 });
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-q", "-m", "now in git");
  expect(await run()).toMatchObject({
    code: 2,
    json: { errors: [{ hint: expect.stringContaining("`aot align --force`") }] },
  });
  await align("x.txt", "--force");
  expect(await run()).toMatchObject({ code: 0, json: { merged: true } });
});

test("SPEC 6: protected files that are not committed at the alignment are reported at once", async () => {
  const { dir, align } = project(true);
  weaken(dir);
  const aligned = await align("x.txt", ...PROTECT);
  expect(aligned.err).toMatch(/protected, and not as in the commit [0-9a-f]{10}: judge\.txt/);
  expect((await project(true).align("x.txt", ...PROTECT)).err).not.toContain("protected");
});

test("SPEC 6: a commit of the alignment that is gone is reported before anything is spent", async () => {
  const { dir, git, align, run } = project(true);
  await align("x.txt", ...PROTECT);
  const gone = git("rev-parse", "HEAD");
  git("commit", "-q", "--amend", "-m", "another");
  git("reflog", "expire", "--expire=now", "--all");
  git("gc", "-q", "--prune=now");
  const refused = await run();
  expect(refused).toMatchObject({
    code: 2,
    json: { errors: [{ message: expect.stringContaining(gone), hint: expect.stringContaining("aot align --force") }] },
  });
  expect(existsSync(join(dir, "made.txt"))).toBe(false);
  expect((await aotJson(["state", "show"], { cwd: dir })).json).toMatchObject({ status: "pending", iteration: 0 });
  // Where nothing is protected there is nothing to compare.
  await align("x.txt", "--force");
  git("commit", "-q", "--amend", "--allow-empty", "-m", "once more");
  git("reflog", "expire", "--expire=now", "--all");
  git("gc", "-q", "--prune=now");
  expect(await run()).toMatchObject({ code: 0 });
});

test.skipIf(process.platform === "win32")("SPEC 7: without git on the machine nothing is begun", async () => {
  const bin = temporaryFolder();
  symlinkSync(process.execPath, join(bin, "node"));
  symlinkSync("/bin/sh", join(bin, "sh"));
  const { align, run } = project(true, { PATH: [bin].join(delimiter) });
  await align("x.txt");
  expect(await run()).toMatchObject({
    code: 2,
    json: { errors: [{ message: expect.stringContaining("git could not be started") }] },
  });
});

test("SPEC 7: a goal that was aligned in a repository is not gone on with outside of one", async () => {
  const { dir, align, run } = project(true);
  await align("x.txt");
  rmSync(join(dir, ".git"), { recursive: true });
  expect(await run()).toMatchObject({
    code: 2,
    json: { errors: [{ message: expect.stringContaining("not in a git") }] },
  });
});
