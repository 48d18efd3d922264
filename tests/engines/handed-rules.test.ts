/** SPEC 12 and 13: which guard rules go along with a loop that is handed over. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readTerms, termsOf } from "../../src/engines/terms.ts";
import { guardOf, rulesHandedOver, rulesToHandOver, type HandedRule } from "../../src/engines/handed-rules.ts";
import { loadRules } from "../../src/rules/load.ts";
import { ruleFolders } from "../../src/rules/place.ts";
import { tempFolder } from "../fixtures/programs.ts";

// Whoever runs this has rules of their own.
process.env["CLAUDE_CONFIG_DIR"] = join(process.cwd(), "no-such-folder");

const textOf = (name: string, event: string, message = "No."): string =>
  `---\nname: ${name}\nenabled: ${name !== "off"}\nevent: ${event}\npattern: x\naction: block\n---\n${message}\n`;

function projectWith(rules: Readonly<Record<string, string>>): string {
  const root = tempFolder();
  for (const folder of [".claude", ".git"]) mkdirSync(join(root, folder));
  for (const [name, text] of Object.entries(rules))
    writeFileSync(join(root, ".claude", `hookify.${name}.local.md`), text);
  return root;
}

test("SPEC 12: enabled rules for what agents do go along as they are, and no others; a worker reads the same of them", async () => {
  const [file, all, bash] = [textOf("files", "file"), textOf("all", "all"), textOf("bash", "bash")];
  const off = textOf("off", "file");
  const root = projectWith({
    files: file,
    all,
    off,
    bash,
    prompt: textOf("prompt", "prompt"),
    bad: "---\nname: [\n---\n",
  });
  const handed = await rulesToHandOver(root);
  expect(handed).toEqual({
    ok: true,
    value: [
      { file: "hookify.all.local.md", owner: "project", text: all },
      { file: "hookify.bash.local.md", owner: "project", text: bash },
      { file: "hookify.files.local.md", owner: "project", text: file },
    ],
  });
  const said: string[] = [];
  const read = rulesHandedOver(handed.ok ? handed.value : [], (message) => said.push(message));
  expect(read.map(({ rule }) => rule?.name)).toEqual(["all", "bash", "files"]);
  expect(said).toEqual([]);
});

test("SPEC 13: rules that are too large to go along with every task keep the loop here, with what to do", async () => {
  const root = projectWith({ large: textOf("large", "file", "x".repeat(140_000)) });
  expect(await rulesToHandOver(root)).toMatchObject({
    ok: false,
    problems: [{ message: expect.stringContaining("at most 131072 can be handed over") }],
  });
});

test("SPEC 13: a worker tells of a rule that it cannot read; one that does not know of rules refuses the loop", () => {
  const said: string[] = [];
  const bad: HandedRule = { file: "hookify.bad.local.md", owner: "user", text: "no rule at all" };
  expect(rulesHandedOver([bad], (message) => said.push(message))).toMatchObject([{ rule: null }]);
  expect(said).toEqual([expect.stringMatching(/^the guard rule hookify.bad.local.md cannot be read here: ./)]);
  const crew = { agent: "command:true", judge: "none", planner: "none" };
  const limits = { timeout_ms: 60_000, max_wait_ms: 0 };
  const plain = { remote: "r", line: "l", prefix: "", state_file: "s", crew, limits };
  expect(termsOf(plain)).toMatchObject({ version: 1 });
  const ruled = termsOf({ ...plain, rules: [bad] });
  expect(ruled).toMatchObject({ version: 2 });
  expect(readTerms(ruled)).toMatchObject({ ok: true, value: { rules: [bad] } });
  expect(readTerms({ ...ruled, version: 3 })).toMatchObject({ ok: false });
});

test("SPEC 12: on a worker, too, a client with hooks asks about each tool call, and the rules that came along answer", async () => {
  const rule = (owner: HandedRule["owner"]): HandedRule => ({
    file: "hookify.bash.local.md",
    owner,
    text: textOf(`bash-${owner}`, "bash"),
  });
  const root = tempFolder();
  expect(guardOf([], root)).toEqual({});
  const settings = await guardOf([rule("project"), rule("user")], root).settings?.();
  expect(settings).toContain("PreToolUse");
  const folders = ruleFolders(root, {});
  expect(folders).toHaveLength(1);
  const names = (await loadRules(folders)).map((one) => one.rule?.name);
  expect(names).toEqual(["bash-project", "bash-user"]);
});
