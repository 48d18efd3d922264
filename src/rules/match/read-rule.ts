/**
 * A rule from its file's text (SPEC section 12).
 *
 * READ-RULE-1 the file stands for itself: what is wrong with it is reported with line and field, and concerns no other
 *    rule;
 * READ-RULE-2 nothing is guessed that could let pass what was to be stopped: a value that is not known makes the rule a
 *    bad one.
 */
import type { Problem, Result } from "../../core/problem.ts";
import { nearest } from "../../core/nearest.ts";
import { compilePattern } from "./pattern.ts";
import {
  ruleFileName,
  OPERATORS,
  RULE_ACTIONS,
  RULE_EVENTS,
  type Condition,
  type Operator,
  type Pattern,
  type Rule,
  type RuleEvent,
} from "./rule.ts";
import { readRuleText, type RuleText, type YamlValue } from "./rule-text.ts";
import { isResultField, toolEvent, WHOLE } from "./subject.ts";

/** A file of another size is no rule that somebody wrote. */
const LONGEST_RULE = 256 * 1024;
const MOST_CONDITIONS = 100;
const KEYS = "name enabled event pattern conditions action tool_matcher shadow".split(" ");

export interface ReadRule {
  readonly rule: Rule;
  /** What is read, but perhaps not as it was meant. */
  readonly warnings: readonly Problem[];
}

/**
 * @param source the file as it is to be shown; its name is used where the rule has none
 */
export function readRule(text: string, source: string): Result<ReadRule> {
  if (text.length > LONGEST_RULE)
    return {
      ok: false,
      problems: [{ code: "file_too_large", message: `a rule has at most ${LONGEST_RULE} characters` }],
    };
  const read = readRuleText(text);
  if (!read.ok) return read;
  const problems: Problem[] = [];
  const warnings = [...read.value.warnings];
  const from: Source = { text: read.value, problems, warnings };
  const file = source.split(/[/\\]/).at(-1) ?? source;
  const rule: Rule = {
    name: oneText(from, "name") ?? ruleFileName(file) ?? file,
    enabled: truthOf(from, "enabled", true),
    shadow: truthOf(from, "shadow", false),
    events: choices(from, "event", RULE_EVENTS, "all"),
    tools: toolsOf(from),
    conditions: conditionsOf(from),
    action: choices(from, "action", RULE_ACTIONS, "warn")[0] ?? "warn",
    message: read.value.message,
    source,
  };
  warnUnknown(from);
  warnSilent(from, rule);
  return problems.length > 0 ? { ok: false, problems } : { ok: true, value: { rule, warnings } };
}

interface Source {
  readonly text: RuleText;
  readonly problems: Problem[];
  readonly warnings: Problem[];
}

type Path = readonly (string | number)[];

function problemAt(
  from: Source,
  path: Path,
  code: Problem["code"],
  { message, found, hint }: { readonly message: string; readonly found?: unknown; readonly hint: string },
): Problem {
  const shown = found === undefined ? {} : { found: (JSON.stringify(found) ?? "").slice(0, 80) };
  return { code, path, message, hint, at: { line: from.text.lineOf(...path), column: 1 }, ...shown };
}

function report(from: Source, path: Path, code: Problem["code"], rest: Parameters<typeof problemAt>[3]): void {
  from.problems.push(problemAt(from, path, code, rest));
}

function oneText(from: Source, key: string): string | null {
  const value = from.text.fields[key];
  if (value === undefined || value === null || value === "") return null;
  if (typeof value === "string") return value;
  report(from, [key], "wrong_type", {
    message: `${key} is not a text`,
    found: value,
    hint: `write ${key}: and a text`,
  });
  return null;
}

function truthOf(from: Source, key: string, fallback: boolean): boolean {
  const value = oneText(from, key);
  if (value === null) return fallback;
  if (/^true$/i.test(value)) return true;
  if (/^false$/i.test(value)) return false;
  report(from, [key], "wrong_type", {
    message: `${key} is neither true nor false`,
    found: value,
    hint: `write ${key}: true or ${key}: false`,
  });
  return fallback;
}

