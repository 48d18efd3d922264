/**
 * One pattern on one text, in bounded time (SPEC section 12). Node's engine answers; where it takes too long the linear
 * one does, and where that one cannot the answer is that there is none.
 *
 * T1 whatever is answered true or false is what Python's engine would answer, given the time;
 * T2 a pattern that nobody can decide in time costs 100 ms at most, and after the first such one the others cost nothing;
 * T3 "not decided" is an answer of its own: who asks must not take it for a no.
 */
import { bounded } from "./bounded.ts";
import type { LinearEngine } from "./linear.ts";
import type { Pattern } from "./rule.ts";

/** null: not decided (T3). */
export type Truth = boolean | null;

/** For all patterns together, as long as none of them is slow. */
export const FIRST_LIMIT_MS = 15;
/** For one pattern that the linear engine cannot do. A busy machine may use up the first of the two tries. */
const SECOND_LIMIT_MS = 35;
const SECOND_TRIES = 2;
/** Up to here the linear engine needs no limit: it takes about 100 ms for a million characters. */
const LINEAR_LENGTH = 100_000;
/** Patterns found slow until all others are asked one by one. */
const PATIENCE = 2;

export interface TextFacts {
  readonly ascii: boolean;
  readonly lower: string;
}

export interface Trial {
  readonly facts: Map<string, TextFacts>;
  /** What was decided apart, because Node's engine took too long. */
  readonly decided: Map<Pattern, Map<string, Truth>>;
  /** What Node's engine is at. */
  current: { readonly pattern: Pattern; readonly text: string } | null;
  /** Characters that were looked at since the clock was set. */
  volume: number;
  slow: number;
  lost: number;
  linear: LinearEngine | null;
}

export function newTrial(): Trial {
  return { facts: new Map(), decided: new Map(), current: null, volume: 0, slow: 0, lost: 0, linear: null };
}

/** True: each pattern is decided apart from now on, and no clock runs over several. */
export function isCareful(trial: Trial): boolean {
  return trial.slow >= PATIENCE && trial.linear !== null;
}

/** Whether the regular expression is found in the text. */
export function isFound(trial: Trial, pattern: Pattern, text: string): Truth {
  const facts = factsOf(trial, text);
  if (facts.ascii && pattern.needs?.every((needed) => !facts.lower.includes(needed)) === true) return false;
  const known = trial.decided.get(pattern)?.get(text);
  if (known !== undefined) return known;
  if (isCareful(trial)) return decideApart(trial, pattern, text);
  trial.current = { pattern, text };
  trial.volume += text.length;
  const found = engineOf(pattern, facts.ascii).test(text);
  trial.current = null;
  return found;
}

export function factsOf(trial: Trial, text: string): TextFacts {
  const known = trial.facts.get(text);
  if (known !== undefined) return known;
  // oxlint-disable-next-line no-control-regex
  const facts = { ascii: /^[\x00-\x7f]*$/.test(text), lower: text.toLowerCase() };
  trial.facts.set(text, facts);
  return facts;
}

/** Decides what Node's engine was at when its time was up; `trial.linear` is loaded. */
export function decideApart(trial: Trial, pattern: Pattern, text: string): Truth {
  const answer = decide(trial, pattern, text);
  const answers = trial.decided.get(pattern) ?? new Map<string, Truth>();
  trial.decided.set(pattern, answers.set(text, answer));
  if (answer === null) trial.lost++;
  return answer;
}

function decide(trial: Trial, pattern: Pattern, text: string): Truth {
  const { ascii } = factsOf(trial, text);
  const test = ascii ? (trial.linear?.(pattern) ?? null) : null;
  if (test !== null && text.length <= LINEAR_LENGTH) return test(text);
  if (trial.lost > 0) return null;
  const engine = test ?? ((value: string) => engineOf(pattern, ascii).test(value));
  for (let tries = 0; tries < SECOND_TRIES; tries++) {
    const found = bounded(() => engine(text), SECOND_LIMIT_MS);
    if (found !== null) return found.value;
  }
  return null;
}

const engines = new WeakMap<Pattern, { ascii?: RegExp; unicode?: RegExp }>();

function engineOf(pattern: Pattern, ascii: boolean): RegExp {
  const made = engines.get(pattern) ?? {};
  engines.set(pattern, made);
  return ascii
    ? (made.ascii ??= new RegExp(pattern.ascii ?? "", "i"))
    : (made.unicode ??= new RegExp(pattern.unicode ?? "", "iv"));
}
