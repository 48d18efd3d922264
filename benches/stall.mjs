/** The stall detector on a corpus of labelled runs: how often its stops are right, beside the seeds' plain counter. */
import { bundledMachine } from "./bundled-machine.mjs";
import { COMBINATIONS, trials } from "./stall/study.mjs";
import { rowsOf } from "./stall/table.mjs";

export async function stallRows({ quick, folder }) {
  return rowsOf(trials(await bundledMachine(folder), COMBINATIONS * (quick ? 1 : 5)));
}
