/** What the readings of an agent agree on, turns of the same rule put together (SPEC section 12). */
import type { PastCall, Position } from "./past-call.ts";
import { SEVERITIES, type Correction, type Severity, type When } from "./turn-questions.ts";
import type { Turn } from "./session.ts";

export interface Finding {
  readonly severity: Severity;
  /** What the agent did, the first time; null: none of the calls that were shown. */
  readonly call: PastCall | null;
  /** Each with the call that it is about. */
  readonly quotes: readonly { readonly text: string; readonly at: Position; readonly call: PastCall | null }[];
  /** In the person's sense, what holds for the next time; null: it was about the moment, or nobody was asked. */
  readonly rule: { readonly name: string; readonly words: string } | null;
  /** Patterns that the readings give for the rule. */
  readonly patterns: readonly (readonly When[])[];
}

export interface Agreed {
  readonly turn: Turn;
  readonly quote: string;
  readonly call: PastCall | null;
  /** Of the readings that take it for a correction; the first one's words count. */
  readonly readings: readonly Correction[];
}

/** So many readings have to agree. */
export const ENOUGH = 2;

/**
 * What of a turn most readings say. `open`: they differ, so that another one is worth its price.
 * @param readings null: no correction
 */
export function agreedOn(turn: Turn, readings: readonly (Correction | null)[]): Agreed | "open" | null {
  const found = readings.flatMap((one) => one ?? []);
  const calls = new Set(found.map(({ call }) => call));
  const most = [...calls].find((call) => found.filter((one) => one.call === call).length >= ENOUGH);
  const quiet = readings.length - found.length;
  if (quiet >= ENOUGH) return null;
  if (readings.length <= ENOUGH && most === undefined) return "open";
  const [first] = found.filter(({ call }) => call === most);
  const quote = (first ?? found[0])?.quote;
  if (found.length < ENOUGH || quote === undefined) return null;
  // Who differs on the call alone agrees on the rest.
  return {
    turn,
    quote,
    call: most ?? null,
    readings: first === undefined ? found : found.filter(({ call }) => call === most),
  };
}

/** The most severe and most frequent first. */
export function findingsOf(all: readonly Agreed[]): readonly Finding[] {
  const groups = new Map<string, Agreed[]>();
  for (const [index, one] of all.entries()) {
    const key = ruleOf(one)?.name ?? `${index}`;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()]
    .map(findingOf)
    .toSorted(
      (one, other) =>
        SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity) ||
        other.quotes.length - one.quotes.length,
    );
}

/** Half of the readings have to take it for one. */
function ruleOf({ readings }: Agreed): Correction["rule"] {
  const rules = readings.flatMap(({ rule }) => rule ?? []);
  return rules.length * 2 < readings.length ? null : (rules[0] ?? null);
}

function findingOf(group: readonly Agreed[]): Finding {
  const readings = group.flatMap((one) => one.readings);
  const rule = group.map(ruleOf).find((one) => one !== null) ?? null;
  const patterns = readings.flatMap((one) => (one.rule === null || one.rule.when.length === 0 ? [] : [one.rule.when]));
  return {
    severity: SEVERITIES.find((severity) => readings.some((one) => one.severity === severity)) ?? "medium",
    call: group.find(({ call }) => call !== null)?.call ?? null,
    quotes: group.map(({ quote, turn, call }) => ({ text: quote, at: turn.at, call })),
    rule: rule === null ? null : { name: rule.name, words: rule.words },
    patterns: rule === null ? [] : [...new Map(patterns.map((one) => [JSON.stringify(one), one])).values()],
  };
}
