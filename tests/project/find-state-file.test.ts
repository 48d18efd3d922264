import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findStateFile, projectOf } from "../../src/project/find-state-file.ts";
import { temporaryFolder } from "../support/bundle.ts";

/** A folder with these folders in it. */
function folderWith(...folders: readonly string[]): string {
  const top = temporaryFolder();
  for (const folder of folders) mkdirSync(join(top, folder), { recursive: true });
  return top;
}

test.each([
  ["the default place", ["p/.claude"], "p/.claude/aot-loop-state.md", "p"],
  ["deeper in .claude", ["p/.claude/loops/old"], "p/.claude/loops/old/x.md", "p"],
  ["the same in a folder of a repository", [".git", "p/.claude/loops"], "p/.claude/loops/x.md", "p"],
  ["anywhere in a repository", ["r/.git", "r/docs/plans"], "r/docs/plans/x.md", "r"],
  [
    "in a worktree that stands in another project's .claude",
    [".git", ".claude/w/.git"],
    ".claude/w/docs/x.md",
    ".claude/w",
  ],
  ["outside both", ["p/docs"], "p/docs/x.md", "p/docs"],
])("SPEC 2: the project of a state file: %s", (_, folders, file, project) => {
  const top = folderWith(...folders);
  expect(projectOf(join(top, file))).toBe(join(top, project));
});

test("SPEC 2: the project of the state file that is found is the folder in which it was found", () => {
  const top = folderWith(".git", "p/.claude/skills", "p/src");
  expect(projectOf(findStateFile(join(top, "p", "src")))).toBe(top);
  expect(projectOf(findStateFile(join(top, "p"), ".claude/skills/x.md"))).toBe(join(top, "p"));
});
