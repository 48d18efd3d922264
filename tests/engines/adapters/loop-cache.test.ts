/**
 * Laws of loop-cache.ts: what is read is what was written, whoever wrote it and whatever is still known of it
 * (LOOP-CACHE-1, LOOP-CACHE-2).
 */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createLoopCache } from "../../../src/engines/adapters/loop-cache.ts";
import { claimTask, hostLoop, settleTask, type HostedLoop } from "../../../src/loop/hosted-loop.ts";
import { recordOf } from "../../../src/loop/loop-record.ts";
import { anyState, NOW, stateOf } from "../../support/loops.ts";

const MEMORY = { cost_usd: 0, active_ms: 0, attempts: {}, nogoods: [], probed: {} };
const SPEC = { memory: MEMORY, settings: { verify_each: false, confirmed: false }, terms: {} };

/** Everything of a hosted loop that is not computed from the rest. */
const plain = (hosted: HostedLoop): unknown => JSON.parse(JSON.stringify({ ...hosted, loop: recordOf(hosted.loop) }));

test("SPEC 13: workers that keep loops between steps read what was written last, by whomever", () => {
  fc.assert(
    fc.property(
      anyState(6, { max_iterations: 5 }),
      fc.array(fc.nat(1_000), { minLength: 10, maxLength: 40 }),
      fc.constantFrom(0, 3_000, 1_000_000),
      (state, dice, most_bytes) => {
        const workers = [createLoopCache(most_bytes), createLoopCache(most_bytes)] as const;
        let hosted = hostLoop("l", { ...SPEC, state }, NOW).hosted;
        let bytes = workers[0].write(hosted);
        for (const roll of dice) {
          const worker = workers[roll % 2 === 0 ? 0 : 1];
          const read = worker.read("l", Uint8Array.from(bytes));
          expect(plain(read)).toEqual(plain(hosted));
          const task = read.tasks[roll % Math.max(1, read.tasks.length)];
          if (task === undefined) break;
          const { effect } = task;
          const move =
            task.run === 0 || !("attempt" in effect)
              ? claimTask(read, task.id, { worker: "w", at: NOW })
              : settleTask(read, { task: task.id, run: task.run, entries: [ended(effect.attempt.id)] }, NOW);
          // A step that the engine never kept: its worker died, or was given up.
          const written = worker.write(move.hosted);
          if (roll % 5 === 0) continue;
          [hosted, bytes] = [move.hosted, written];
        }
      },
    ),
    { numRuns: 100 },
  );
});

const ended = (attempt: string) => ({ type: "attempt_failed", attempt, kind: "failed", reason: "dice" }) as const;

test("SPEC 13: a loop of the very same bytes is not read again; one that found no space is", () => {
  const { hosted } = hostLoop("l", { ...SPEC, state: stateOf({ atoms: [{ id: "A1" }] }) }, NOW);
  const cache = createLoopCache();
  const bytes = cache.write(hosted);
  expect(cache.read("l", bytes)).toBe(hosted);
  expect(cache.read("other", bytes)).not.toBe(hosted);
  const small = createLoopCache(1);
  expect(small.read("l", small.write(hosted))).not.toBe(hosted);
});
