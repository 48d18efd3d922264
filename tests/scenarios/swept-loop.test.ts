/** The loop's own files outlive whatever sweeps the project's folder (SPEC sections 2, 8 and 10). */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aot, aotJson } from "../support/aot.ts";
import { temporaryFolder } from "../support/bundle.ts";

interface Place {
  readonly dir: string;
  readonly state: string;
  git(...words: string[]): string;
  /** @param agent absent: one that makes nothing */
  run(agent?: string): ReturnType<typeof aot>;
}

/** An aligned loop in a repository. */
async function aligned({ commits = true, at = ".", where = [] as readonly string[] } = {}): Promise<Place> {
  const top = temporaryFolder();
  const dir = join(top, at);
  mkdirSync(dir, { recursive: true });
  const git = (...words: string[]): string =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...words], { cwd: top, encoding: "utf8" });
  git("init", "--quiet");
  if (commits) git("commit", "--quiet", "--allow-empty", "--message", "nothing yet");
  const check = ["align", "A text", "--check", "file: made.txt", "--yes", ...where];
  expect(await aot(check, { cwd: dir })).toMatchObject({ code: 0 });
  const nothing = `command:echo '{"success": false, "summary": "no"}'`;
  const state = where.length > 0 ? join(dir, "loops", "one.md") : join(dir, ".claude", "aot-loop-state.md");
  return { dir, state, git, run: (agent = nothing) => aot(["run", "--agent", agent, ...where], { cwd: dir }) };
}

test.each([
  ["in the default place", {}],
  ["in a folder below the repository's", { at: "packages/one" }],
  ["in a repository without a commit", { commits: false }],
  ["where --state-file says", { where: ["--state-file", "loops/one.md"] }],
])("SPEC 2: git shows none of the loop's own files from the first moment on, %s", async (_, how) => {
  const { git, state } = await aligned(how);
  expect(existsSync(state)).toBe(true);
  expect(git("status", "--porcelain", "--untracked-files=all")).toBe("");
});

test.each([
  ["git clean -fdxq", ["clean", "-fdxq"]],
  ["git stash --all", ["stash", "--all"]],
  ["git stash -u", ["stash", "-u"]],
])("SPEC 2, 8: after %s the loop goes on, and it is said", async (_, words) => {
  const { dir, state, git, run } = await aligned();
  expect(await run()).toMatchObject({ code: 11 });
  const [before, spent] = [readFileSync(state, "utf8"), await aotJson(["status"], { cwd: dir })];
  git(...words);
  const isSwept = !existsSync(state);
  const { json, err } = await aotJson(["status"], { cwd: dir });
  expect(err.includes("back from")).toBe(isSwept);
  expect(readFileSync(state, "utf8")).toBe(before);
  const of = ({ measure, iteration, stall_count, stop_reason, fuel }: Readonly<Record<string, unknown>>): unknown[] => [
    measure,
    iteration,
    stall_count,
    stop_reason,
    fuel,
  ];
  expect(of(json)).toEqual(of(spent.json));
  expect(of(json)).not.toContain(undefined);
  const again = await aot(["status"], { cwd: dir });
  expect(again.err, "once").toBe("");
  expect(again.out.includes("are back"), "the journal has it").toBe(isSwept);
});

test("SPEC 2: aot run finds it as well, below the repository's folder and by the name that it was given", async () => {
  for (const how of [{ at: "packages/one" }, { where: ["--state-file", "loops/one.md"] }]) {
    const { git, run, state } = await aligned(how);
    git("clean", "-fdxq");
    mkdirSync(join(state, "..", ".."), { recursive: true });
    const ran = await run();
    expect(ran).toMatchObject({ code: 11 });
    expect(ran.err).toContain("back from");
    expect(existsSync(state)).toBe(true);
  }
});

test("SPEC 2, 8: swept while a run works it, the loop goes on, and the next run on the same branch", async () => {
  const { dir, state, git, run } = await aligned();
  const sweep = `git -C "${dir}" clean -fdxq -e worktrees; echo '{"success": false, "summary": "no"}'`;
  expect(await run(`command:${sweep}`)).toMatchObject({ code: 11 });
  const name = readFileSync(join(dir, ".claude", "aot-loop", "name"), "utf8");
  expect(existsSync(state)).toBe(true);
  git("clean", "-fdxq");
  await aot(["status"], { cwd: dir });
  expect(readFileSync(join(dir, ".claude", "aot-loop", "name"), "utf8")).toBe(name);
});

test("SPEC 2: who removes the state file alone gives the loop up; a verified loop leaves nothing behind", async () => {
  const given = await aligned();
  rmSync(given.state);
  expect(await aot(["status"], { cwd: given.dir })).toMatchObject({ code: 2 });
  given.git("clean", "-fdxq");
  expect(await aot(["status"], { cwd: given.dir })).toMatchObject({ code: 2 });
  expect(await aot(["align", "Another", "--check", "file: a", "--yes"], { cwd: given.dir })).toMatchObject({ code: 0 });

  const { dir, git, run } = await aligned();
  expect(await run(`command:touch made.txt; echo '{"success": true, "summary": "made"}'`)).toMatchObject({ code: 0 });
  git("clean", "-fdxq");
  expect(await aot(["status"], { cwd: dir })).toMatchObject({ code: 2 });
  expect(readdirSync(join(dir, ".git"))).not.toContain("aot-loop");
});

test("SPEC 2: a new goal's loop is what comes back, with nothing of the one before", async () => {
  const { dir, git, run } = await aligned();
  await run();
  const align = ["align", "Another text", "--check", "file: other.txt", "--force", "--yes"];
  expect(await aot(align, { cwd: dir })).toMatchObject({ code: 0 });
  git("clean", "-fdxq");
  const { json } = await aotJson(["state", "show"], { cwd: dir });
  expect(JSON.stringify(json)).toContain("Another text");
  expect(existsSync(join(dir, ".claude", "aot-loop", "name"))).toBe(false);
});

test("SPEC 2: without git the copy lies in the user's state folder", async () => {
  const [dir, XDG_STATE_HOME] = [temporaryFolder(), temporaryFolder()];
  const at = { cwd: dir, env: { XDG_STATE_HOME } };
  expect(await aot(["align", "A text", "--check", "file: made.txt", "--yes"], at)).toMatchObject({ code: 0 });
  rmSync(join(dir, ".claude"), { recursive: true });
  const { code, err } = await aot(["status"], at);
  expect([code, err.includes(XDG_STATE_HOME)]).toEqual([0, true]);
});
