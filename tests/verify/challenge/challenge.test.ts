/** Checks tried against broken code (SPEC section 6), with real git and real checks. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { challenge, type Challenge, type ChallengeOptions } from "../../../src/verify/challenge/challenge.ts";
import { alignedState } from "../../../src/align/alignment.ts";
import { aotJson } from "../../support/aot.ts";
import { temporaryFolder } from "../../support/bundle.ts";

const BROKEN = "exports.max = (a, b) => {\n  return a < b ? a : b;\n};\n";
const WORKS = BROKEN.replace("a < b", "a > b");
const THOROUGH =
  "node -e \"const { max } = require('./max.js'); process.exit(max(1, 2) === 2 && max(2, 1) === 2 ? 0 : 1)\"";
const THIN = "node -e \"require('./max.js')\"";

const git = (dir: string, ...args: readonly string[]): string =>
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.invalid", ...args], {
    cwd: dir,
    encoding: "utf8",
  }).trim();

function write(dir: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
}

let dir = "";
let before = "";
beforeAll(() => {
  dir = temporaryFolder();
  git(dir, "init", "-q");
  write(dir, { "max.js": BROKEN, "other.js": "exports.other = 1;\n" });
  git(dir, "add", ".");
  git(dir, "commit", "-qm", "before");
  before = git(dir, "rev-parse", "HEAD");
  write(dir, { "max.js": WORKS });
  git(dir, "commit", "-qam", "after");
});

/** @param since the commit before the work; null: HEAD is where it begins */
async function challenged(
  commands: readonly string[],
  since: string | null = before,
  more: Partial<ChallengeOptions> = {},
): Promise<Challenge> {
  const checklist = commands.map((value) => ({ item: value, check: { type: "command", value } as const }));
  const aligned = alignedState({ goal: "max gives the larger one", base_case: { checklist } }, since);
  if (!aligned.ok) throw new Error(aligned.problems[0]?.message);
  const set_up = { commands: [], timeout_ms: 0 };
  const { signal } = new AbortController();
  const tried = await challenge({ project: dir, state: aligned.value, set_up, signal, time_ms: 600_000, ...more });
  if (!tried.ok) throw new Error(tried.problems[0]?.message);
  return tried.value;
}

test("SPEC 6: a thorough check notices the work reverted, an emptied file and the changes; only what the work touched is broken", async () => {
  const found = await challenged([THOROUGH]);
  expect(found).toMatchObject({ files: ["max.js"], notice_nothing: [], tried: found.of });
  // Of equal numbers it does not matter which is given.
  expect(found.survivors.map(({ line, change }) => `${line} ${change}`)).toEqual(["2 `>` is `>=`"]);
});

test("SPEC 6: what a thin check misses is named with file and line, and a check that misses all of it by its name", async () => {
  const found = await challenged([THIN, "exit 0"]);
  expect(found.notice_nothing).toContain("exit 0");
  expect(found.survivors).toContainEqual({ file: "max.js", change: "the work is reverted", checks: [THIN, "exit 0"] });
  expect(found.survivors).toContainEqual({
    file: "max.js",
    line: 2,
    change: "the return's value is gone",
    checks: [THIN, "exit 0"],
  });
});

test("SPEC 6: before the work a failing check is challenged too: one that broken code satisfies is named", async () => {
  const empty = "node -e \"process.exit(require('fs').readFileSync('max.js', 'utf8') === '' ? 0 : 1)\"";
  const found = await challenged([empty], null);
  expect(found.survivors).toEqual([{ file: "max.js", change: "the file is empty", checks: [empty] }]);
});

test("CHALLENGE-1: nothing of the person's folder is written to, and nothing is left behind", async () => {
  writeFileSync(join(dir, "unsaved.txt"), "mine");
  const [status, temporary] = [git(dir, "status", "--porcelain"), readdirSync(tmpdir())];
  await challenged([THIN]);
  expect(git(dir, "status", "--porcelain")).toBe(status);
  expect(readFileSync(join(dir, "max.js"), "utf8")).toBe(WORKS);
  expect(git(dir, "worktree", "list").split("\n")).toHaveLength(1);
  const left = readdirSync(tmpdir()).filter((name) => name.startsWith("aot-challenge-") && !temporary.includes(name));
  expect(left).toEqual([]);
});

test("CHALLENGE-2: the same seed tries the same in the same order; time that is up ends it and is said", async () => {
  const first = await challenged([THIN], before, { seed: 7 });
  expect(await challenged([THIN], before, { seed: 7 })).toEqual(first);
  const cut = await challenged([THIN], before, { time_ms: 1 });
  expect(cut).toMatchObject({ tried: 0, notice_nothing: [] });
});

test("SPEC 6: aot verify and aot align take --challenge, and say what survived", async () => {
  const align = ["align", "max gives the larger one", "--check", THIN, "--force", "--yes", "--challenge"];
  const aligned = await aotJson(align, { cwd: dir });
  expect(aligned.json).toMatchObject({ success: true, challenge: { files: ["max.js"] } });
  const verified = await aotJson(["verify", "--challenge", "--challenge-time", "600"], { cwd: dir });
  expect(verified.json).toMatchObject({ passed: true, challenge: { notice_nothing: [THIN] } });
});
