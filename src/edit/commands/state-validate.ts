import { validateLoop } from "../validate-loop.ts";
import { problemJson, problemText } from "../../command/problem-text.ts";
import type { Run } from "../../command/spec.ts";
import { stateFileOf } from "../../command/state-file.ts";

export const run: Run = (call) => {
  const file = stateFileOf(call);
  const { problems, warnings: doubts } = validateLoop(file.path);
  const errors = problems.map((problem) => problemJson(problem, file.shown));
  const warnings = doubts.map((problem) => problemJson(problem, file.shown));
  const valid = errors.length === 0;
  const heading = valid ? `${file.shown} is valid` : `${file.shown} is not valid: ${errors.length} to put right`;
  const text = [
    heading,
    ...errors.map(problemText),
    ...warnings.map((warning) => `warning: ${problemText(warning)}`),
  ].join("\n");
  const json = { valid, errors, warnings };
  return valid ? { exit: 0, json, text } : { exit: 2, json, text: "", trouble: text };
};
