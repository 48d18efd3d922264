/** Which rules fire, on every event, and on nothing else (SPEC section 12). */
import { describe, expect, test } from "vitest";
import { matchRules } from "../../../src/rules/match/match.ts";
import { readRule } from "../../../src/rules/match/read-rule.ts";
import type { Rule } from "../../../src/rules/match/rule.ts";
import { promptSubject, stopSubject, toolSubject, type Subject } from "../../../src/rules/match/subject.ts";

/** A rule of that frontmatter. */
export function ruleOf(...lines: readonly string[]): Rule {
  const read = readRule(["---", "name: r", ...lines, "---", "said"].join("\n"), ".claude/hookify.r.local.md");
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.value.rule;
}

async function fires(rule: Rule, subject: Subject): Promise<boolean> {
  const found = await matchRules([rule], subject);
  expect(found.every(({ decided }) => decided)).toBe(true);
  return found.length === 1;
}

const bash = (command: string): Subject => toolSubject("Bash", { command });
const write = (file_path: string, content: string): Subject => toolSubject("Write", { file_path, content });
const edit = (file_path: string, old_string: string, new_string: string): Subject =>
  toolSubject("Edit", { file_path, old_string, new_string });
const multi = (file_path: string, ...edits: readonly (readonly [string, string])[]): Subject =>
  toolSubject("MultiEdit", { file_path, edits: edits.map(([old_string, new_string]) => ({ old_string, new_string })) });
const read = (file_path: string): Subject => toolSubject("Read", { file_path });
const ALL: Readonly<Record<string, Subject>> = {
  bash: bash("secret"),
  file: write("a.ts", "secret"),
  read: read("secret"),
  stop: stopSubject("secret"),
  prompt: promptSubject("secret"),
};

test.each(["Bash", "PowerShell", "Monitor"])("SPEC 12: a rule for shells is about %s", async (tool) => {
  const rule = ruleOf("event: bash", String.raw`pattern: rm\s+-rf`);
  expect(await fires(rule, toolSubject(tool, { command: "rm -rf /", description: "x" }))).toBe(true);
});

describe("SPEC 12: a simple pattern works for every event", () => {
  test.each(Object.keys(ALL))("%s: it fires there and nowhere else", async (event) => {
    const rule = ruleOf(`event: ${event}`, "pattern: SEC.ET");
    for (const [name, subject] of Object.entries(ALL))
      expect([name, await fires(rule, subject)]).toEqual([name, name === event]);
  });

  test("all: it fires on each of them, and on any other tool's input", async () => {
    const rule = ruleOf("event: all", "pattern: secret");
    for (const subject of Object.values(ALL)) expect(await fires(rule, subject)).toBe(true);
    expect(await fires(rule, toolSubject("mcp__x__y", { nested: { deep: "secret" } }))).toBe(true);
  });

  test("stop and prompt: .* fires, on an empty text too", async () => {
    expect(await fires(ruleOf("event: stop", "pattern: .*"), stopSubject(""))).toBe(true);
    expect(await fires(ruleOf("event: prompt", "pattern: .*"), promptSubject(""))).toBe(true);
  });

  test("several events in a list", async () => {
    const rule = ruleOf("event: [bash, prompt]", "pattern: secret");
    for (const [name, subject] of Object.entries(ALL))
      expect(await fires(rule, subject)).toBe(name === "bash" || name === "prompt");
  });
});

describe("SPEC 12: what a file rule looks at", () => {
  const rule = ruleOf("event: file", "pattern: console\\.log");
  test("the new text of Write, Edit, MultiEdit, NotebookEdit and a patch", async () => {
    for (const subject of [
      write("a.ts", "console.log(1)"),
      edit("a.ts", "x", "console.log(1)"),
      multi("a.ts", ["x", "y"], ["z", "console.log(1)"]),
      toolSubject("NotebookEdit", { notebook_path: "a.ipynb", new_source: "console.log(1)" }),
      toolSubject("apply_patch", { command: "*** Update File: a.ts\n-x\n+console.log(1)\n" }),
    ])
      expect([subject.tool, await fires(rule, subject)]).toEqual([subject.tool, true]);
  });

  test("neither the old text nor what is read or run", async () => {
    for (const subject of [
      edit("a.ts", "console.log(1)", ""),
      read("console.log"),
      bash("console.log"),
      toolSubject("Grep", { pattern: "console.log" }),
    ])
      expect(await fires(rule, subject)).toBe(false);
  });

  test("fields have the names that rule files use", async () => {
    const on = (field: string, pattern: string): Rule =>
      ruleOf("event: file", "conditions:", `  - field: ${field}`, "    operator: equals", `    pattern: ${pattern}`);
    for (const field of ["new_text", "new_string", "content"]) {
      expect(await fires(on(field, "b"), edit("f", "a", "b"))).toBe(true);
      expect(await fires(on(field, "b"), write("f", "b"))).toBe(true);
      expect(await fires(on(field, "b"), multi("f", ["a", "b"]))).toBe(true);
    }
    for (const field of ["old_text", "old_string"]) expect(await fires(on(field, "a"), edit("f", "a", "b"))).toBe(true);
    expect(await fires(on("file_path", "f"), multi("f", ["a", "b"]))).toBe(true);
  });

  test("tool_matcher narrows to tools", async () => {
    const narrow = ruleOf("event: file", "pattern: x", "tool_matcher: Edit|MultiEdit");
    expect(await fires(narrow, write("f", "x"))).toBe(false);
    expect(await fires(narrow, edit("f", "", "x"))).toBe(true);
    expect(await fires(ruleOf("event: file", "pattern: x", 'tool_matcher: "*"'), write("f", "x"))).toBe(true);
  });
});

