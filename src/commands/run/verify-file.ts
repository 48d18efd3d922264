import { runCheck } from "../../app/verify-loop.ts";
import { required } from "../call.ts";
import { interruptible } from "../interrupt.ts";
import type { Run } from "../spec.ts";
import { verdictWords } from "../../app/pictures/standing.ts";
import { evidenceLine } from "../verdict-text.ts";

export const run: Run = async (call) => {
  const value = required(call.arg("path"), "path");
  const type = call.isSet("expect-missing") ? "not_file" : "file";
  const { passed, evidence } = await interruptible(call.io, (signal) => runCheck({ type, value }, call.io.cwd, signal));
  const { kind: _, ...facts } = evidence;
  const text = `${verdictWords(passed).words}: ${evidenceLine(evidence)}`;
  return { exit: passed === true ? 0 : 1, json: { passed, type, path: value, ...facts }, text };
};