/** One of them or a list of them. */
function choices<T extends string>(from: Source, key: string, known: readonly T[], fallback: T): readonly T[] {
  const value = from.text.fields[key];
  if (value === undefined || value === null || value === "") return [fallback];
  const texts = textsIn(value);
  const chosen = (texts ?? []).flatMap((text) => known.find((one) => one === text.trim().toLowerCase()) ?? []);
  if (texts !== null && chosen.length === texts.length && chosen.length > 0) return chosen;
  const strange = (texts ?? []).find((text) => !known.some((one) => one === text.trim().toLowerCase())) ?? "";
  const hint = `write one of ${known.join(", ")}; ${nearest(strange, known)}`;
  report(from, [key], "unknown_value", { message: `${key} is not known`, found: value, hint });
  return [fallback];
}

/** A text, or a list of texts; null: something else. */
function textsIn(value: YamlValue): readonly string[] | null {
  if (typeof value === "string") return [value];
  if (!Array.isArray(value)) return null;
  const items: readonly YamlValue[] = value;
  return items.every((item): item is string => typeof item === "string") ? items : null;
}

function toolsOf(from: Source): readonly string[] | null {
  const value = from.text.fields["tool_matcher"];
  if (value === undefined || value === null || value === "") return null;
  const texts = textsIn(value);
  if (texts !== null) return texts.flatMap((text) => text.split("|").map((name) => name.trim()));
  const hint = "write tool_matcher: Edit|Write";
  report(from, ["tool_matcher"], "wrong_type", { message: "tool_matcher names no tools", found: value, hint });
  return null;
}

/** The list of conditions, or the simple `pattern` in its place. */
function conditionsOf(from: Source): readonly Condition[] {
  const { conditions, pattern } = from.text.fields;
  if (conditions === undefined || conditions === null || isEmpty(conditions)) {
    if (pattern !== undefined && pattern !== null && pattern !== "")
      return [
        { field: WHOLE, operator: "regex_match", patterns: patternsOf(from, ["pattern"], "regex_match", pattern) },
      ];
    const hint = "write pattern: and a regular expression, or conditions:";
    report(from, [], "missing_field", { message: "the rule has nothing to match", hint });
    return [];
  }
  const list: readonly YamlValue[] | null = Array.isArray(conditions)
    ? conditions
    : isRecord(conditions)
      ? [conditions]
      : null;
  if (list === null || list.length > MOST_CONDITIONS) {
    const hint = "write - field:, operator: and pattern: for each";
    const message = list === null ? "conditions is not a list" : `a rule has at most ${MOST_CONDITIONS} conditions`;
    report(from, ["conditions"], "wrong_type", { message, hint });
    return [];
  }
  return list.flatMap((item, at) => conditionOf(from, item, at) ?? []);
}

function conditionOf(from: Source, item: YamlValue, at: number): Condition | null {
  const path = ["conditions", at];
  if (!isRecord(item)) {
    report(from, path, "wrong_type", {
      message: "a condition has no fields",
      found: item,
      hint: "write field, operator and pattern",
    });
    return null;
  }
  const { field, operator = "regex_match", pattern } = item;
  const known = OPERATORS.find((one) => one === operator);
  if (known === undefined) {
    const hint = `write one of ${OPERATORS.join(", ")}; ${nearest(typeof operator === "string" ? operator : "", OPERATORS)}`;
    report(from, [...path, "operator"], "unknown_value", { message: "operator is not known", found: operator, hint });
  }
  if (typeof field !== "string" || field.trim() === "" || field === WHOLE) {
    const hint = "write field: command, file_path, new_text, ...";
    report(from, [...path, "field"], "missing_field", { message: "a condition names no field", found: field, hint });
    return null;
  }
  if (pattern === undefined || pattern === null || pattern === "") {
    const hint = "write pattern: and what to look for";
    report(from, path, "missing_field", { message: "a condition has no pattern", hint });
    return null;
  }
  const at_ = [...path, "pattern"];
  return { field, operator: known ?? "equals", patterns: patternsOf(from, at_, known ?? "equals", pattern) };
}

