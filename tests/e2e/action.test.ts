/** SPEC 16: the GitHub Action from its own checkout, with every step that a runner runs: `npm ci` needs a package registry. */
import { execFileSync } from "node:child_process";
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/bundle.ts";
import { runAction } from "../support/github-action.ts";

test("a checkout of the action builds itself, works a goal, and hands on its receipt", { timeout: 300_000 }, () => {
  const [action, cwd] = [temporaryFolder(), temporaryFolder()];
  for (const path of execFileSync("git", ["ls-files", "-z"], { encoding: "utf8" }).split("\0").filter(Boolean))
    cpSync(path, join(action, path));
  execFileSync("git", ["init", "-q", cwd]);
  writeFileSync(join(cwd, "README.md"), "before\n");
  const person = ["-c", "user.name=A", "-c", "user.email=a@example.org"];
  execFileSync("git", ["add", "."], { cwd });
  execFileSync("git", [...person, "commit", "-qm", "before"], { cwd });
  const agent = `command:touch made.txt`;
  const acted = runAction(
    { cwd, action, temp: temporaryFolder() },
    { goal: "Make it", check: "test -f made.txt", agent },
  );
  expect(acted.code, acted.out).toBe(0);
  expect(acted.outputs).toEqual({ outcome: "verified", receipt: expect.stringContaining("aot-receipt.json") });
  expect(acted.summary).toContain("AoT Loop: **verified**");
});
