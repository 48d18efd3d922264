/** A check is run again by the tests that decided it, where its runner can be asked for them (SPEC section 6). */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createChecker } from "../../../src/adapters/checks/checker.ts";
import { recordingChecker, type TestsSeen } from "../../../src/adapters/checks/red-first.ts";
import { selecting } from "../../../src/adapters/checks/reports/select-tests.ts";
import { beforeOf } from "../../../src/adapters/checks/test-record.ts";
import type { LeafResult } from "../../../src/core/verdict.ts";
import { temporaryFolder } from "../../support/bundle.ts";

const CHECK = { type: "command", value: "npm test --silent" } as const;
const leaf = { path: [0], item: "tests", check: CHECK };
const never = new AbortController().signal;

/** Three tests that say in `ran` that they ran; `todo` fails until there is a file of that name. */
function project(): { readonly dir: string; readonly ran: () => readonly string[] } {
  const dir = temporaryFolder();
  const body = (name: string, then: string): string =>
    `test(${JSON.stringify(name)}, () => { appendFileSync("ran", ${JSON.stringify(`${name}\n`)}); ${then} });`;
  const text = `import { test } from "node:test"; import assert from "node:assert";
import { appendFileSync, existsSync } from "node:fs";
${body("steady", "")}
${body("to do (it's new)", 'assert.ok(existsSync("done"));')}
${body("other", "")}`;
  mkdirSync(join(dir, "test"));
  writeFileSync(join(dir, "test", "a.test.mjs"), text);
  writeFileSync(join(dir, "package.json"), '{"type":"module","scripts":{"test":"node --test --test-reporter=tap"}}');
  const ran = (): readonly string[] => {
    const lines = readFileSync(join(dir, "ran"), "utf8").trim().split("\n");
    rmSync(join(dir, "ran"));
    return lines;
  };
  return { dir, ran };
}

const NEEDS_NPM = `import { test } from "node:test";
test("needs", () => { if (!process.env.npm_config_local_prefix) throw 1; });
test("to do", () => { throw 1; });`;

const SCRIPTS = { test: "node --test --test-reporter=tap" };
const CONFIGURED = JSON.stringify({ type: "module", config: { port: 1 }, scripts: SCRIPTS });
const NEEDS_VERSION = `import { existsSync } from "node:fs";
import { test } from "node:test";
test("steady", () => undefined);
test("to do", () => { if (process.env.npm_package_version !== "1.2'3" || !existsSync("done")) throw 1; });`;

const kindOf = ({ passed, evidence }: LeafResult): unknown => [passed, evidence.kind];

