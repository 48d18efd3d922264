/** What is found out of a repository for prompts (SPEC section 7). */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { placeFacts } from "../../src/project/place-facts.ts";
import { temporaryFolder } from "../support/bundle.ts";
import { commitAll } from "../support/git.ts";

function repository(): string {
  const dir = temporaryFolder();
  mkdirSync(join(dir, "test"));
  writeFileSync(join(dir, "package.json"), '{ "scripts": { "test": "node --test" } }');
  writeFileSync(join(dir, "a.js"), "");
  writeFileSync(join(dir, "test", "a.js"), "");
  commitAll(dir);
  writeFileSync(join(dir, "test", "later.spec.js"), "");
  return dir;
}

test("SPEC 7: files and commands of the commit, the network of the sandbox, and what sets a place up", async () => {
  const install = { file: "package-lock.json", command: "npm ci", language: "node" } as const;
  const known = {
    network: ["registry.npmjs.org"],
    set_up: { commands: ["make gen"], install, build: "npm run prepare" },
  };
  expect(await placeFacts(repository(), known)).toEqual({
    deciding: ["of package.json: how tests are run (its dependencies may change)", "test/**"],
    repository: ["The repository's own commands: `npm test` (package.json)."],
    subjects: ["first"],
    network: "The network reaches your own service and registry.npmjs.org, nothing else; checks reach nothing.",
    set_up:
      "Dependencies are set up before each attempt and each check: `make gen; npm run prepare`, `npm ci` where package-lock.json has changed.",
  });
});

test("SPEC 16: how commits are called is read off commits of work, not off releases, merges and bumps", async () => {
  const dir = repository();
  const work = "feat: read (#7)|Fix CI|Release the lock early|merges two trees".split("|");
  const no =
    "1.2.3|v2.0.0-rc.1|Release 2.2.0|chore(release): 1.2.3|chore: release main|Version Packages|Merge branch 'x'|" +
    "build(deps): bump a from 1 to 2|chore: bump a from 1 to 2|Bump a-b to 3|chore(deps-dev): b|Update dependency c to v4";
  for (const subject of [...work, ...no.split("|")])
    execFileSync("git", ["commit", "-q", "--allow-empty", "-m", subject], { cwd: dir });
  expect((await placeFacts(dir, {})).subjects).toEqual([...work.toReversed(), "first"]);
});

test("SPEC 7: nothing is made up where nothing is known", async () => {
  expect(await placeFacts(temporaryFolder(), { set_up: { commands: [] } })).toEqual({});
});
