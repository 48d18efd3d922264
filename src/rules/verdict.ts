/**
 * What the rules say about one action (SPEC section 12).
 *
 * RULES-VERDICT-1 a rule that blocks and could not be decided in time blocks: it is never let pass for that;
 * RULES-VERDICT-2 a block names each rule that blocks, and says why in its words;
 * RULES-VERDICT-3 a rule in shadow is recorded, and changes nothing.
 */
import { isAboutResult, matchRules, type Match } from "./match/match.ts";
import type { Rule } from "./match/rule.ts";
import type { Subject } from "./match/subject.ts";
import type { FiredAs } from "./fired.ts";
import type { RuleFile } from "./file.ts";

export interface RuleVerdict {
  /** Null: nothing blocks. */
  readonly block: string | null;
  /** Null: nothing warns. */
  readonly warning: string | null;
  readonly fired: readonly {
    readonly file: RuleFile;
    readonly rule: Rule;
    readonly as: FiredAs;
    readonly decided: boolean;
  }[];
}

const SILENT: RuleVerdict = { block: null, warning: null, fired: [] };

/** `before`: what is tried before an action, `after`: rules that look at what a tool answered. */
export type Moment = "before" | "after";

export async function judgeAction(files: readonly RuleFile[], subject: Subject, moment: Moment): Promise<RuleVerdict> {
  const byRule = new Map<Rule, RuleFile>();
  for (const file of files)
    if (file.rule?.enabled === true && isAboutResult(file.rule) === (moment === "after")) byRule.set(file.rule, file);
  const matches = await matchRules([...byRule.keys()], subject);
  if (matches.length === 0) return SILENT;
  const [blocks, warns] = [matches.filter(isEnforced("block")), matches.filter(isEnforced("warn"))];
  return {
    block: blocks.length === 0 ? null : blocks.map(messageOf).join("\n\n"),
    warning: warns.length === 0 ? null : warns.map(messageOf).join("\n\n"),
    fired: matches.flatMap(({ rule, decided }) => {
      const file = byRule.get(rule);
      const as: FiredAs = rule.shadow ? "tried" : rule.action === "block" ? "blocked" : "warned";
      return file === undefined ? [] : [{ file, rule, as, decided }];
    }),
  };
}

function isEnforced(action: Rule["action"]): (match: Match) => boolean {
  return ({ rule }) => rule.action === action && !rule.shadow;
}

/** RULES-VERDICT-2. */
function messageOf({ rule, decided }: Match): string {
  const name = `**[${rule.name}]**`;
  const said = rule.message === "" ? `The rule ${rule.name} (${rule.source}) is about this.` : rule.message;
  if (decided) return `${name}\n${said}`;
  return `${name}\nIt could not be decided in time whether this rule matches (${rule.source}): its pattern is too slow. A person can mend it: no repetition inside a repetition, no lookaround.\n${said}`;
}
