import { expect, test } from "vitest";
import { preparesFiles } from "../../src/core/lock-files.ts";

const withScript = (prepare: unknown): unknown => ({ scripts: { prepare } });

test.each(["npm run build", "tshy", "husky && npm run compile", "node build.js", "is-ci || npm run build"])(
  "installing makes files by %s",
  (script) => {
    expect(preparesFiles(withScript(script))).toBe(true);
  },
);

test.each([
  "husky",
  "husky install",
  "husky || true",
  "is-ci || husky install",
  "npx simple-git-hooks",
  "lefthook install; exit 0",
  "git config core.hooksPath .githooks",
  "node .husky/install.mjs",
])("%s sets hooks of git and makes nothing", (script) => {
  expect(preparesFiles(withScript(script))).toBe(false);
});

test.each([null, "x", [], {}, { scripts: null }, { scripts: [] }, withScript(1), { scripts: { build: "tsc" } }])(
  "a package.json without the script makes nothing: %j",
  (manifest) => {
    expect(preparesFiles(manifest)).toBe(false);
  },
);
