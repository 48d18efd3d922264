/** The commands that read the state as a whole. */
import { readBytes } from "../../adapters/store/file-bytes.ts";
import { readStateFile, MISSING_HINT } from "../../adapters/store/state-file.ts";
import { failure, fieldText, problemJson, problemText } from "../../command/problem-text.ts";
import type { Answer, Run } from "../../command/spec.ts";
import { stateFileOf } from "../../command/state-file.ts";
import { gateOf } from "../../core/operations.ts";
import { decodeState, MAX_BYTES } from "../../statefile/decode.ts";
import { parseState } from "../../statefile/parse.ts";
import { showState, type ShownState } from "../show-state.ts";

export const show: Run = async (call) => {
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

/** Everything that is wrong with the state file, and what is only doubtful (SPEC section 2). */
export const validate: Run = (call) => {
  const { path, shown } = stateFileOf(call);
  const bytes = readBytes(path, MAX_BYTES, MISSING_HINT);
  const text = bytes.ok ? decodeState(bytes.value.bytes) : bytes;
  const parsed = text.ok ? parseState(text.value) : text;
  const errors = (parsed.ok ? [] : parsed.problems).map((problem) => problemJson(problem, shown));
  const warnings = (parsed.ok ? parsed.warnings : []).map((problem) => problemJson(problem, shown));
  const valid = errors.length === 0;
  const lines = [
    valid ? `${shown} is valid` : `${shown} is not valid: ${errors.length} to put right`,
    ...errors.map(problemText),
    ...warnings.map((warning) => `warning: ${problemText(warning)}`),
  ].join("\n");
  const json = { valid, errors, warnings };
  return valid ? { exit: 0, json, text: lines } : { exit: 2, json, text: "", trouble: lines };
};

const NOT_READY = 3;
const TODO: Readonly<Record<string, string>> = {
  completed: "`aot run --restart` works it again from the beginning",
  running: "stop it first (`aot stop`); after a crash `aot run` goes on by itself",
};

export const gate: Run = async (call) => {
  const file = stateFileOf(call);
  const read = await readStateFile(file.path);
  if (read.ok) {
    const { ready, missing, status } = gateOf(read.value.state);
    return answer(ready, missing, status, TODO[status] ?? "complete the alignment: `aot align`");
  }
  const [first] = read.problems;
  if (first?.code === "file_missing")
    return answer(false, [`state file ${file.shown}`], null, "align a goal first: `aot align`");
  const fields = read.problems.flatMap(({ path = [] }) => (path.length === 0 ? [] : [fieldText(path)]));
  const missing = fields.length === 0 ? ["a valid state file"] : [...new Set(fields)];
  if (read.problems.every(({ code }) => code === "missing_field"))
    return answer(false, missing, null, first?.hint ?? "complete the alignment: `aot align`");
  const failed = failure(read.problems, file.shown);
  return { ...failed, json: { ready: false, missing, status: null, ...failed.json } };
};

function answer(ready: boolean, missing: readonly string[], status: string | null, todo: string): Answer {
  const json = { ready, missing, status };
  if (ready) return { exit: 0, json, text: `ready: the loop is ${status ?? ""}` };
  return { exit: NOT_READY, json, text: "", trouble: `not ready: ${missing.join(", ")}\n  ${todo}` };
}
