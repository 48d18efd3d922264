/**
 * A guard rule as it is after reading (SPEC section 12): data alone, so that it can be kept as JSON.
 */

export const RULE_EVENTS = ["bash", "file", "read", "stop", "prompt", "all"] as const;
export type RuleEvent = (typeof RULE_EVENTS)[number];

export const OPERATORS = [
  "regex_match",
  "not_regex_match",
  "contains",
  "not_contains",
  "equals",
  "starts_with",
  "ends_with",
] as const;
export type Operator = (typeof OPERATORS)[number];

export const RULE_ACTIONS = ["warn", "block"] as const;
export type RuleAction = (typeof RULE_ACTIONS)[number];

/** A regular expression (see `pattern.ts`), or for other operators the text itself. */
export interface Pattern {
  readonly text: string;
}

export interface Condition {
  /** `command`, `file_path`, `new_text`, ...: a key of the subject's fields, or of the tool's own input. */
  readonly field: string;
  readonly operator: Operator;
  /** One of them has to match; of a `not_` operator none may. Never empty. */
  readonly patterns: readonly Pattern[];
}

export interface Rule {
  readonly name: string;
  readonly enabled: boolean;
  /** It fires and is recorded, and nothing more happens. */
  readonly shadow: boolean;
  /** Never empty. */
  readonly events: readonly RuleEvent[];
  /** Names of tools that it is narrowed to (`tool_matcher`); null: any. */
  readonly tools: readonly string[] | null;
  /** All of them must hold. Empty only where the rule could not be read (`unreadRule`). */
  readonly conditions: readonly Condition[];
  readonly action: RuleAction;
  /** What is shown, without blank lines around it. */
  readonly message: string;
  /** The file that it was read from, as it is shown to people. */
  readonly source: string;
}

/**
 * Stands in for rules that could not be read: what they forbid is not known, so that it forbids everything.
 * @param source the file, or the folder, as it is shown to people
 * @param why what kept it from being read
 */
export function unreadRule(name: string, source: string, why: string): Rule {
  const message = `${source} cannot be read (${why}), and what it forbids is not known: everything that a guard rule may forbid is denied until it can be read. A person makes it readable (\`chmod u+r\`), mends it or removes it.`;
  const [enabled, shadow, tools, action] = [true, false, null, "block"] as const;
  return { name, enabled, shadow, events: ["all"], tools, conditions: [], action, message, source };
}

/** The name in a rule file's name; null: it is no rule file. */
export function ruleFileName(file: string): string | null {
  return /^hookify\.(.+)\.local\.md$/.exec(file)?.[1] ?? null;
}
