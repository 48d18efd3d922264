/** New rules, and rules that are switched on and off (SPEC section 12). */
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { accepted, refused, type Result } from "../core/problem.ts";
import { writeFileAtomicSync } from "../host/atomic-write.ts";
import { readText } from "../host/regular-file.ts";
import { matchRules } from "./match/match.ts";
import { readRule } from "./match/read-rule.ts";
import type { Operator, Rule, RuleAction, RuleEvent } from "./match/rule.ts";
import { splitRule } from "./match/rule-text.ts";
import { promptSubject, stopSubject, toolSubject, type Subject } from "./match/subject.ts";
import type { RuleFolder } from "./place.ts";

export interface WantedRule {
  readonly name: string;
  readonly event: RuleEvent;
  /** A simple one; empty: `conditions` say it. */
  readonly pattern: string;
  readonly conditions: readonly { readonly field: string; readonly operator: Operator; readonly pattern: string }[];
  readonly action: RuleAction;
  readonly shadow: boolean;
  readonly message: string;
}

/** Texts to try a new rule on before it is kept. */
export interface Examples {
  readonly matches: readonly string[];
  readonly passes: readonly string[];
}

/** A rule with the examples that it is tried on. */
export interface NewRule {
  readonly rule: WantedRule;
  readonly examples: Examples;
}

/** The text of the rule's file; refused when it is not valid. */
export function ruleText(wanted: WantedRule): Result<string> {
  const { name, event, pattern, conditions, action, shadow, message } = wanted;
  if (!/^[\w.-]+$/.test(name)) return refused(`${JSON.stringify(name)} is no name`, "write letters, digits, - and _");
  const lines = [
    "---",
    `name: ${name}`,
    "enabled: true",
    ...(shadow ? ["shadow: true"] : []),
    `event: ${event}`,
    ...(pattern === "" ? [] : [`pattern: ${quoted(pattern)}`]),
    ...(conditions.length === 0 ? [] : ["conditions:"]),
    ...conditions.flatMap((one) => [
      `  - field: ${quoted(one.field)}`,
      `    operator: ${one.operator}`,
      `    pattern: ${quoted(one.pattern)}`,
    ]),
    `action: ${action}`,
    "---",
    "",
    message,
    "",
  ];
  const text = lines.join("\n");
  const read = readRule(text, `hookify.${name}.local.md`);
  if (read.ok) return accepted(text);
  // Nobody sees the text that the places are in.
  return { ok: false, problems: read.problems.map(({ at: _, ...problem }) => problem) };
}

/**
 * Tries a new rule on its examples: what must match, and what must not.
 * @returns refused with the first example that comes out otherwise
 */
export async function tryExamples(text: string, { matches, passes }: Examples): Promise<Result<null>> {
  const read = readRule(text, "hookify.new.local.md");
  if (!read.ok) return read;
  const { rule } = read.value;
  for (const [example, wanted] of [
    ...matches.map((one) => [one, true] as const),
    ...passes.map((one) => [one, false] as const),
  ]) {
    const fired = await firesOn(rule, example);
    if (fired === wanted) continue;
    const hint = wanted ? "mend the pattern: the rule would never fire where it should" : "make the pattern narrower";
    return refused(`the rule ${wanted ? "does not match" : "matches"} ${JSON.stringify(example)}`, hint);
  }
  return accepted(null);
}

async function firesOn(rule: Rule, example: string): Promise<boolean> {
  for (const subject of subjectsOf(rule, example)) if ((await matchRules([rule], subject)).length > 0) return true;
  return false;
}

/** An example is what the event is about: a command, the new text or the path of a file, a prompt, last words. */
function subjectsOf(rule: Rule, text: string): readonly Subject[] {
  return [
    toolSubject("Bash", { command: text }, text),
    toolSubject("Edit", { file_path: text, old_string: text, new_string: text }),
    toolSubject("Read", { file_path: text }),
    promptSubject(text),
    stopSubject(text, () => text),
  ].filter(({ event }) => rule.events.some((one) => one === event || one === "all"));
}

/** Writes a new rule's file. Refused when one is there, unless `replace`. @returns its path */
export function writeNewRule(folder: RuleFolder, name: string, text: string, replace: boolean): Result<string> {
  const path = join(folder.dir, `hookify.${name}.local.md`);
  if (!replace && existsSync(path))
    return refused(`${path} already exists`, "choose another name, or replace it with --force");
  mkdirSync(folder.dir, { recursive: true });
  const written = writeFileAtomicSync(path, text);
  return written.ok ? accepted(path) : refused(written.message, written.hint);
}

/**
 * Switches a rule on or off in its file; no other line of it changes.
 * @param to what is not named stays as it is
 */
export function switchRule(path: string, to: { readonly enabled?: boolean; readonly shadow?: boolean }): Result<Rule> {
  const text = readText(path);
  let changed: Result<string> = accepted(text);
  for (const [key, value] of Object.entries(to))
    if (changed.ok) changed = setLine(changed.value, key, value ? "true" : "false");
  if (!changed.ok) return changed;
  const read = readRule(changed.value, path);
  if (!read.ok) return read;
  const { rule } = read.value;
  if ((to.enabled ?? rule.enabled) !== rule.enabled || (to.shadow ?? rule.shadow) !== rule.shadow)
    return refused(`${path} is written in a way that cannot be changed here`, "change `enabled:` in it by hand");
  const written = changed.value === text ? { ok: true as const } : writeFileAtomicSync(path, changed.value);
  return written.ok ? accepted(rule) : refused(written.message, written.hint);
}

/** Sets a field of the frontmatter; a new one is before its end, unless that is what holds without it. */
function setLine(text: string, key: string, value: "true" | "false"): Result<string> {
  const split = splitRule(text);
  if (!split.ok) return split;
  const { close } = split.value;
  const lines = text.split("\n");
  const at = lines.findIndex((line, index) => index > 0 && index < close && new RegExp(`^${key}[ \\t]*:`).test(line));
  const end = lines[at < 0 ? close : at]?.endsWith("\r") === true ? "\r" : "";
  if (at >= 0) lines[at] = `${key}: ${value}${commentIn(lines[at] ?? "")}${end}`;
  else if ((key === "enabled") === (value === "false")) lines.splice(close, 0, `${key}: ${value}${end}`);
  return accepted(lines.join("\n"));
}

function commentIn(line: string): string {
  return /[ \t]+#[^\r]*/.exec(line)?.[0] ?? "";
}

function quoted(text: string): string {
  return /[\n\r\t]/.test(text) ? JSON.stringify(text) : `'${text.replaceAll("'", "''")}'`;
}
