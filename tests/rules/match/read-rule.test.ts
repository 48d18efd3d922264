/** Rule files as people have them, read by YAML's own rules, and what is wrong with them named (SPEC section 12). */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readRule, type ReadRule } from "../../../src/rules/match/read-rule.ts";
import { ruleFileName } from "../../../src/rules/match/rule.ts";
import type { Problem } from "../../../src/core/problem.ts";

const FILE = ".claude/hookify.my-rule.local.md";
function read(text: string): ReadRule {
  const found = readRule(text, FILE);
  if (!found.ok) throw new Error(JSON.stringify(found.problems));
  return found.value;
}
function problems(text: string): readonly Problem[] {
  const found = readRule(text, FILE);
  return found.ok ? [] : found.problems;
}
const file = (...lines: readonly string[]): string => `---\n${lines.join("\n")}\n---\n\nSaid.\n`;
const patternOf = (line: string): string | undefined =>
  read(file("name: r", "event: bash", line)).rule.conditions[0]?.patterns[0]?.text;

describe("SPEC 12: rule files that people have", () => {
  test("a simple one", () => {
    const { rule, warnings } = read(
      file("name: block-dangerous-rm", "enabled: true", "event: bash", String.raw`pattern: rm\s+-rf`, "action: block"),
    );
    expect(warnings).toEqual([]);
    expect(rule).toMatchObject({
      name: "block-dangerous-rm",
      enabled: true,
      shadow: false,
      events: ["bash"],
      tools: null,
      action: "block",
      message: "Said.",
      source: FILE,
    });
    expect(rule.conditions).toMatchObject([
      { field: "*", operator: "regex_match", patterns: [{ text: String.raw`rm\s+-rf` }] },
    ]);
  });

  test("what is left out: the name from the file's, enabled, every event, a warning, a regular expression", () => {
    expect(read(file("pattern: x")).rule).toMatchObject({
      name: "my-rule",
      enabled: true,
      events: ["all"],
      action: "warn",
    });
    expect(read(file("conditions:", "  - field: command", "    pattern: x+")).rule.conditions).toMatchObject([
      { field: "command", operator: "regex_match" },
    ]);
    expect(read("---\nname: r\npattern: x\n---").rule.message).toBe("");
  });

  test("a name that YAML would take for something else stays a text", () => {
    expect(read(file("name: 007", "pattern: 0x1F")).rule).toMatchObject({
      name: "007",
      conditions: [{ patterns: [{ text: "0x1F" }] }],
    });
  });

  test("line ends, a byte order mark, blanks behind the delimiters, keys that are not known", () => {
    const text = "\ufeff--- \r\nname: r\r\ncolour: red\r\nevent: bash\r\npattern: x\r\n---\t\r\n\r\nOne.\r\nTwo.\r\n";
    expect(read(text)).toMatchObject({ rule: { name: "r", message: "One.\nTwo." }, warnings: [] });
  });

  test("files in other places are none", () => {
    expect(
      ["hookify.a.local.md", "hookify.a.b.local.md", "hookify..local.md", "hookify.md", "xhookify.a.local.md"].map(
        ruleFileName,
      ),
    ).toEqual(["a", "a.b", null, null, null]);
  });
});

describe("SPEC 12: quotes and escapes by YAML's own rules", () => {
  test.each([
    [String.raw`pattern: rm\s+-rf`, String.raw`rm\s+-rf`],
    [String.raw`pattern: 'it''s \d'`, String.raw`it's \d`],
    [String.raw`pattern: "rm\\s+-rf"`, String.raw`rm\s+-rf`],
    [String.raw`pattern: "say \"hi\""`, `say "hi"`],
    ['pattern: "a\\tb"', "a\tb"],
    ["pattern: a # said", "a"],
    ["pattern: 'a # b'", "a # b"],
    ["pattern: >-\n  a\n  b", "a b"],
    ["pattern: |-\n  ---\n  a", "---\na"],
    ["pattern: 'it ends\"'", `it ends"`],
    ["pattern: 'yes'", "yes"],
  ])("%j: %j", (line, expected) => {
    expect(patternOf(line)).toBe(expected);
  });

  test("RULE-TEXT-1: --- inside of a value is no delimiter", () => {
    expect(patternOf("pattern: a---b")).toBe("a---b");
    expect(patternOf("pattern: '--- x'")).toBe("--- x");
    expect(read("---\nname: r\npattern: x # ---\n---\nabove\n---\nbelow").rule.message).toBe("above\n---\nbelow");
    expect(patternOf("pattern: ^---$")).toBe("^---$");
  });

  test.each([
    [String.raw`pattern: "rm\s+-rf"`, String.raw`rm\s+-rf`],
    ["pattern: (a|b): c", "(a|b): c"],
    ["pattern: [a-z]+x", "[a-z]+x"],
    ["pattern: *.env", "*.env"],
    ["pattern: %x", "%x"],
    ["pattern: `x`", "`x`"],
    ["pattern: 'it's'", "it's"],
  ])("RULE-TEXT-2: what YAML refuses is taken as it is written, with a warning: %s", (line, text) => {
    const found = readRule(file("event: bash", line), FILE);
    // `*.env` is no regular expression; the fault names it as it is written.
    if (!found.ok) expect(found.problems).toMatchObject([{ code: "pattern_syntax", found: JSON.stringify(text) }]);
    else
      expect(found.value).toMatchObject({
        rule: { conditions: [{ patterns: [{ text }] }] },
        warnings: [{ code: "yaml_syntax", at: { line: 3 } }],
      });
  });

  test("a \\b that double quotes have made a backspace is the edge of a word, with a warning", () => {
    const { rule, warnings } = read(file("event: bash", String.raw`pattern: "\brm\b"`));
    expect(rule.conditions[0]?.patterns[0]?.text).toBe("\brm\b");
    expect(warnings).toMatchObject([
      { at: { line: 3 }, message: expect.stringContaining("edge of a word") as unknown },
    ]);
  });

  test("lists: of events, of patterns, of conditions in either style, of tools", () => {
    const block = read(
      file(
        "name: r",
        "event:",
        "  - bash",
        "  - file",
        "conditions:",
        "- field: command",
        "  operator: contains",
        "  pattern:",
        "  - a",
        "  - b",
      ),
    ).rule;
    expect(block).toMatchObject({
      events: ["bash", "file"],
      conditions: [{ field: "command", patterns: [{ text: "a" }, { text: "b" }] }],
    });
    const flow = read(
      file(
        "name: r",
        "event: [bash, file]",
        "conditions: [{field: command, operator: contains, pattern: [a, b]}]",
        "tool_matcher: [Edit, Write]",
      ),
    ).rule;
    expect(flow).toEqual({ ...block, tools: ["Edit", "Write"] });
    expect(read(file("name: r", "pattern: x", "tool_matcher: Edit|Write")).rule.tools).toEqual(["Edit", "Write"]);
  });
});