describe("SPEC 12: operators", () => {
  const on = (operator: string, pattern: string): Rule =>
    ruleOf("event: bash", "conditions:", "- field: command", `  operator: ${operator}`, `  pattern: ${pattern}`);
  test.each([
    ["regex_match", "b+", "abbc", true],
    ["regex_match", "^b", "abbc", false],
    ["regex_match", "BB", "abbc", true],
    ["not_regex_match", "^b", "abbc", true],
    ["not_regex_match", "b+", "abbc", false],
    ["contains", "b.", "ab.c", true],
    ["contains", "B", "abbc", false],
    ["not_contains", "x", "abbc", true],
    ["not_contains", "b", "abbc", false],
    ["equals", "abbc", "abbc", true],
    ["equals", "abb", "abbc", false],
    ["starts_with", "ab", "abbc", true],
    ["starts_with", "b", "abbc", false],
    ["ends_with", "bc", "abbc", true],
    ["ends_with", "b", "abbc", false],
  ])("%s %s on %s: %s", async (operator, pattern, text, expected) => {
    expect(await fires(on(operator, pattern), bash(text))).toBe(expected);
  });

  test("all conditions must hold; of a list of patterns one, of a not_ operator none", async () => {
    const both = ruleOf(
      "event: file",
      "conditions:",
      "- {field: file_path, operator: ends_with, pattern: [.ts, .js]}",
      "- {field: new_text, operator: not_contains, pattern: [a, b]}",
    );
    expect(await fires(both, write("x.js", "c"))).toBe(true);
    expect(await fires(both, write("x.js", "b"))).toBe(false);
    expect(await fires(both, write("x.py", "c"))).toBe(false);
  });

  test("MATCH-2: a field that is not there is no match, for no operator", async () => {
    for (const operator of ["not_contains", "not_regex_match", "contains", "equals", "regex_match"])
      for (const subject of [bash("x"), promptSubject("x"), stopSubject("x"), read("x"), write("f", "x")])
        for (const field of ["old_text", "transcript", "nothing"])
          expect(
            await fires(
              ruleOf("event: all", "conditions:", `- field: ${field}`, `  operator: ${operator}`, "  pattern: zzz"),
              subject,
            ),
          ).toBe(false);
  });

  test("a stop's transcript, and a tool's own input and answer", async () => {
    const untested = ruleOf(
      "event: stop",
      "conditions:",
      "- {field: transcript, operator: not_contains, pattern: npm test}",
    );
    expect(
      await fires(
        untested,
        stopSubject("done", () => "ran ls"),
      ),
    ).toBe(true);
    expect(
      await fires(
        untested,
        stopSubject("done", () => "ran npm test"),
      ),
    ).toBe(false);
    expect(
      await fires(
        untested,
        stopSubject("done", () => null),
      ),
    ).toBe(false);
    const own = ruleOf("event: bash", "conditions:", "- {field: description, pattern: deploy}");
    expect(await fires(own, toolSubject("Bash", { command: "x", description: "Deploy it" }))).toBe(true);
    const named = ruleOf("event: all", "conditions:", "- {field: tool_name, operator: starts_with, pattern: mcp__}");
    expect(await fires(named, toolSubject("mcp__x__y", {}))).toBe(true);
    expect(await fires(named, toolSubject("Bash", { command: "mcp__" }))).toBe(false);
    const answered = ruleOf("event: bash", "conditions:", "- {field: output, pattern: FAILED}");
    expect(await fires(answered, toolSubject("Bash", { command: "x" }))).toBe(false);
    expect(await fires(answered, toolSubject("Bash", { command: "x" }, { stdout: "1 failed", stderr: "" }))).toBe(true);
  });

  test("one text for all that a tool answered stands for each part of it; `error` is there only of a call that failed", async () => {
    const on = (field: string): Rule => ruleOf("event: bash", "conditions:", `- {field: ${field}, pattern: FAILED}`);
    const answered = (response: unknown): Subject => toolSubject("Bash", { command: "x" }, response);
    for (const field of ["output", "stdout", "stderr", "error", "tool_response"]) {
      expect([field, await fires(on(field), answered("1 failed"))]).toEqual([field, field !== "error"]);
      expect([field, await fires(on(field), answered({ error: "Exit code 1\n1 failed" }))]).toEqual([field, true]);
      expect([field, await fires(on(field), answered({ error: "Exit code 1" }))]).toEqual([field, false]);
    }
    expect(await fires(on("error"), answered({ stdout: "1 failed" }))).toBe(false);
  });

  test("SUBJECT-2: what an editor answered is looked at when it failed; a rule about nothing else learns that", async () => {
    const about = "---\nevent: file\nconditions:\n- {field: output, pattern: FAILED}\n---\nsaid";
    const rule = ruleOf("event: all", "conditions:", "- {field: output, pattern: FAILED}");
    for (const tool of ["Edit", "Write", "apply_patch"]) {
      expect(await fires(rule, toolSubject(tool, {}, "1 failed"))).toBe(false);
      expect(await fires(rule, toolSubject(tool, {}, { content: "1 failed" }))).toBe(false);
      expect(await fires(rule, toolSubject(tool, {}, { error: "1 failed" }))).toBe(true);
    }
    expect(await fires(rule, toolSubject("Read", {}, { file: { content: "1 failed" } }))).toBe(true);
    expect(readRule(about, "hookify.r.local.md")).toMatchObject({
      ok: true,
      value: { warnings: [{ message: expect.stringContaining("an editor answers") as unknown, at: { line: 4 } }] },
    });
  });
});