describe.skipIf(process.platform === "win32")("with node:test (quotes are those of a POSIX shell)", () => {
  test("before the work those that failed, at a verdict those that flipped; first all of them", async () => {
    const { dir, ran } = project();
    const tests: TestsSeen = new Map();
    const aligning = recordingChecker(tests);
    expect(kindOf(await aligning.run(leaf, dir, never))).toEqual([false, "command"]);
    expect(ran()).toEqual(["steady", "to do (it's new)", "other"]);
    const again = await aligning.run(leaf, dir, never, "again");
    expect(kindOf(again)).toEqual([false, "command"]);
    // And one that passes: so the runner can be asked, and npm is not needed.
    expect(ran()).toEqual(["steady", "to do (it's new)"]);
    expect([...tests.values()]).toMatchObject([{ selects: "script" }]);
    await aligning.run(leaf, dir, never, "again");
    expect(ran()).toEqual(["to do (it's new)"]);

    writeFileSync(join(dir, "done"), "");
    const verdict = createChecker({ testsBefore: (check) => beforeOf(tests, check) });
    // Nothing was run by this one: it runs all.
    expect(kindOf(await verdict.run(leaf, dir, never, "again"))).toEqual([true, "command"]);
    expect(ran()).toHaveLength(3);
    expect(kindOf(await verdict.run(leaf, dir, never, "again"))).toEqual([true, "command"]);
    expect(ran()).toEqual(["to do (it's new)"]);
    rmSync(join(dir, "done"));
    expect(kindOf(await verdict.run(leaf, dir, never, "again"))).toEqual([false, "command"]);
    expect(ran()).toEqual(["to do (it's new)"]);
  });

  test.each([
    ["npm's own settings", { ".npmrc": "node-options=--no-warnings\n" }, {}],
    ["a script before it", {}, { pretest: "true" }],
    ["values of its own", { "package.json": CONFIGURED }, {}],
    ["a test that needs npm", { "test/a.test.mjs": NEEDS_NPM }, {}],
  ])("past npm only where it adds nothing: not with %s", async (_, files, scripts) => {
    const { dir } = project();
    const manifest = { type: "module", scripts: { test: "node --test --test-reporter=tap", ...scripts } };
    const all = { "package.json": JSON.stringify(manifest), ...files };
    for (const [name, text] of Object.entries(all)) writeFileSync(join(dir, name), text);
    const tests: TestsSeen = new Map();
    // What runs these tests may be npm, whose variables are not for them.
    const aligning = recordingChecker(tests, { env: { PATH: process.env["PATH"] } });
    for (const how of [undefined, "again"] as const)
      expect(kindOf(await aligning.run(leaf, dir, never, how))).toEqual([false, "command"]);
    expect([...tests.values()]).toMatchObject([{ selects: "command" }]);
  });

  test("past npm the project's name and version are known", async () => {
    const { dir } = project();
    const manifest = { name: "p", version: "1.2'3", type: "module", scripts: SCRIPTS };
    writeFileSync(join(dir, "package.json"), JSON.stringify(manifest));
    writeFileSync(join(dir, "test/a.test.mjs"), NEEDS_VERSION);
    const tests: TestsSeen = new Map();
    const env = { PATH: process.env["PATH"] };
    const aligning = recordingChecker(tests, { env });
    for (const how of [undefined, "again"] as const) await aligning.run(leaf, dir, never, how);
    expect([...tests.values()]).toMatchObject([{ selects: "script" }]);
    writeFileSync(join(dir, "done"), "");
    const verdict = createChecker({ env, testsBefore: (check) => beforeOf(tests, check) });
    for (const how of [undefined, "again"] as const)
      expect(kindOf(await verdict.run(leaf, dir, never, how))).toEqual([true, "command"]);
  });

  test("where nothing fails by name a test that passes shows at the alignment whether the runner can be asked", async () => {
    const { dir, ran } = project();
    writeFileSync(join(dir, "done"), "");
    const wanted = { ...leaf, check: { ...CHECK, must_pass: ["not yet"] } };
    const tests: TestsSeen = new Map();
    const aligning = recordingChecker(tests);
    for (const how of [undefined, "again", "again"] as const)
      expect(kindOf(await aligning.run(wanted, dir, never, how))).toEqual([false, "command"]);
    // All of them, one, all of them, all of them.
    expect(ran()).toHaveLength(10);
    const [before] = tests.values();
    expect(before).toMatchObject({ selects: "script" });
  });

  test("a runner that takes no such words is run whole: what was run is read off its report", async () => {
    const { dir, ran } = project();
    const script =
      'node -e "require(\\"node:child_process\\").spawnSync(\\"node\\", [\\"--test\\", \\"--test-reporter=tap\\"], {stdio: \\"inherit\\"}).status && process.exit(1)"';
    writeFileSync(join(dir, "package.json"), JSON.stringify({ type: "module", scripts: { test: script } }));
    const tests: TestsSeen = new Map();
    const checker = recordingChecker(tests);
    await checker.run(leaf, dir, never);
    ran();
    expect(kindOf(await checker.run(leaf, dir, never, "again"))).toEqual([false, "command"]);
    expect(ran()).toContain("other");
    // So nobody asks it at the verdict.
    writeFileSync(join(dir, "done"), "");
    const verdict = createChecker({ testsBefore: (check) => beforeOf(tests, check) });
    for (const how of [undefined, "again"] as const)
      expect(kindOf(await verdict.run(leaf, dir, never, how))).toEqual([true, "command"]);
    expect(ran()).toHaveLength(6);
  });
});

test("a command is asked for tests by its runner's own words, and only where one program gets them", () => {
  const ask = (command: string, format: string, names = ["a.test.js > suite > it's (new)"]): string | null =>
    selecting(command, format, names, "linux");
  expect(ask("npm test", "mocha", ["suite > a.b"])).toBe("npm test -- --grep 'suite\\s+a\\.b'");
  expect(ask("npm run unit -- --silent", "jest")).toBe("npm run unit -- --silent -t 'suite\\s+it'\\''s\\s+\\(new\\)'");
  expect(ask("npx vitest run --reporter=json", "vitest", ["src/a.ts > x", "src/b.ts > y"])).toBe(
    "npx vitest run --reporter=json -t 'x|y'",
  );
  expect(ask("node --test-reporter=tap --test a.test.js", "tap", ["$& b"])).toBe(
    "node --test-reporter=tap --test --test-name-pattern='\\$&\\s+b' a.test.js",
  );
  expect(ask("pytest -v", "pytest", ["t.py > C > test_a[1-2]", "t.py > C > test_a[3]"])).toBe("pytest -v -k 'test_a'");
  expect(ask("go test -v ./...", "go", ["pkg > TestA/sub"])).toBe("go test -v ./... -run '^(TestA)$'");
  for (const command of ["npm test && npm run lint", "npm test | tee out", "make test > log", "a; b", "$(x)"])
    expect(ask(command, "mocha")).toBeNull();
  expect(ask("npm test", "junit")).toBeNull();
  expect(ask("npm test", "mocha", [])).toBeNull();
  expect(
    ask(
      "npm test",
      "mocha",
      Array.from({ length: 41 }, (_, at) => `t${at}`),
    ),
  ).toBeNull();
  expect(selecting("npm test", "mocha", ["t"], "win32")).toBeNull();
});
