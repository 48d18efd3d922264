/**
 * Laws of the runner whatever the order in which the world answers, through crashes, resumes, stops and redirects.
 * How to try more cases, and to play a failing one again: `seeds.ts`.
 */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { storyOf } from "./disk.ts";
import { play, plans } from "./interleavings.ts";
import { casesOf, runsOf } from "./seeds.ts";

const USUAL = 2_000;

test(
  `SPEC 4-9: the runner keeps its laws in any order of things (${runsOf(USUAL)} worlds)`,
  async () => {
    const seen = { halted: 0, crashed: 0, outcomes: new Map<string, number>() };
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), plans, async (scheduler, plan) => {
        const { laws, disk, ends } = await play(scheduler, plan);
        for (const end of ends) {
          if (end.kind === "failed") throw end.error;
          if (end.kind === "crashed") seen.crashed++;
          if (end.kind !== "halted") continue;
          seen.halted++;
          const outcome = end.loop.run.halted ?? "none";
          seen.outcomes.set(outcome, (seen.outcomes.get(outcome) ?? 0) + 1);
        }
        expect(laws.breaches, storyOf(disk)).toEqual([]);
        expect(["halted", "refused"]).toContain(ends.at(-1)?.kind);
      }),
      casesOf(USUAL),
    );
    console.log(`${runsOf(USUAL)} worlds: ${seen.halted} runs halted, ${seen.crashed} crashed`, seen.outcomes);
  },
  60_000 + runsOf(USUAL) * 100,
);
