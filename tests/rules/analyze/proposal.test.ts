/** The rules that are proposed: as wide as what was said, and no wider (SPEC section 12). */
import { expect, test } from "vitest";
import type { Entry } from "../../../src/rules/analyze/read/entry.ts";
import { createFindings, type Finding } from "../../../src/rules/analyze/findings.ts";
import type { Proposal } from "../../../src/rules/analyze/proposal.ts";
import { createSession } from "../../../src/rules/analyze/session.ts";

/** The rule from one call and what the person said to it. */
function proposed(tool: string, input: Readonly<Record<string, string>>, said: string): Proposal {
  const rule = findingFrom(tool, input, said)?.rule;
  if (rule == null) throw new Error(`no rule from ${said}`);
  return rule;
}

function findingFrom(tool: string, input: Readonly<Record<string, string>>, said: string): Finding | undefined {
  const findings = createFindings();
  const session = createSession(findings.add);
  const entries: readonly Entry[] = [
    { kind: "call", id: "c", tool, input },
    { kind: "message", text: said },
  ];
  for (const [at, entry] of entries.entries()) session.take(entry, { file: "f", line: at + 1 }, "/p");
  session.end();
  return findings.list()[0];
}

const matches = ({ conditions }: Proposal, values: Readonly<Record<string, string>>): boolean =>
  conditions.every(({ field, pattern }) => new RegExp(pattern, "i").test(values[field] ?? ""));
const verdicts = (rule: Proposal, commands: readonly string[]): readonly boolean[] =>
  commands.map((command) => matches(rule, { command }));

test("a tool that another is to take the place of: every use of it, wherever it is in the command", () => {
  const rule = proposed("Bash", { command: "npm install x" }, "no, use pnpm instead of npm");
  const caught = ["npm ci", "cd a && npm i", "sudo npm i -g b", "CI=1 X=y npm test", "cd a\nnpm run b", "(npm pack)"];
  expect(verdicts(rule, caught)).toEqual(caught.map(() => true));
  const free = ["pnpm install x", "npm-check", "npx tsc", "ls npm", "cat docs/npm install.md"];
  expect(verdicts(rule, free)).toEqual(free.map(() => false));
  expect(rule).toMatchObject({ name: "no-npm", event: "bash", action: "warn" });
  expect(rule.message).toContain("Use pnpm instead of npm.");
});

test("PROPOSAL-3: words alone never block; what takes something away is meant with its flag and not without", () => {
  const rule = proposed("Bash", { command: "git push --force origin dev" }, "never force push!");
  expect(rule.action).toBe("warn");
  const commands = ["git push --force", "git push origin x --force", "git push origin dev", "git fetch --force"];
  expect(verdicts(rule, commands)).toEqual([true, true, false, false]);
});

test("PROPOSAL-3: where nobody named anything, or the words were about the moment, there is a finding and no rule", () => {
  const ran = { command: "docker compose up -d web" };
  expect(findingFrom("Bash", ran, "that's wrong, ask me before")).toMatchObject({ kind: "correction", rule: null });
  const edit = { file_path: "/p/src/a.ts", old_string: "a", new_string: "b" };
  expect(findingFrom("Edit", edit, "that's not what I asked for")).toMatchObject({ rule: null });
  expect(findingFrom("Edit", edit, "revert that please")).toMatchObject({ kind: "revert", rule: null });
});

test("what is wanted in the place of something else is never what a rule is about", () => {
  const edit = { file_path: "/p/src/a.ts", old_string: "", new_string: "const sessionKey = keyOf(a);" };
  for (const said of [
    "no, use `sessionKey` instead of `sKey`",
    "no, not `sKey` but `sessionKey`",
    "no, `sessionKey`, not `sKey`",
    "no, `sKey` should be `sessionKey`",
  ])
    expect([said, findingFrom("Edit", edit, said)?.rule ?? null]).toEqual([said, null]);
  const rule = proposed(
    "Edit",
    { ...edit, new_string: "const sKey = keyOf(a);" },
    "no, use `sessionKey` instead of `sKey`",
  );
  expect(rule.conditions).toMatchObject([{ field: "new_text", pattern: String.raw`\bskey\b` }]);
});

test("one task of a runner is not the runner, and a comment is no program", () => {
  const rule = proposed("Bash", { command: "mise run test:ci 2>&1" }, "don't run CI or integration tests, too slow.");
  expect(verdicts(rule, ["mise run test:ci", "mise run lint", "mise run test"])).toEqual([true, false, false]);
  const command = "# push it\ngit push \\\n  --force origin dev";
  const pushed = proposed("Bash", { command }, "never force push!");
  expect(verdicts(pushed, ["git push --force", "# push it"])).toEqual([true, false]);
});

test("a file: the folder that was named, or the file that was named", () => {
  const write = (file: string, said: string): Proposal =>
    proposed("Edit", { file_path: `/p/${file}`, old_string: "a", new_string: "b" }, said);
  const hits = (rule: Proposal, paths: readonly string[]): readonly boolean[] =>
    paths.map((file_path) => matches(rule, { file_path, new_text: "b" }));
  const paths = ["/p/src/generated/a.ts", "C:\\p\\src\\generated\\b.ts", "/p/src/a.ts", "/p/src/regenerated/a.ts"];
  expect(hits(write("src/generated/a.ts", "don't edit generated files"), paths)).toEqual([true, true, false, false]);
  expect(hits(write("src/generated/a.ts", "leave a.ts alone"), paths)).toEqual([true, false, false, false]);
});

test("what an edit brought in, where that was named", () => {
  const rule = proposed(
    "Write",
    { file_path: "/p/src/a.ts", content: "export const a = 1;\nconsole.log(a);" },
    "looks good, but don't leave console.log in there",
  );
  const hits = (new_text: string): boolean => matches(rule, { file_path: "/p/src/b.ts", new_text });
  expect([hits("console.log(1)"), hits("x.console.log"), hits("consolexlog"), hits("logger.log(1)")]).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test("a name is one that a file can have, and short", () => {
  const rule = proposed("Bash", { command: `./überprüfen --${"x".repeat(200)}` }, "never run ./überprüfen again");
  expect(rule.name).toMatch(/^[a-z0-9-]{1,50}$/);
  expect(matches(rule, { command: `./überprüfen --${"x".repeat(200)}` })).toBe(true);
});
