/** The stall detector on a corpus of labelled runs: how often its stops are right, beside the seeds' plain counter. */
import { createLoop } from "../dist/lib/core/loop.js";
import { step } from "../dist/lib/core/step.js";
import { toArray, vecOf } from "../dist/lib/core/vec.js";
import { COMBINATIONS, trials } from "./stall/study.mjs";
import { rowsOf } from "./stall/table.mjs";

export function stallRows({ quick }) {
  return rowsOf(trials({ createLoop, step, toArray, vecOf }, COMBINATIONS * (quick ? 1 : 5)));
}
