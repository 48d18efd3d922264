/** The corpus worked under each rule, and how often its stops were right. */
import { intervalOf as wilson, median, sum } from "../statistics.mjs";
import { BEHAVIOURS, scenarioOf } from "./behaviours.mjs";
import { PLAIN, REFINEMENTS } from "./rules.mjs";
import { work } from "./scripted.mjs";

export { APART, BEHAVIOURS, COMBINATIONS } from "./behaviours.mjs";
export { SPECIFIED } from "./rules.mjs";
export { work } from "./scripted.mjs";

/** Iterations after which a scenario that ends has ended, whatever its luck. */
const AMPLE = 1_000;

/** The product first: it counts for itself. */
export const RULES = { ours: undefined, plain: PLAIN, ...REFINEMENTS };

/**
 * A scenario and its label: whether the goal is reached within the fuel if nothing but the fuel stops it.
 * One that ends gets a quarter to five quarters more fuel than it needs.
 * @returns scenario with its fuel; `onset`: the iteration since which nothing useful happens, null for one that ends;
 *   `free`: how it halts without a stall limit, and which of the rules would have had a say
 */
export function labelled(engine, behaviour, number, rules = {}) {
  const scenario = scenarioOf(behaviour, number);
  const limits = { fuel: scenario.hopeless ? scenario.fuel : AMPLE, stall: Infinity };
  const free = work(engine, scenario, limits, { watchers: rules });
  if (free.outcome !== (scenario.hopeless ? "max_iterations" : "verified"))
    throw new Error(
      `${scenario.name} is labelled ${scenario.hopeless ? "hopeless" : "ending"} and halts as ${free.outcome}`,
    );
  const fuel = scenario.hopeless ? scenario.fuel : Math.ceil(free.iterations * scenario.spare) + 1;
  return { ...scenario, fuel, onset: free.onset, free };
}

/** One scenario under one rule; undefined: the product as it is. */
export function trialOf(engine, scenario, rule) {
  return trialFrom(scenario, work(engine, scenario, { fuel: scenario.fuel, stall: scenario.limit }, { rule }));
}

function trialFrom({ behaviour, limit, slots, hopeless, onset }, { outcome, iterations }) {
  return { behaviour, limit, slots, hopeless, onset, outcome, stopped: outcome === "stalled", iterations };
}

/**
 * All trials of the corpus.
 * @param count scenarios of each behaviour; a multiple of COMBINATIONS has each of them equally often
 * @param from `first`: number of the first scenario, other numbers are another corpus; `behaviours`: which
 * @returns by the rule's name
 */
export function trials(engine, count, rules = RULES, { first = 0, behaviours = BEHAVIOURS } = {}) {
  const found = Object.fromEntries(Object.keys(rules).map((name) => [name, []]));
  const watchers = Object.fromEntries(Object.entries(rules).filter(([, rule]) => rule !== undefined));
  for (const behaviour of behaviours)
    for (let number = first; number < first + count; number++) {
      const scenario = labelled(engine, behaviour, number, watchers);
      for (const [name, rule] of Object.entries(rules)) {
        // A rule that never had a say has changed nothing.
        const silent = rule !== undefined && !scenario.free.alarmed.has(name);
        found[name].push(silent ? trialFrom(scenario, scenario.free) : trialOf(engine, scenario, rule));
      }
    }
  return found;
}

/**
 * Counts, and what follows from them. `precision`: stops that were right; `recall`: hopeless runs that were stopped;
 * NaN where there is nothing to divide by. `wasted`: iterations from the onset to the halt, median of the hopeless runs,
 * those that spent their fuel included. `early`: hopeless runs stopped while something useful was still to come.
 */
export function tallyOf(trials) {
  const hopeless = trials.filter((trial) => trial.hopeless);
  const right = hopeless.filter((trial) => trial.stopped).length;
  const wrong = trials.filter((trial) => trial.stopped && !trial.hopeless).length;
  return {
    runs: trials.length,
    hopeless: hopeless.length,
    right,
    wrong,
    missed: hopeless.length - right,
    early: hopeless.filter((trial) => trial.stopped && trial.iterations < trial.onset).length,
    precision: right / (right + wrong),
    recall: right / hopeless.length,
    wasted: median(hopeless.map((trial) => Math.max(0, trial.iterations - trial.onset))),
    spent: sum(trials.map((trial) => trial.iterations)),
  };
}

/** The 95 % interval of a share (Wilson), in whole per cent; null without a count. */
export function intervalOf(part, total) {
  return total === 0 ? null : wilson(part, total).map((bound) => Math.round(100 * bound));
}
