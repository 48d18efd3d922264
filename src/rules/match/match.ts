/**
 * Which rules fire on an action (SPEC section 12).
 *
 * MATCH-1 a rule fires when it is for the event and the tool and all of its conditions hold;
 * MATCH-2 a condition on a field that is not there does not hold, whatever its operator;
 * MATCH-3 one rule never keeps another from firing, and the time is bounded whatever the patterns are (DECIDE-2);
 * MATCH-4 a rule that could not be decided in time is reported as such, so that one that blocks need not let the action
 *    pass.
 */
import { bounded } from "./bounded.ts";
import { decideByNode, patientDecide, timeFor, textOf, type Decide, type Text, type Truth } from "./decide.ts";
import type { Condition, Operator, Pattern, Rule } from "./rule.ts";
import { isResultField, type Subject } from "./subject.ts";

export interface Match {
  readonly rule: Rule;
  /** False: it could not be decided in time (MATCH-4). */
  readonly decided: boolean;
}

/** Characters that all rules look at under one clock. */
const MOST_CHARACTERS = 500_000;

/**
 * The rules that fire, in the order given. It does not look at `enabled` nor at `shadow`: leave out what is not to be
 * tried, and enforce no rule that is in shadow.
 *
 * @param rules as `readRule` gives them; the same objects again cost less
 * @param subject from `toolSubject`, `promptSubject` or `stopSubject`
 */
export async function matchRules(rules: readonly Rule[], subject: Subject): Promise<readonly Match[]> {
  const concerned = rules.filter((rule) => isFor(rule, subject));
  if (concerned.length === 0) return [];
  const values = valuesOf(concerned, subject);
  const characters = concerned.length * Math.max(0, ...[...values.values()].flatMap(lengths));
  const together = (): Truth[] => concerned.map((rule) => holds(rule, values, decideByNode));
  // A clock costs more than most rules do.
  const quick = characters > MOST_CHARACTERS ? null : bounded(together, timeFor(characters));
  const decide = quick?.value.includes(null) === false ? decideByNode : await patientDecide();
  return concerned.flatMap((rule, at) => {
    const truth = quick?.value[at] ?? holds(rule, values, decide);
    return truth === false ? [] : [{ rule, decided: truth === true }];
  });
}

/** Whether the rule is tried on such an action at all: event and tool. */
export function isFor(rule: Pick<Rule, "events" | "tools">, subject: Subject): boolean {
  const { event, tool } = subject;
  if (rule.tools !== null && !rule.tools.includes("*") && !rule.tools.includes(tool)) return false;
  return rule.events.some((one) => one === "all" || one === event);
}

/** Whether the rule is about what a tool answered, so that it is tried when the call is over. */
export function isAboutResult(rule: Rule): boolean {
  return rule.conditions.some(({ field }) => isResultField(field));
}

type Values = ReadonlyMap<string, readonly Text[] | null>;

/** Read before the clock runs: a field may be a file. */
function valuesOf(rules: readonly Rule[], subject: Subject): Values {
  const values = new Map<string, readonly Text[] | null>();
  for (const { conditions } of rules)
    for (const { field } of conditions)
      if (!values.has(field)) values.set(field, subject.valuesOf(field)?.map(textOf) ?? null);
  return values;
}

function lengths(texts: readonly Text[] | null): readonly number[] {
  return (texts ?? []).map(({ text }) => text.length);
}

function holds(rule: Rule, values: Values, decide: Decide): Truth {
  let truth: Truth = true;
  for (const condition of rule.conditions) {
    const one = conditionHolds(condition, values.get(condition.field) ?? null, decide);
    if (one === false) return false;
    if (one === null) truth = null;
  }
  return truth;
}

function conditionHolds(condition: Condition, values: readonly Text[] | null, decide: Decide): Truth {
  // MATCH-2
  if (values === null) return false;
  const { operator, patterns } = condition;
  let any: Truth = false;
  for (const text of values)
    for (const pattern of patterns) {
      const one = fits(operator, pattern, text, decide);
      if (one === true) return !isNegated(operator);
      if (one === null) any = null;
    }
  return any === null ? null : isNegated(operator);
}

function isNegated(operator: Operator): boolean {
  return operator === "not_regex_match" || operator === "not_contains";
}

function fits(operator: Operator, pattern: Pattern, of: Text, decide: Decide): Truth {
  const { text } = of;
  switch (operator) {
    case "regex_match":
    case "not_regex_match":
      return decide(pattern, of);
    case "contains":
    case "not_contains":
      return text.includes(pattern.text);
    case "equals":
      return text === pattern.text;
    case "starts_with":
      return text.startsWith(pattern.text);
    case "ends_with":
      return text.endsWith(pattern.text);
  }
}
