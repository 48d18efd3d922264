import { readStateFile } from "../../adapters/store/state-file.ts";
import { gateOf } from "../../core/operations.ts";
import { failure, fieldText } from "../../command/problem-text.ts";
import type { Answer, Run } from "../../command/spec.ts";
import { stateFileOf } from "../../command/state-file.ts";

const NOT_READY = 3;
const TODO: Readonly<Record<string, string>> = {
  completed: "`aot run --restart` works it again from the beginning",
  running: "stop it first (`aot stop`); after a crash `aot run` goes on by itself",
};

export const run: Run = async (call) => {
  const file = stateFileOf(call);
  const read = await readStateFile(file.path);
  if (read.ok) {
    const gate = gateOf(read.value.state);
    return answer(gate.ready, gate.missing, gate.status, TODO[gate.status] ?? "complete the alignment: `aot align`");
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
