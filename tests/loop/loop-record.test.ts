/** Law of loop-record.ts: what was written and read steps like the loop itself (SPEC section 13). */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Loop } from "../../src/core/loop.ts";
import { step } from "../../src/core/step.ts";
import { loopOf, recordOf, type LoopRecord } from "../../src/loop/loop-record.ts";
import { anyState } from "../support/loops.ts";
import { walk } from "../support/walk.ts";

const RUNS = Number(process.env["SEEDS"] ?? 150);
const again = (loop: Loop): Loop => loopOf(JSON.parse(JSON.stringify(recordOf(loop))) as LoopRecord);
const hazards = { stops: true, redirects: true, crashes: true, echoes: true, lost: true, resumes: 1 };

test("SPEC 13: a loop that an engine kept as JSON goes on as if it had stayed in memory", () => {
  fc.assert(
    fc.property(
      anyState(7, { max_iterations: 6 }),
      fc.array(fc.nat(100_000), { minLength: 20, maxLength: 80 }),
      (state, rolls) => {
        walk(state, rolls, hazards, ({ before, after, event, effects, facts }) => {
          const kept = step(again(before), event);
          expect(recordOf(kept.loop)).toEqual(recordOf(after));
          expect(kept.effects).toEqual(effects);
          expect(kept.facts).toEqual(facts);
        });
      },
    ),
    { numRuns: RUNS },
  );
});
