/** Worlds in which the goal is reached by who learns the right thing: how often the loop gets there, and at which cost. */
import { bundledMachine } from "./bundled-machine.mjs";
import { trials } from "./reach/study.mjs";
import { rowsOf } from "./reach/table.mjs";

const SEEDS = 200;
const FEW = 10;

export async function reachRows({ quick, folder }) {
  return rowsOf(await trials(await bundledMachine(folder), quick ? FEW : SEEDS));
}
