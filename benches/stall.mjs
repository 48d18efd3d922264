/** The stall detector on a corpus of labelled runs: how often its stops are right, beside the seeds' plain counter. */
import { bundledMachine } from "./bundled-machine.mjs";
import { APART, COMBINATIONS, RULES, trials } from "./stall/study.mjs";
import { rowsOf } from "./stall/table.mjs";

export async function stallRows({ quick, folder }) {
  const engine = await bundledMachine(folder);
  const count = COMBINATIONS * (quick ? 1 : 5);
  const { ours, plain } = RULES;
  return rowsOf(trials(engine, count), trials(engine, count, { ours, plain }, { behaviours: APART }));
}
