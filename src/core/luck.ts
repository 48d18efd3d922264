/**
 * How often a check is run, so that hardly any verdict is true by luck (SPEC section 6). Pure mathematics.
 *
 * The hypothesis: the work has no effect on a check that was red first, and each run of it passes with the same unknown
 * probability `q`, whatever the other runs said. `reds` are runs that failed on one tree, none of which passed;
 * `wasted` are passes on trees on which it failed as well: it was flaky there.
 *
 * LUCK-1 over all verdicts that a loop may ever make the chance that one is true by luck is at most `p`, for every `q`.
 *    No number of verdicts has to be known, since each red at a later verdict is evidence, too: a verdict is lucky with
 *    q^passes, else it met a red (1-q), or was flaky, and then wants more passes. All verdicts between two flaky ones
 *    together are lucky with at most q^passes / q (`byLuck`);
 * LUCK-2 no fewer runs (those at alignment and those at the first verdict together) keep LUCK-1; of as many, the fewest
 *    are at the verdict;
 * LUCK-3 the fewer reds alignment saw, the more passes are wanted; each wasted pass wants `penalty` more;
 * LUCK-4 a check that was flaky is not believed before it was red `reds` times on one tree, nor where it wants more than
 *    MOST_RUNS.
 */

/** The chance of a verdict by luck that is accepted where nobody says another. */
export const TRUST = 0.01;
/** What can be asked for beside 0, which runs each check once. */
const LEAST_TRUST = 1e-6;
export const MOST_TRUST = 0.5;
/** Of a check that was flaky, in one verdict. */
export const MOST_RUNS = 100;

export interface RunPlan {
  /** How often it is to be red on one tree. */
  readonly reds: number;
  /** How often it has to pass on one tree after that. */
  readonly passes: number;
  /** LUCK-3: passes wanted after 1, 2, ... reds, fewer than `reds`. */
  readonly afterFewer: readonly number[];
  readonly penalty: number;
  /** LUCK-1; null: there is no bound. */
  readonly p: number | null;
}

/** What was seen of a check in all runs of the loop. */
export interface Seen {
  /** It passed where it was first run, so that nothing is bounded: it is believed at once as long as it was never flaky. */
  readonly green: boolean;
  /** The most on one tree. */
  readonly reds: number;
  readonly wasted: number;
}

const ONCE: RunPlan = { reds: 1, passes: 1, afterFewer: [], penalty: 0, p: null };

const plans = new Map<number, RunPlan>();

/** @param trust the chance that is accepted for this check; 0: each check is run once, and nothing is bounded */
export function runPlan(trust: number): RunPlan {
  if (!(trust > 0)) return ONCE;
  const plan = plans.get(trust) ?? makePlan(Math.min(MOST_TRUST, Math.max(LEAST_TRUST, trust)));
  plans.set(trust, plan);
  return plan;
}

/** How often a check has to pass on a tree; null: it is not believed (LUCK-4). */
export function passesWanted(plan: RunPlan, { green, reds, wasted }: Seen): number | null {
  if (plan.p === null || (green && wasted === 0)) return 1;
  const least = (green ? undefined : plan.afterFewer[reds - 1]) ?? plan.passes;
  if (wasted === 0) return least;
  const wanted = least + plan.penalty * wasted;
  return (!green && reds < plan.reds) || wanted > MOST_RUNS ? null : wanted;
}

/** `q` from 0 to 1 in so many intervals; in each, every factor is taken where it is largest, so that a bound comes out. */
const INTERVALS = 3_000;
/** The part of the trust that is kept for LUCK-3. */
const TRUST_KEPT = 0.02;
/** So large that its passes are never lucky. */
const NO_SECOND_CHANCE = 64;

function makePlan(trust: number): RunPlan {
  const { reds, passes } = fewest(trust * (1 - TRUST_KEPT));
  const goal = (worst(byLuck(reds, passes, NO_SECOND_CHANCE)) + trust) / 2;
  const penalty = first((n) => worst(byLuck(reds, passes, n)) <= goal);
  const known = byLuck(reds, passes, penalty);
  const afterFewer = Array.from({ length: reds - 1 }, (_, at) =>
    first((n) => worst((low, high) => known(low, high) + (1 - low) ** (at + 1) * high ** (n - 1)) <= trust),
  );
  return { reds, passes, afterFewer, penalty, p: worst(known) };
}

/** LUCK-2. */
function fewest(trust: number): Pick<RunPlan, "reds" | "passes"> {
  for (let runs = 2; ; runs++)
    for (let passes = 1; passes < runs; passes++)
      if (worst(byLuck(runs - passes, passes, NO_SECOND_CHANCE)) <= trust) return { reds: runs - passes, passes };
}

/** The chance for a `q` between two numbers, or more. */
type Chance = (low: number, high: number) => number;

/**
 * LUCK-1. The first run is red; so are the `reds - 1` behind it, or it is flaky and tried again on a later tree that is
 * red. With `k` passes wasted it takes `passes + k * penalty` passes.
 */
function byLuck(reds: number, passes: number, penalty: number): Chance {
  return (low, high) => {
    const last = (1 - low ** penalty) / (1 - low);
    const others = (1 - low) ** (reds - 1);
    const again = (1 - (1 - high) ** (reds - 1)) * high ** penalty;
    const tries = Math.min(others / (1 - again), reds > 1 ? (1 - low) ** (reds - 2) / last : 1);
    return (high ** (passes - 1) * tries) / last;
  };
}

function worst(chance: Chance): number {
  let most = 0;
  // Closer to each other the closer to 1.
  const q = (at: number): number => 1 - (1 - at / INTERVALS) ** 3;
  for (let at = 0; at < INTERVALS; at++) most = Math.max(most, chance(q(at), q(at + 1)));
  return most;
}

/** The least number from 1 on of which it is true; it is true of every larger one. */
function first(isTrue: (n: number) => boolean): number {
  let high = 1;
  while (!isTrue(high)) high *= 2;
  let low = Math.floor(high / 2);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isTrue(middle)) high = middle;
    else low = middle;
  }
  return high;
}
