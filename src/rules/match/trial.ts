/**
 * One pattern on one text, in bounded time (SPEC section 12). Node's engine answers; where it takes too long the linear
 * one does, and where that one cannot the answer is that there is none.
 *
 * TRIAL-1 whatever is answered true or false is what Python's engine would answer, given the time;
 * TRIAL-2 on a text of usual length a pattern that traps Node's engine costs less than 100 ms, one that nobody can
 *    decide too, and every further one less; a text of a megabyte may cost a third of a second more;
 * TRIAL-3 "not decided" is an answer of its own: who asks must not take it for a no.
 */
import { bounded } from "./bounded.ts";
import type { LinearEngine } from "./linear.ts";
import type { Pattern } from "./rule.ts";

/** null: not decided (TRIAL-3). */
export type Truth = boolean | null;

/** For all patterns together, as long as none of them is slow. */
const FIRST_LIMIT_MS = 15;
/** For one pattern that the linear engine cannot do. */
const SECOND_LIMIT_MS = 50;
/** Node's engine looks at 100 characters in a microsecond and more, where it is not trapped. */
const MS_PER_CHARACTER = 0.000_05;
const LINEAR_MS_PER_CHARACTER = 0.000_25;
/** Up to here the linear engine needs no limit. */
const LINEAR_LENGTH = 100_000;
/** Up to here it is quicker than finding out that Node's is trapped. */
const LINEAR_FIRST_LENGTH = 4000;
/** Patterns found slow until all others are asked one by one. */
const MOST_SLOW = 2;
/** Looking for a piece of text costs that part of looking for a pattern. */
const PIECE_VOLUME = 0.25;

/** How long Node's engine may take for all patterns together, the longest of the texts being that long. */
export function firstLimit(longest: number): number {
  return Math.ceil(FIRST_LIMIT_MS + longest * MS_PER_CHARACTER);
}

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
  return trial.slow >= MOST_SLOW;
}

/** Whether the linear engine may be asked from now on: who loads it has to wait for that. */
export function needsLinear(trial: Trial): boolean {
  return (
    trial.linear === null && (isCareful(trial) || (trial.current !== null && trial.current.pattern.linear !== false))
  );
}

/** Whether the regular expression is found in the text. */
export function isFound(trial: Trial, pattern: Pattern, text: string): Truth {
  const facts = factsOf(trial, text);
  if (pattern.needs !== undefined) {
    trial.volume += text.length * PIECE_VOLUME;
    if (lacks(pattern.needs, facts)) return false;
  }
  const known = trial.decided.get(pattern)?.get(text);
  if (known !== undefined) return known;
  if (isCareful(trial)) return decideApart(trial, pattern, text, false);
  trial.current = { pattern, text };
  trial.volume += text.length;
  const found = engineOf(pattern, facts.ascii).test(text);
  trial.current = null;
  return found;
}

/** Whether a pattern that needs one of these cannot match the text. */
export function lacks(needs: readonly string[], { lower }: TextFacts): boolean {
  for (const needed of needs) if (lower.includes(needed)) return false;
  return true;
}

export function textFacts(text: string): TextFacts {
  // oxlint-disable-next-line no-control-regex
  const ascii = /^[\x00-\x7f]*$/.test(text);
  return { ascii, lower: ascii ? text.toLowerCase() : folded(text) };
}

/** In small letters, with ASCII letters for the few others that are the same letter to an engine that ignores case. */
function folded(text: string): string {
  return text.toLowerCase().replaceAll("\u017f", "s").replaceAll("\u0131", "i").replaceAll("i\u0307", "i");
}

/**
 * Makes the engine ready outside of any clock: for text beyond ASCII that takes longer than the search. V8 does it once for
 * texts of one byte a character and once for others, at the first search coarsely, at the second for good.
 */
export function prepare(trial: Trial, pattern: Pattern, text: string): void {
  const facts = factsOf(trial, text);
  if (facts.ascii || (pattern.needs !== undefined && lacks(pattern.needs, facts))) return;
  const engine = engineOf(pattern, false);
  const sample = /^[\x00-\xff]*$/.test(text) ? "\u00e9" : "\u0100";
  for (let times = 0; times < 2; times++) engine.test(sample);
}

export function factsOf(trial: Trial, text: string): TextFacts {
  const known = trial.facts.get(text);
  if (known !== undefined) return known;
  const facts = textFacts(text);
  trial.facts.set(text, facts);
  return facts;
}

/**
 * Decides it apart from all other patterns; `trial.linear` is loaded.
 * @param trapped Node's engine was at it when its time was up
 */
export function decideApart(trial: Trial, pattern: Pattern, text: string, trapped: boolean): Truth {
  const answer = decide(trial, pattern, text, trapped);
  const answers = trial.decided.get(pattern) ?? new Map<string, Truth>();
  trial.decided.set(pattern, answers.set(text, answer));
  if (answer === null) trial.lost++;
  return answer;
}

function decide(trial: Trial, pattern: Pattern, text: string, trapped: boolean): Truth {
  const { ascii } = factsOf(trial, text);
  const linear = ascii && pattern.linear !== false ? (trial.linear?.(pattern) ?? null) : null;
  if (linear === null || !(trapped || text.length <= LINEAR_FIRST_LENGTH)) {
    const patient = linear === null && trial.lost === 0;
    const limit = (patient ? SECOND_LIMIT_MS : FIRST_LIMIT_MS) + text.length * MS_PER_CHARACTER;
    const found = bounded(() => engineOf(pattern, ascii).test(text), Math.ceil(limit));
    if (found !== null) return found.value;
  }
  if (linear === null) return null;
  if (text.length <= LINEAR_LENGTH) return linear(text);
  const limit = Math.ceil(SECOND_LIMIT_MS + text.length * LINEAR_MS_PER_CHARACTER);
  return bounded(() => linear(text), limit)?.value ?? null;
}

const engines = new WeakMap<Pattern, { ascii?: RegExp; unicode?: RegExp }>();

function engineOf(pattern: Pattern, ascii: boolean): RegExp {
  const made = engines.get(pattern) ?? {};
  engines.set(pattern, made);
  return ascii
    ? (made.ascii ??= new RegExp(pattern.ascii ?? "", "i"))
    : (made.unicode ??= new RegExp(pattern.unicode ?? "", "iv"));
}
