/** Every world with every seed, worked by the loop, by the plain loop and by the oracle. */
import { median, sum } from "../statistics.mjs";
import { workOracle, workPlain } from "./plain.mjs";
import { work } from "./loop-world.mjs";
import { WORLDS } from "./worlds.mjs";

export { WORLDS } from "./worlds.mjs";
export { work } from "./loop-world.mjs";
export { MOST_ATTEMPTS, workOracle, workPlain } from "./plain.mjs";

/** @returns for each world its trials: `ours`, `plain`, `oracle`, one each by seed */
export async function trials(engine, seeds, worlds = WORLDS) {
  const found = [];
  for (const world of worlds) {
    const trial = { world, ours: [], plain: [], oracle: [] };
    for (let seed = 1; seed <= seeds; seed++) {
      trial.ours.push(await work(engine, world, seed));
      trial.plain.push(workPlain(engine, world, seed));
      trial.oracle.push(workOracle(world, seed));
    }
    found.push(trial);
  }
  return found;
}

/** `attempts` and `cost`: median of those that reached the goal; NaN: none did. `spent`: attempts of all, on the average. */
export function tallyOf(runs) {
  const reached = runs.filter((run) => run.reached);
  return {
    runs: runs.length,
    reached: reached.length,
    share: reached.length / runs.length,
    attempts: median(reached.map((run) => run.attempts)),
    cost: median(reached.map((run) => run.cost)),
    spent: sum(runs.map((run) => run.attempts)) / runs.length,
  };
}

/** Medians over the seeds that both the loop and the oracle reached: attempts to the oracle's, and to what finding out takes. */
export function ratiosOf({ ours, oracle }) {
  const both = ours.flatMap((run, at) => (run.reached && oracle[at].reached ? [[run, oracle[at]]] : []));
  return {
    oracle: median(both.map(([run, known]) => run.attempts / known.attempts)),
    finding: median(both.map(([run, known]) => run.attempts / (known.attempts + known.finding))),
  };
}
