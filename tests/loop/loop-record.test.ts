/** Laws of loop-record.ts: what was written and read steps, and is worked, like the loop itself (SPEC section 13). */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { limitsIn, type Loop } from "../../src/core/loop.ts";
import { step } from "../../src/core/step.ts";
import { bindingsFor } from "../../src/core/bindings.ts";
import type { Effect } from "../../src/core/effect.ts";
import { indexIn } from "../../src/core/graph.ts";
import { isCallWanted } from "../../src/core/patience.ts";
import { at } from "../../src/core/vec.ts";
import type { TaskEffect } from "../../src/loop/hosted-loop.ts";
import { loopOf, recordFor, recordOf, type LoopRecord } from "../../src/loop/loop-record.ts";
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

/** What a worker reads of a loop for a task. */
function asked(effect: TaskEffect, loop: Loop): object {
  const { state, view, run } = loop;
  const reported = {
    objective: state.objective,
    control: state.control,
    limits: limitsIn(loop),
    spent: [run.cost_usd, run.tokens, run.id, run.started_at],
    wanted: isCallWanted(loop, run.now),
  };
  if (!("attempt" in effect)) return reported;
  const index = indexIn(view.graph, effect.attempt.atom);
  const { id, description } = at(state.atoms, index);
  return { ...reported, id, description, bindings: Object.entries(bindingsFor(state, view.graph, index)) };
}

const isTask = (effect: Effect): effect is TaskEffect =>
  ["start_attempt", "integrate", "revert", "check_base_case", "replan"].includes(effect.type);

test("SPEC 13: who performs a task is reported by a part of the loop what the whole of it says", () => {
  let tasks = 0;
  fc.assert(
    fc.property(
      anyState(7, { max_iterations: 6 }),
      fc.array(fc.nat(100_000), { minLength: 20, maxLength: 80 }),
      (state, rolls) => {
        walk(state, rolls, hazards, ({ after, effects }) => {
          for (const effect of effects.filter(isTask)) {
            const part = loopOf(JSON.parse(JSON.stringify(recordFor(effect, after))) as LoopRecord);
            expect(asked(effect, part)).toEqual(asked(effect, after));
            if (effect.type === "start_attempt") tasks++;
          }
        });
      },
    ),
    { numRuns: RUNS },
  );
  expect(tasks).toBeGreaterThan(0);
});
