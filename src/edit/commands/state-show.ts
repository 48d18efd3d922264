import { readStateFile } from "../../adapters/store/state-file.ts";
import { showState, type ShownState } from "../show-state.ts";
import { failure } from "../../command/problem-text.ts";
import type { Run } from "../../command/spec.ts";
import { stateFileOf } from "../../command/state-file.ts";

export const run: Run = async (call) => {
  const file = stateFileOf(call);
  const read = await readStateFile(file.path);
  if (!read.ok) return failure(read.problems, file.shown);
  const shown = showState(read.value.state);
  return { exit: 0, json: { success: true, ...shown }, text: call.json ? "" : textOf(shown) };
};

function textOf(shown: ShownState): string {
  const { constraints } = shown.objective;
  const ready = new Set(shown.executable_atoms);
  const width = shown.atoms.reduce((most, { id }) => Math.max(most, id.length), 0);
  const reason = shown.stop_reason === null ? "" : ` (${shown.stop_reason})`;
  const lines = [
    `goal       ${shown.objective.goal}`,
    `status     ${shown.status}${reason}`,
    `iteration  ${shown.iteration} of ${constraints.max_iterations}, stalls ${shown.stall_count} of ${constraints.max_stall_count}`,
    `left       ${shown.measure} of ${shown.atoms.length} atoms`,
    "",
    ...shown.atoms.map((atom) => {
      const status = ready.has(atom.id) ? "executable" : atom.status;
      return `${atom.id.padEnd(width)}  ${status.padEnd(11)}  ${atom.description}`;
    }),
  ];
  return lines.join("\n");
}
