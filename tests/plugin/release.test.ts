/** The branch that clients install from: the sources' branch holds no bundle (SPEC section 10). */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/bundle.ts";
import { stagePlugin } from "./staged-plugin.ts";

interface Script {
  releasePlugin(root: string, branch: string): string;
}

test("a release is the built plugin and its marketplace file alone, on a branch that goes on; the checkout stays as it is", async () => {
  const root = await stagePlugin();
  const git = (...words: readonly string[]): string =>
    execFileSync("git", words, { cwd: root, encoding: "utf8" }).trim();
  git("init", "-q", "-b", "main");
  for (const [key, value] of [
    ["user.name", "A"],
    ["user.email", "a@example.org"],
  ] as const)
    git("config", key, value);
  writeFileSync(join(root, ".gitignore"), readFileSync(".gitignore"));
  git("add", ".");
  git("commit", "-qm", "Sources");
  expect(git("ls-files")).not.toMatch(/plugin\/lib|-recursion/);
  const address: string = new URL("../../scripts/release-plugin.mjs", import.meta.url).href;
  const { releasePlugin } = (await import(address)) as Script;
  const commits = [releasePlugin(root, "plugin"), releasePlugin(root, "plugin")];
  expect(git("rev-list", "refs/heads/plugin")).toBe(commits.toReversed().join("\n"));
  expect(git("status", "--porcelain")).toBe("");
  const clone = join(temporaryFolder(), "clone");
  execFileSync("git", ["clone", "-q", "--branch", "plugin", root, clone]);
  expect(existsSync(join(clone, ".claude-plugin", "marketplace.json"))).toBe(true);
  expect(readdirSync(join(clone, "plugin")).filter((name) => !existsSync(join(clone, "plugin-codex", name)))).toEqual([
    "mcp.json",
    "plugin.json",
  ]);
  const aot = spawnSync(process.execPath, [join(clone, "plugin", "lib", "aot.cjs"), "--version"], { encoding: "utf8" });
  expect(aot.stdout).toMatch(/^\d+\.\d+\.\d+/);
  expect(existsSync(join(clone, "plugin", "lib", "hook.cjs"))).toBe(true);
  // The client takes no two commands from one file.
  const body = (name: string): string =>
    readFileSync(join(clone, "plugin", "commands", `${name}.md`), "utf8").replace(/^description: .*$/m, "");
  for (const [alias, name] of [
    ["enter-recursion", "run"],
    ["align-goal", "align"],
    ["exit-recursion", "stop"],
  ] as const)
    expect(body(alias)).toBe(body(name));
});
