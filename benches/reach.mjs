/** Worlds in which the goal is reached by who learns the right thing: how often the loop gets there, and at which cost. */
import { createLoop } from "../dist/lib/core/loop.js";
import { vecOf } from "../dist/lib/core/vec.js";
import { judge } from "../dist/lib/core/verdict.js";
import { briefText } from "../dist/lib/loop/brief.js";
import { createCoordinator } from "../dist/lib/loop/coordinator.js";
import { trials } from "./reach/study.mjs";
import { rowsOf } from "./reach/table.mjs";

const SEEDS = 200;
const FEW = 10;

export async function reachRows({ quick }) {
  const engine = { createCoordinator, createLoop, judge, vecOf, briefText };
  return rowsOf(await trials(engine, quick ? FEW : SEEDS));
}
