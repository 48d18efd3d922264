/** Which files decide what a check says, and what of a mixed file does (SPEC section 6). */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  bearsModule,
  decides,
  decidingGlobs,
  modulesOf,
  namesTestLibrary,
  ownTestsAsBefore,
  partsAsBefore,
} from "../../src/verdict/agreed-form.ts";

test.each([
  [
    "test",
    ["test/a.js", "src/__tests__/a.tsx", "a.test.ts", "pkg/a_test.go", "test_a.py", "spec/a_spec.rb", "test.js"],
  ],
  ["configuration", ["conftest.py", "a/.mocharc.json", "test/mocha.opts", "jest.config.ts", ".npmrc", "mypy.ini"]],
  ["configuration", ["node_modules/.bin/mocha", ".env", ".eslintignore", "vitest.workspace.js", "tsconfig.test.json"]],
  [null, ["src/latest.js", "contest.py", "tests.json", "attest/a.js", "package.json", "src/config.ts", "Makefile"]],
] as const)("by its path, %s: %s", (kind, paths) => {
  expect(paths.map(decides)).toEqual(paths.map(() => kind));
});

test.each([
  [true, 'import assert from "node:assert";'],
  [true, "# adds\nuse Test::More tests => 1;"],
  [true, "import unittest\nfrom calc import add"],
  [true, '@test "adds" {'],
  [true, 'describe("sum", () => {'],
  [true, "expect(sum(1, 2)).toBe(3)"],
  [false, 'export const it = await fetch("me@test.org"); regex.test(a); while (!it.next().done) expect(")");'],
  [false, '# of Test::Unit\nclass Latest { expected() { throw Wrong("assert") } }'],
])("AGREED-FORM-1, names a test library: %s: %s", (names, text) => {
  expect(namesTestLibrary(text)).toBe(names);
});

test("a module that tests ask for is found by its path", () => {
  expect(modulesOf('require "minitest/autorun"\nimport os.path\nfrom calc import add\nuse Test::More;')).toEqual([
    "minitest/autorun",
    "os/path",
    "calc",
    "Test/More",
  ]);
  const bearing = ["lib/minitest/autorun.rb", "calc.py", "calc/__init__.py", "src/calc/more.py", "local/calc2.py"];
  expect(bearing.map((path) => bearsModule(path, path.startsWith("lib/") ? "minitest/autorun" : "calc"))).toEqual([
    true,
    true,
    true,
    true,
    false,
  ]);
});

describe("AGREED-FORM-4", () => {
  const BLOCK = '#[cfg(test)]\nmod tests { fn a() { assert_eq!("}", x()); } }';
  test("a source file has its own tests as they were, and all else of the work", () => {
    const before = `fn a() { 0 }\n${BLOCK}\nfn b() {}\n`;
    expect(ownTestsAsBefore(before.replace("{ 0 }", "{ 1 }"), before)).toBe(null);
    const eased = ownTestsAsBefore(before.replace('"}"', "1").replace("{ 0 }", "{ 1 }"), before);
    expect(eased).toBe(`fn a() { 1 }\n\nfn b() {}\n\n${BLOCK}\n`);
    expect(ownTestsAsBefore("fn a() { 1 }\n", before)).toContain(BLOCK);
  });
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

describe("AGREED-FORM-2", () => {
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

  test("the sections that say what a package is and needs are the work's, the others are not", () => {
    const before = '[project]\nname = "a"\n\n[tool.pytest.ini_options]\naddopts = "-v"\n';
    const now = '[project]\nname = "b"\n\n[tool.pytest.ini_options]\naddopts = "-k x"\n\n[tool.ruff]\nline = 1\n';
    const mixed = partsAsBefore("pyproject.toml", now, before);
    expect(mixed).toContain('name = "b"');
    expect(mixed).toContain('addopts = "-v"');
    expect(mixed).not.toContain("[tool.ruff]");
    expect(mixed).not.toContain("-k x");
    expect(partsAsBefore("pyproject.toml", before.replace('"a"', '"b"'), before)).toBe(null);
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
    "of package.json: how tests are run (its dependencies may change)",
  ]);
  expect(decidingGlobs(Array.from({ length: 500 }, (_, at) => `pkg/p${at}_test.go`))).toEqual(["**/*_test.go"]);
});
