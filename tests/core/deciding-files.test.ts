/** Which files decide what a test says, and what of a mixed file does (SPEC section 6). */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { brokenText, testFiles } from "../../src/core/broken-test.ts";
import { decides, decidingGlobs, partsAsBefore } from "../../src/core/deciding-files.ts";

test.each([
  [
    "test",
    ["test/a.js", "src/__tests__/a.tsx", "a.test.ts", "pkg/a_test.go", "test_a.py", "spec/a_spec.rb", "test.js"],
  ],
  ["configuration", ["conftest.py", "a/.mocharc.json", "test/mocha.opts", "jest.config.ts", ".npmrc", "pytest.py"]],
  ["configuration", ["node_modules/.bin/mocha", "_pytest/__init__.py", "vitest.workspace.js", "karma.conf.js"]],
  [null, ["src/latest.js", "contest.py", "tests.json", "attest/a.js", "package.json", "src/testing.ts", "Makefile"]],
] as const)("%s: %s", (kind, paths) => {
  expect(paths.map(decides)).toEqual(paths.map(() => kind));
});

const part = fc.dictionary(fc.constantFrom("test", "pretest", "posttest", "build", "lint"), fc.constantFrom("a", "b"));
const manifest = fc.record(
  {
    version: fc.constantFrom("1", "2"),
    type: fc.constantFrom("module", "commonjs"),
    scripts: part,
    mocha: fc.constantFrom({ require: "x" }, {}),
  },
  { requiredKeys: [] },
);

describe("DECIDING-FILES-1", () => {
  test("what was put back is as before, and the rest of package.json is the work's", () => {
    fc.assert(
      fc.property(manifest, manifest, (now, before) => {
        const [mine, theirs] = [JSON.stringify(now), JSON.stringify(before)];
        const mixed = partsAsBefore("package.json", mine, theirs);
        expect(partsAsBefore("package.json", theirs, theirs)).toBe(null);
        expect(partsAsBefore("package.json", mixed ?? mine, theirs)).toBe(null);
        const { scripts = {}, mocha, ...rest } = JSON.parse(mixed ?? mine) as typeof now;
        const { scripts: _, mocha: __, ...own } = now;
        expect(rest).toEqual(own);
        expect(mocha).toEqual(before.mocha);
        expect(scripts).toMatchObject(before.scripts ?? {});
      }),
    );
  });

  test("the sections of pytest, and no others", () => {
    const before = '[project]\nname = "a"\n\n[tool.pytest.ini_options]\naddopts = "-v"\n';
    const now = '[project]\nname = "b"\n\n[tool.pytest.ini_options]\naddopts = "-k x"\n\n[tool.ruff]\nline = 1\n';
    const mixed = partsAsBefore("pyproject.toml", now, before);
    expect(mixed).toContain('name = "b"');
    expect(mixed).toContain('addopts = "-v"');
    expect(mixed).toContain("[tool.ruff]");
    expect(mixed).not.toContain("-k x");
    expect(partsAsBefore("pyproject.toml", now.replace("-k x", "-v"), before)).toBe(null);
  });

  test("what cannot be read is put back as a whole", () => {
    expect(partsAsBefore("package.json", "{", '{"scripts":{"test":"a"}}')).toBe('{"scripts":{"test":"a"}}');
  });
});

test("SPEC 6: what decides is told in few words: folders of tests, kinds of names, parts of a manifest", () => {
  const files = ["src/a.ts", "src/a.test.ts", "src/b.test.ts", "lib/test/x.js", "lib/test/deep/y.js", "package.json"];
  expect(decidingGlobs([...files, "jest.config.js", "docs/tests.md"])).toEqual([
    "**/*.test.ts",
    "jest.config.js",
    "lib/test/**",
    "of package.json: how tests are run, not its dependencies",
  ]);
  expect(decidingGlobs(Array.from({ length: 500 }, (_, at) => `pkg/p${at}_test.go`))).toEqual(["**/*_test.go"]);
});

test("AS-AGREED-3: the files that hold the tests: by name, by command, by title", () => {
  const texts: Readonly<Record<string, string>> = {
    "test/a.js": 'it("adds up")',
    "test/b.js": "it('other')",
    "src/a.js": "adds up",
  };
  const files = { all: Object.keys(texts), now: (path: string) => texts[path] ?? null };
  expect(testFiles("npm test", ["test/b.js > suite > other"], files)).toEqual(["test/b.js"]);
  expect(testFiles("mocha ./test/b.js", ["suite > adds up"], files)).toEqual(["test/b.js"]);
  expect(testFiles("npm test", ["suite > adds up"], files)).toEqual(["test/a.js"]);
  expect(testFiles("npm test", [], files)).toEqual([]);
  expect(brokenText("a.py", "x")).toContain("raise");
  expect(brokenText("a.js", "run(); process.exit(0);")).toBe(null);
  expect(brokenText("a.txt", "x")).toBe(null);
});
