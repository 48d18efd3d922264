/**
 * How likely a verdict is luck, and how often a check is run (SPEC section 6). Pure mathematics.
 *
 * The hypothesis: the work has no effect on a check that was red first, and each run of it passes with the same unknown
 * probability `q`, whatever the other runs said.
 *
 * LUCK-1 the chance that this verdict of the loop, or an earlier one, is true by luck is at most `luckOf`, for every `q`. Behind
 *    `reds` red runs each verdict is lucky with q^passes, else it met a red, or was flaky and then wants more passes;
 * LUCK-2 where nobody says a trust no chance is too large, and PASSES runs have to pass. With a trust the chance of all verdicts
 *    together stays below it, with the fewest runs that keep it; of as many, the fewest are at the verdict;
 * LUCK-3 with a trust, the fewer reds there are the more passes are wanted. A pass on a tree on which the check failed as well
 *    wants PENALTY more;
 * LUCK-4 a check that was flaky is not believed before it was red FLAKY_REDS times on one tree, nor any that wants more than
 *    MOST_RUNS.
 */

/** Nobody says one: every chance is accepted. */
export const TRUST = 1;
/** What can be asked for beside 0, which runs each check once. */
const LEAST_TRUST = 1e-6;
/** Of each check before the work, where nobody waits for them. */
export const FREE_REDS = 8;
const PASSES = 2;
const PENALTY = 4;
export const FLAKY_REDS = 4;
/** In one verdict. */
const MOST_RUNS = 100;

/** What was seen of a check in all runs of the loop. */
export interface Seen {
  /** It passed where it was first run, so that nothing is bounded: it is believed at once as long as it was never flaky. */
  readonly green: boolean;
  /** On its first tree, before it was run on another one. */
  readonly reds: number;
  /** On one tree on which it never passed. */
  readonly most_reds: number;
  /** Trees behind its first one, that of this verdict included. */
  readonly chances: number;
  /** Passes on trees on which it failed as well. */
  readonly wasted: number;
}

/** How often a check is to be red before the work, FREE_REDS times at most. @param trust not 0 */
export function redsWanted(trust: number): number {
  if (trust >= TRUST) return 1;
  let fewest = { reds: FREE_REDS, passes: Infinity };
  for (let { reds } = fewest; reds > 0; reds--) {
    const passes = leastPasses(trust, reds);
    if (passes > MOST_RUNS) break;
    if (reds + passes < fewest.reds + fewest.passes) fewest = { reds, passes };
  }
  return fewest.reds;
}

/** How often a check has to pass on a tree; null: it is not believed. @param trust 0: once, and nothing is bounded */
export function passesWanted(trust: number, { green, reds, most_reds, wasted }: Seen): number | null {
  if (!(trust > 0) || (green && wasted === 0)) return 1;
  const wanted = (green ? PASSES : leastPasses(trust, reds)) + PENALTY * wasted;
  const isUnseen = wasted > 0 && !green && most_reds < FLAKY_REDS;
  return isUnseen || wanted > MOST_RUNS ? null : wanted;
}

/** LUCK-1, of a check that was red first; 0: it is not believed. */
export function luckOf(trust: number, { reds, chances }: Seen): number {
  const passes = leastPasses(trust, reds);
  return passes > MOST_RUNS ? 0 : chanceOf(reds, passes, chances);
}

/** What each child of an any_of takes of a trust: one lucky child is enough. */
export function shareOf(trust: number, children: number): number {
  return trust >= TRUST ? trust : trust / children;
}

/** Verdicts that no loop reaches. */
const ALL = 1_000;

function leastPasses(trust: number, reds: number): number {
  if (trust >= TRUST) return PASSES;
  const most = Math.max(LEAST_TRUST, trust);
  for (let passes = 1; ; passes++) if (passes > MOST_RUNS || chanceOf(reds, passes, ALL) <= most) return passes;
}

/** `q` from 0 to 1 in so many intervals; in each, every factor is taken where it is largest, so that a bound comes out. */
const INTERVALS = 5_000;
const known = new Map<string, number>();

/** The largest chance, over all `q`, that one of so many verdicts is true by luck. */
function chanceOf(reds: number, passes: number, verdicts: number): number {
  const key = `${reds} ${passes} ${verdicts}`;
  let most = known.get(key);
  if (most !== undefined) return most;
  most = 0;
  for (let at = 0; at < INTERVALS; at++)
    most = Math.max(most, chanceBetween(at / INTERVALS, (at + 1) / INTERVALS, { reds, passes, verdicts }));
  known.set(key, most);
  return most;
}

/**
 * LUCK-1. A tree on which it was not lucky met a red first, or passed before one, or after one: each of these passes makes the
 * end less likely by q^PENALTY. Before the work it is red all the time, or flaky: then it waits for a tree that is red
 * FLAKY_REDS times, and each one that passes in between is flaky as well.
 */
function chanceBetween(
  low: number,
  high: number,
  { reds, passes, verdicts }: Readonly<Record<"reds" | "passes" | "verdicts", number>>,
): number {
  const red = 1 - low;
  const again = red / (1 - low ** (PENALTY + 1)) + red * high ** PENALTY;
  const firm = red ** (reds - 1) * sumOf(again, verdicts);
  const waited = red ** (FLAKY_REDS - 1) / (1 - low ** PENALTY);
  const flaky = (1 - (1 - high) ** (reds - 1)) * high ** PENALTY * waited * sumOf(again, verdicts - 1);
  return red * high ** passes * (firm + flaky);
}

/** 1 + ratio + ratio^2 + ..., so many summands. */
function sumOf(ratio: number, summands: number): number {
  return Math.abs(1 - ratio) < 1e-9 ? summands : (1 - ratio ** summands) / (1 - ratio);
}