describe("SPEC 12: a bad rule is named, with line and field", () => {
  test.each<readonly [string, string, number, string]>([
    ["name: r\npattern: x", "no_frontmatter", 1, "begin"],
    ["---\nname: r\npattern: x\n", "no_frontmatter", 1, "closed"],
    ["---\n- a\n---\n", "wrong_type", 2, "fields"],
    [file("name: r"), "missing_field", 2, "nothing to match"],
    [file("name: r", "conditions: []"), "missing_field", 2, "nothing to match"],
    [file("name: r", "pattern: x", "enabled: maybe"), "wrong_type", 4, "enabled"],
    [file("name: r", "pattern: x", "event: bush"), "unknown_value", 4, "event"],
    [file("name: r", "pattern: x", "action: blok"), "unknown_value", 4, "action"],
    [file("name: [a]", "pattern: x"), "wrong_type", 2, "name"],
    [file("name: r", "pattern: (x"), "pattern_syntax", 3, "an unclosed ("],
    [
      file(
        "name: r",
        "conditions:",
        "- field: command",
        "  pattern: a",
        "- field: command",
        "  operator: is",
        "  pattern: b",
      ),
      "unknown_value",
      7,
      "operator",
    ],
    [file("name: r", "conditions:", "- pattern: a"), "missing_field", 4, "field"],
    [file("name: r", "conditions:", "- field: command"), "missing_field", 4, "pattern"],
    [file("name: r", "conditions: x"), "wrong_type", 3, "conditions"],
    [file("name: r", "conditions:", "- x"), "wrong_type", 4, "condition"],
    [file("name: r", "pattern: {a: b}"), "wrong_type", 3, "pattern"],
    [file("name: r", "name: s", "pattern: x"), "yaml_syntax", 3, "dup"],
    [`---\nname: r\n---\n${"x".repeat(300_000)}`, "file_too_large", 0, "at most"],
  ])("%j", (text, code, line, said) => {
    const [first] = problems(text);
    expect(first).toMatchObject({ code, message: expect.stringContaining(said) as unknown });
    expect(first?.at?.line ?? 0).toBe(line);
  });

  test.each([
    [
      "a | that is a character",
      "takes | for a character",
      "event: bash\nconditions:\n- field: command\n  operator: contains\n  pattern: rm|dd",
    ],
    [
      "a field that no such action has",
      "it never fires",
      "event: prompt\nconditions:\n- field: command\n  pattern: rm",
    ],
    ["tools of another event", "it never fires", "event: bash\ntool_matcher: Edit|Write\npattern: rm"],
    ["all events, and a pattern of next to nothing", "prompts and what is said last", "event: all\npattern: (a|b)"],
  ])("a warning of a rule that is hardly what was meant: %s", (_, said, lines) => {
    expect(read(file(...lines.split("\n"))).warnings).toMatchObject([
      { code: "unknown_value", message: expect.stringContaining(said) as unknown },
    ]);
  });

  test.each([
    "event: bash\nconditions:\n- field: command\n  operator: contains\n  pattern: a | b",
    "event:\n- bash\n- prompt\nconditions:\n- field: prompt\n  pattern: rm",
    "event: file\ntool_matcher: Edit|Write\npattern: x",
    "event: all\npattern: secret",
  ])("no warning of one that may be meant so: %j", (lines) => {
    expect(read(file(...lines.split("\n"))).warnings).toEqual([]);
  });

  test("whatever is in a file: a rule or problems, never an exception", () => {
    const line = fc.oneof(
      fc.constantFrom(
        "name: r",
        "event: bash",
        "pattern: x",
        "conditions:",
        "  - field: a",
        "    operator: contains",
        "    pattern: [a",
        "---",
        "enabled: &a true",
        "x: *a",
        "? a",
        "- b",
        "!!int x",
        'pattern: "\\',
        "<<: {a: b}",
        "\t- x",
        "message: |",
        "  ---",
      ),
      fc.string({ maxLength: 20, unit: "binary" }),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), fc.boolean(), (lines, framed) => {
        const found = readRule(framed ? file(...lines) : lines.join("\n"), FILE);
        if (found.ok) expect(found.value.rule.conditions.length).toBeGreaterThan(0);
        else expect(found.problems.length).toBeGreaterThan(0);
      }),
      { numRuns: 2000 },
    );
  });
});
