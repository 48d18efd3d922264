import { runCheck } from "../verify-loop.ts";
import { required, type Call } from "../../command/call.ts";
import { whileWaiting } from "../../terminal/wait-row.ts";
import type { Answer, Run } from "../../command/spec.ts";
import type { Check } from "../../core/state.ts";
import { describeCheck } from "../../core/verdict.ts";
import { verdictWords } from "../../view/standing.ts";
import { evidenceLine } from "../../terminal/verdict-text.ts";

export const run: Run = async (call) => {
  const value = required(call.arg("command"), "command");
  const type = call.isSet("expect-fail") ? "not_command" : "command";
  const timeout = call.number("timeout");
  return await checked(call, { type, value, ...(timeout === undefined ? {} : { timeout }) }, {});
};

export const file: Run = async (call) => {
  const path = required(call.arg("path"), "path");
  return await checked(call, { type: call.isSet("expect-missing") ? "not_file" : "file", value: path }, { path });
};

async function checked(call: Call, check: Check, named: object): Promise<Answer> {
  const { passed, evidence } = await whileWaiting(call.io, (signal, tell) => {
    tell(describeCheck(check));
    return runCheck(check, call.io.cwd, signal);
  });
  const { kind: _, ...facts } = evidence;
  const text = `${verdictWords(passed).words}: ${evidenceLine(evidence)}`;
  return { exit: passed === true ? 0 : 1, json: { passed, type: check.type, ...named, ...facts }, text };
}
