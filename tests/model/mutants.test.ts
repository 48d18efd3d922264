/** The laws can fail: faults planted in the runner are found, each within a bounded number of cases. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { play, plans } from "./interleavings.ts";
import { bundled, MUTANTS, type Create } from "./mutants.ts";
import { runSequence, sequences } from "./sequences.ts";

const { AOT_MODEL_MUTANTS } = process.env;
/** Cases of each kind that a fault is given; with AOT_MODEL_MUTANTS=<n> so many, and both kinds whatever is found. */
const MOST = Number(AOT_MODEL_MUTANTS ?? 400);
const SEED = 20_261_121;

/** The number of the first case that fails; null: none does. */
async function failsAt<T>(property: fc.IAsyncProperty<T>, most: number): Promise<number | null> {
  const details = await fc.check(property, { numRuns: most, seed: SEED, endOnFailure: true });
  return details.failed ? details.numRuns : null;
}

const inAnyOrder = (create: Create) =>
  fc.asyncProperty(fc.scheduler(), plans, async (scheduler, plan) => {
    const { laws, ends } = await play(scheduler, plan, create);
    for (const end of ends) if (end.kind === "failed") throw end.error;
    expect(laws.breaches).toEqual([]);
  });

const byCommands = (create: Create) =>
  fc.asyncProperty(sequences, async (sequence) => void (await runSequence(sequence, create)));

test("the runner without a fault, bundled in the same way, is found to have none", async () => {
  const create = await bundled();
  expect(await failsAt(inAnyOrder(create), 50)).toBe(null);
  expect(await failsAt(byCommands(create), 50)).toBe(null);
});

test.for(MUTANTS.map((mutant) => [mutant.name, mutant] as const))("found: %s", async ([name, mutant]) => {
  const create = await bundled(mutant);
  const orders =
    mutant.shy === true && AOT_MODEL_MUTANTS === undefined ? null : await failsAt(inAnyOrder(create), MOST);
  const isEnough = orders !== null && AOT_MODEL_MUTANTS === undefined;
  const commands = isEnough ? null : await failsAt(byCommands(create), MOST);
  if (AOT_MODEL_MUTANTS !== undefined)
    console.log(`${name}: in any order at case ${orders ?? "-"}, by commands at case ${commands ?? "-"}`);
  expect(orders ?? commands, "found in neither way").not.toBe(null);
});
