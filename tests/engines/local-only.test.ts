/** SPEC 12 and 13: what a project has that no engine's worker will see is reported when its loop is handed over. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { whatIsLocalOnly } from "../../src/engines/local-only.ts";
import { tempFolder } from "../fixtures/programs.ts";

test("SPEC 13: of .worktreeinclude it is said what workers will miss; what names nothing is no matter", async () => {
  const root = tempFolder();
  const git = (...args: string[]): void =>
    void execFileSync("git", ["-c", "user.name=P", "-c", "user.email=p@localhost", ...args], { cwd: root });
  const write = (name: string, text: string): void => writeFileSync(join(root, name), text);
  git("init", "-q");
  for (const folder of ["certs", "app"]) mkdirSync(join(root, folder));
  write(".gitignore", ".env*\ncerts/\nunnamed\n");
  write(".worktreeinclude", "# ours\n.env*\n!.env.production\ncerts/*.pem\n\nabsent.txt\ntracked.txt\n");
  git("add", "-A");
  git("commit", "-q", "-m", "first");
  expect(await whatIsLocalOnly(join(root, "app"))).toEqual([]);
  for (const name of [".env", ".env.local", ".env.production", "certs/a.pem", "certs/a.txt", "unnamed", "tracked.txt"])
    write(name, "x");
  expect(await whatIsLocalOnly(join(root, "app"))).toEqual([
    "workers do not have the files that .worktreeinclude names here: .env, .env.local, certs/a.pem. What git ignores does not " +
      "travel; have the set-up commands make those files",
  ]);
});