function patternsOf(from: Source, path: Path, operator: Operator, value: YamlValue): readonly Pattern[] {
  const texts = textsIn(value);
  if (texts === null || texts.length === 0 || texts.includes("")) {
    const hint =
      "write a text, or a list of texts of which one has to match; a regular expression goes in single quotes";
    report(from, path, "wrong_type", { message: "pattern is not a text", found: value, hint });
    return [];
  }
  if (operator !== "regex_match" && operator !== "not_regex_match") return texts.map((text) => ({ text }));
  return texts.flatMap((text) => regularExpression(from, path, text) ?? []);
}

function regularExpression(from: Source, path: Path, text: string): Pattern | null {
  const pattern = compilePattern(text);
  if ("text" in pattern) {
    if (text.includes("\b"))
      from.warnings.push(
        problemAt(from, path, "pattern_syntax", {
          message: "a \\b in double quotes is a backspace: it is taken for the edge of a word",
          found: text,
          hint: "put the pattern in single quotes",
        }),
      );
    return pattern;
  }
  report(from, path, "pattern_syntax", { message: pattern.message, found: text, hint: "mend the regular expression" });
  return null;
}

function warnUnknown(from: Source): void {
  for (const key of Object.keys(from.text.fields)) {
    const hint = nearest(key, KEYS);
    if (!KEYS.includes(key) && hint.startsWith("did you mean"))
      from.warnings.push(
        problemAt(from, [key], "unknown_value", { message: `${key} is not known, and is passed over`, hint }),
      );
  }
}

/** A rule that is hardly what was meant. */
function warnSilent(from: Source, rule: Rule): void {
  const { events, conditions, tools } = rule;
  const warn = (path: Path, message: string, hint: string): void =>
    void from.warnings.push(problemAt(from, path, "unknown_value", { message, hint }));
  const pathOf = (at: number, key: string): Path =>
    conditions[at]?.field === WHOLE ? ["pattern"] : ["conditions", at, key];
  for (const [at, { field, operator, patterns }] of conditions.entries()) {
    if (!operator.endsWith("regex_match") && patterns.some(({ text }) => /\S\|\S/.test(text)))
      warn(pathOf(at, "pattern"), `${operator} takes | for a character`, "write operator: regex_match, or a list");
    if (events.every((event) => NEVER[event]?.has(field) === true))
      warn(pathOf(at, "field"), `it never fires: no ${events.join(" or ")} has the field ${field}`, "name another one");
    if (isResultField(field) && events.every((event) => event === "file"))
      warn(
        pathOf(at, "field"),
        "what an editor answers is looked at only when it failed",
        "look at new_text, before it happens",
      );
  }
  const kinds = (tools ?? []).map(toolEvent);
  if (kinds.length > 0 && tools?.includes("*") !== true && !events.includes("all"))
    if (kinds.every((kind) => kind === "other" || !events.includes(kind)))
      warn(
        ["tool_matcher"],
        "it never fires: none of these tools is of its event",
        "write event: all, or another tool",
      );
  if (events.includes("all") && conditions.some(isBroad))
    warn(
      ["event"],
      "prompts and what is said last are looked at too, not tools alone",
      "name the events that are meant",
    );
}

/** It looks at whatever there is, and names nothing of three letters. */
function isBroad({ field, patterns }: Condition): boolean {
  return field === WHOLE && patterns.some(({ text }) => !/[^\W_]{3}/.test(text.replaceAll(/\\./g, " ")));
}

const EDITED = ["file_path", "new_text", "old_text", "new_string", "old_string"];
const SAID = ["prompt", "user_prompt", "transcript", "reason", "last_assistant_message"];
const RESULTS = ["output", "stdout", "stderr", "error", "tool_response"];
/** Fields that such an action never has. */
const NEVER: Readonly<Partial<Record<RuleEvent, ReadonlySet<string>>>> = {
  bash: new Set([...EDITED, ...SAID]),
  file: new Set(SAID),
  read: new Set(["command", "new_text", "old_text", ...SAID]),
  prompt: new Set(["command", "transcript", "reason", "last_assistant_message", "tool_name", ...EDITED, ...RESULTS]),
  stop: new Set(["command", "prompt", "user_prompt", "tool_name", ...EDITED, ...RESULTS]),
};

function isEmpty(value: YamlValue): boolean {
  return value === "" || (Array.isArray(value) && value.length === 0);
}

function isRecord(value: YamlValue | undefined): value is { readonly [key: string]: YamlValue } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
