/** The line from which the quick front knows that no rule is about an event (SPEC section 12). */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { markedEvents } from "../../src/rules/mark.ts";
import { isAboutResult, isFor } from "../../src/rules/match/match.ts";
import { readRule } from "../../src/rules/match/read-rule.ts";
import { RULE_EVENTS, type Rule } from "../../src/rules/match/rule.ts";
import { promptSubject, stopSubject, toolSubject } from "../../src/rules/match/subject.ts";

const TOOLS = ["Bash", "PowerShell", "Edit", "Write", "apply_patch", "Read", "Grep", "Agent", "mcp__a__b"];

function ruleOf(...lines: readonly string[]): Rule {
  const read = readRule(["---", ...lines, "---", "said"].join("\n"), "hookify.x.local.md");
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.value.rule;
}

const rules = fc
  .record({
    events: fc.subarray([...RULE_EVENTS], { minLength: 1 }),
    tools: fc.option(fc.subarray([...TOOLS, "*"], { minLength: 1 }), { nil: null }),
    field: fc.constantFrom("command", "file_path", "output", "tool_response", "transcript"),
    enabled: fc.boolean(),
  })
  .map(({ events, tools, field, enabled }) =>
    ruleOf(
      `event: [${events.join(", ")}]`,
      `enabled: ${enabled}`,
      ...(tools === null ? [] : [`tool_matcher: ${JSON.stringify(tools.join("|"))}`]),
      "conditions:",
      `- {field: ${field}, pattern: x}`,
    ),
  );

test("what a rule could fire on is marked, and of a rule that is narrowed to tools nothing else", () => {
  const subjects = [...TOOLS.map((tool) => toolSubject(tool, {})), promptSubject("x"), stopSubject("x")];
  fc.assert(
    fc.property(rules, (rule) => {
      const marked = new Set(markedEvents(rule));
      const wanted = subjects.flatMap((subject) => {
        if (!rule.enabled || !isFor(rule, subject)) return [];
        const { event } = subject;
        return [event === "prompt" || event === "stop" || !isAboutResult(rule) ? event : (`after_${event}` as const)];
      });
      expect(marked).toEqual(new Set(wanted));
    }),
  );
});
