/**
 * The runner against a small model of it (`ledger.ts`, `model.ts`), one command at a time: what it says and does is
 * what the model allows, and what it would leave to the next run is what the model knows, after every command.
 * How to try more cases, and to play a failing one again: `seeds.ts`.
 */
import * as fc from "fast-check";
import { test } from "vitest";
import { casesOf, runsOf } from "./seeds.ts";
import { runSequence, sequences } from "./sequences.ts";

const USUAL = 400;

test(
  `SPEC 3-8: what the runner does is what the model allows (${runsOf(USUAL)} sequences of commands)`,
  async () => {
    const ends = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(sequences, async (sequence) => {
        const end = await runSequence(sequence);
        ends.set(end, (ends.get(end) ?? 0) + 1);
      }),
      casesOf(USUAL),
    );
    console.log(`${runsOf(USUAL)} sequences`, ends);
  },
  60_000 + runsOf(USUAL) * 100,
);
