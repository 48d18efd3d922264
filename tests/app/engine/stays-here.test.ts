/** SPEC 12 and 13: what a project has that no engine's worker will see is told when its loop is handed over. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { whatStaysHere } from "../../../src/app/engine/stays-here.ts";
import { tempFolder } from "../../fixtures/programs.ts";

// Whoever runs this has rules of their own.
process.env["CLAUDE_CONFIG_DIR"] = join(process.cwd(), "no-such-folder");

function projectWith(rule: string): string {
  const root = tempFolder();
  mkdirSync(join(root, ".claude"));
  mkdirSync(join(root, ".git"));
  writeFileSync(join(root, ".claude", "hookify.one.local.md"), `---\nname: one\n${rule}\naction: block\n---\nNo.\n`);
  return root;
}

test.each([
  ["enabled: true\nevent: bash\npattern: x", true],
  ["enabled: true\nevent: file\npattern: x", true],
  ["enabled: true\nevent: read\npattern: x", true],
  ["enabled: true\nevent: all\npattern: x", true],
  ["enabled: true\nevent: prompt\npattern: x", false],
  ["enabled: true\nevent: stop\npattern: x", false],
  ["enabled: false\nevent: bash\npattern: x", false],
])("SPEC 12: a rule that would hold for an attempt here and not there is told: %j", async (rule, told) => {
  const said = await whatStaysHere(projectWith(rule));
  expect(said).toEqual(told ? [expect.stringContaining("guard rules are not looked at on workers")] : []);
});
