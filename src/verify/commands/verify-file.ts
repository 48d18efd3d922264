import { runCheck } from "../verify-loop.ts";
import { required } from "../../command/call.ts";
import { interruptible } from "../../command/interrupt.ts";
import type { Run } from "../../command/spec.ts";
import { verdictWords } from "../../view/standing.ts";
import { evidenceLine } from "../../terminal/verdict-text.ts";

export const run: Run = async (call) => {
  const value = required(call.arg("path"), "path");
  const type = call.isSet("expect-missing") ? "not_file" : "file";
  const { passed, evidence } = await interruptible(call.io, (signal) => runCheck({ type, value }, call.io.cwd, signal));
  const { kind: _, ...facts } = evidence;
  const text = `${verdictWords(passed).words}: ${evidenceLine(evidence)}`;
  return { exit: passed === true ? 0 : 1, json: { passed, type, path: value, ...facts }, text };
};
