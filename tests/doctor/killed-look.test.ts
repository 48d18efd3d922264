/** What an alignment that was killed leaves: where no test runner of the project looks, seen, and swept (FRESH-CHECKOUT-1). */
import { execFileSync, spawn } from "node:child_process";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { freshFolderOf } from "../../src/adapters/workspace/fresh-folder.ts";
import { aot, aotJson, aotPath, cleanEnv } from "../support/aot.ts";
import { eventually, temporaryFolder } from "../support/bundle.ts";

/** @returns the folder of the look */
async function killedWhileAligning(dir: string): Promise<string> {
  const began = join(temporaryFolder(), "began");
  const check = `echo >> "${began}"; sleep 30; exit 1`;
  const args = ["align", "the goal", "--check", check, "--atom", "A1: x", "--yes", "--force"];
  const child = spawn(process.execPath, [aotPath(), ...args], { cwd: dir, env: cleanEnv(), stdio: "ignore" });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const own = join(dir, ".claude", "aot-loop");
  await eventually(
    "it looks",
    () => existsSync(began) && existsSync(join(freshFolderOf(own) ?? "none", "checkout", "a.test.js")),
  );
  child.kill("SIGKILL");
  await ended;
  return freshFolderOf(own) ?? "none";
}

test("SPEC 8: a killed alignment leaves nothing that a test runner finds; doctor names it, clean and the next run remove it", async () => {
  const dir = temporaryFolder();
  const git = (...args: readonly string[]): string =>
    execFileSync("git", ["-c", "user.name=n", "-c", "user.email=e@x", ...args], { cwd: dir, encoding: "utf8" });
  git("init", "-q", "-b", "main");
  writeFileSync(join(dir, "a.test.js"), "");
  git("add", "-A");
  git("commit", "-qm", "first");

  const first = await killedWhileAligning(dir);
  const files = readdirSync(dir, { recursive: true }).map(String);
  expect(files.filter((path) => path.endsWith("a.test.js"))).toEqual(["a.test.js"]);
  expect((await aot(["doctor"], { cwd: dir })).out).toMatch(/slots +1 left over: aligning\/aot-fresh-/);
  await aotJson(["clean", "--yes"], { cwd: dir });
  expect(existsSync(first)).toBe(false);

  const second = await killedWhileAligning(dir);
  await aot(["align", "the goal", "--check", "file: x.txt", "--atom", "A1: x", "--yes"], { cwd: dir });
  expect(existsSync(second)).toBe(false);
  const third = await killedWhileAligning(dir);
  await aot(["run", "--agent", "command:echo > x.txt"], { cwd: dir });
  expect(existsSync(third)).toBe(false);
});
