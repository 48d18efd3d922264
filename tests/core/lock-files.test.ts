import { expect, test } from "vitest";
import { dependenciesIn, LOCK_FILES, preparesFiles, withoutLock } from "../../src/core/lock-files.ts";

const withScript = (prepare: unknown): unknown => ({
  scripts: { prepare, hooks: "npx husky set .husky/commit-msg", compile: "tsc" },
});

const BUILDS =
  "npm run build|tshy|husky && npm run compile|husky && yarn compile|node build.js|husky && npm run compile -- -p .";

test.each([...BUILDS.split("|"), "is-ci || npm run build"])("installing makes files by %s", (script) => {
  expect(preparesFiles(withScript(script))).toBe(true);
});

const HOOKS =
  "husky|husky install|npx simple-git-hooks|lefthook install; exit 0|git config core.hooksPath .githooks|node .husky/install.mjs|" +
  "cd .. && husky install web/.husky|husky install && npm run -s hooks|npm run prepare";
const OTHERWISE = ["husky || true", "is-ci || husky install", '[ -n "$CI" ] || test -d .git && yarn hooks'];

test.each([...HOOKS.split("|"), ...OTHERWISE, "node -e \"try { require('husky').install() } catch {}\""])(
  "%s sets hooks of git and makes nothing",
  (script) => {
    expect(preparesFiles(withScript(script))).toBe(false);
  },
);

test.each([null, "x", [], {}, { scripts: null }, { scripts: [] }, withScript(1), { scripts: { build: "tsc" } }])(
  "a package.json without the script makes nothing: %j",
  (manifest) => {
    expect(preparesFiles(manifest)).toBe(false);
  },
);

test("without its lock file a Node package manager installs what package.json says", () => {
  const commands = LOCK_FILES.filter(({ language }) => language === "node").map(withoutLock);
  expect(new Set(commands)).toEqual(new Set(["pnpm install", "yarn install", "bun install", "npm install"]));
});

test("what a package.json wants installed is its dependencies, in any order, and nothing else of it", () => {
  const base = { dependencies: { a: "1" }, devDependencies: { b: "2" }, version: "1", scripts: { test: "x" } };
  const same = { scripts: {}, devDependencies: { b: "2" }, dependencies: { a: "1" } };
  expect(dependenciesIn(JSON.stringify(same))).toBe(dependenciesIn(JSON.stringify(base)));
  for (const other of [{ dependencies: { a: "2" } }, { overrides: { a: "1" } }, { peerDependencies: { c: "1" } }])
    expect(dependenciesIn(JSON.stringify({ ...base, ...other }))).not.toBe(dependenciesIn(JSON.stringify(base)));
  for (const text of ["", "null", "{", "[1"]) expect(dependenciesIn(text)).toBe(text);
});
