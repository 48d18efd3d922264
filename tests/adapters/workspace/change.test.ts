import { expect, test } from "vitest";
import { protectedBy } from "../../../src/adapters/workspace/change.ts";

test("SPEC 6: protected globs name files, folders and dot files, and may take some out again", () => {
  const cases: [string[], string, boolean][] = [
    [[], "anything", false],
    [["tests/**"], "tests/a/b.ts", true],
    [["tests/**"], "tests/.env", true],
    [["tests"], "tests/a.ts", true],
    [["tests/"], "tests/a.ts", true],
    [["./package.json"], "package.json", true],
    [["*.json"], "deep/package.json", false],
    [["**/*.json"], "package.json", true],
    [["**/*.json"], "a/.b/c.json", true],
    [["tests/**", "!tests/fixtures/**"], "tests/fixtures/x", false],
    [["tests/**", "!tests/fixtures/**"], "tests/x", true],
    [["!tests/**"], "src/x", false],
    [["test"], "tests/a.ts", false],
  ];
  for (const [globs, path, expected] of cases)
    expect([globs, path, protectedBy(globs)(path)]).toEqual([globs, path, expected]);
});
