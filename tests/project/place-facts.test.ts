/** What is found out of a repository for prompts (SPEC section 7). */
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
    deciding: ["of package.json: how tests are run, not its dependencies", "test/**"],
    repository: ["The repository has 3 files: 2 .js, 1 .json.", "Its own commands: `npm test` (package.json)."],
    subjects: ["first"],
    network: "The network reaches your own service and registry.npmjs.org, nothing else; checks reach nothing.",
    set_up:
      "Dependencies are set up before each attempt and each check: `make gen; npm run prepare`, `npm ci` where package-lock.json has changed.",
  });
});

test("SPEC 7: nothing is made up where nothing is known", async () => {
  expect(await placeFacts(temporaryFolder(), { set_up: { commands: [] } })).toEqual({});
});
