/**
 * Which rules fire on an action (SPEC section 12).
 *
 * MATCH-1 a rule fires when it is for the event and the tool and all of its conditions hold;
 * MATCH-2 a condition on a field that is not there does not hold, whatever its operator;
 * MATCH-3 one rule never keeps another from firing, and the time is bounded whatever the patterns are (TRIAL-2);
 * MATCH-4 a rule that could not be decided in time is reported as such, so that one that blocks need not let the action
 *    pass.
 */
import { bounded } from "./bounded.ts";
import type { Condition, Operator, Pattern, Rule } from "./rule.ts";
import { isResultField, type Subject } from "./subject.ts";
import {
  decideApart,
  factsOf,
  firstLimit,
  isCareful,
  isFound,
  needsLinear,
  newTrial,
  prepare,
  type Trial,
  type Truth,
} from "./trial.ts";

export interface Match {
  readonly rule: Rule;
  /** False: it could not be decided in time (MATCH-4). */
  readonly decided: boolean;
}

/** Characters that Node's engine looks at under one clock: a third of the limit, where nothing is slow. */
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
  const trial = newTrial();
  const limit = firstLimit(longestOf(values, trial));
  for (const rule of concerned) for (const condition of rule.conditions) makeReady(condition, values, trial);
  const truths: Truth[] = [];
  const goOn = (): void => {
    trial.volume = 0;
    trial.current = null;
    while (truths.length < concerned.length && trial.volume < MOST_CHARACTERS)
      truths.push(holds(concerned[truths.length], values, trial));
  };
  while (truths.length < concerned.length) {
    if (isCareful(trial)) {
      goOn();
      continue;
    }
    const before = truths.length;
    if (bounded(goOn, limit) !== null) continue;
    const { current } = trial;
    // Many patterns had it together, none of them all of it.
    if (current === null && truths.length > before) continue;
    trial.slow++;
    if (needsLinear(trial)) trial.linear = await (await import("./linear.ts")).loadLinear();
    if (current !== null) decideApart(trial, current.pattern, current.text, true);
  }
  return concerned.flatMap((rule, at) => (truths[at] === false ? [] : [{ rule, decided: truths[at] === true }]));
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

type Values = ReadonlyMap<string, readonly string[] | null>;

/** Read before the clock runs: a field may be a file. */
function valuesOf(rules: readonly Rule[], subject: Subject): Values {
  const values = new Map<string, readonly string[] | null>();
  for (const { conditions } of rules)
    for (const { field } of conditions) if (!values.has(field)) values.set(field, subject.valuesOf(field));
  return values;
}

/** Length of the longest text; what has to be known of each is found out before the clock runs, too. */
function longestOf(values: Values, trial: Trial): number {
  let longest = 0;
  for (const texts of values.values())
    for (const text of texts ?? []) {
      factsOf(trial, text);
      longest = Math.max(longest, text.length);
    }
  return longest;
}

function makeReady({ field, operator, patterns }: Condition, values: Values, trial: Trial): void {
  if (operator !== "regex_match" && operator !== "not_regex_match") return;
  for (const text of values.get(field) ?? []) for (const pattern of patterns) prepare(trial, pattern, text);
}

function holds(rule: Rule | undefined, values: Values, trial: Trial): Truth {
  let truth: Truth = true;
  for (const condition of rule?.conditions ?? []) {
    const one = conditionHolds(condition, values.get(condition.field) ?? null, trial);
    if (one === false) return false;
    if (one === null) truth = null;
  }
  return truth;
}

function conditionHolds(condition: Condition, values: readonly string[] | null, trial: Trial): Truth {
  // MATCH-2
  if (values === null) return false;
  const { operator, patterns } = condition;
  let any: Truth = false;
  for (const text of values)
    for (const pattern of patterns) {
      const one = fits(operator, pattern, text, trial);
      if (one === true) return !isNegated(operator);
      if (one === null) any = null;
    }
  return any === null ? null : isNegated(operator);
}

function isNegated(operator: Operator): boolean {
  return operator === "not_regex_match" || operator === "not_contains";
}

function fits(operator: Operator, pattern: Pattern, text: string, trial: Trial): Truth {
  switch (operator) {
    case "regex_match":
    case "not_regex_match":
      return isFound(trial, pattern, text);
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
