import { loopReport } from "../../app/pictures/loop-report.ts";
import { pageAnswer } from "../page-answer.ts";
import { LOOP_PAGE } from "../page-names.ts";
import { failure } from "../problem-text.ts";
import type { Run } from "../spec.ts";
import { stateFileOf } from "../state-file.ts";

export const run: Run = async (call) => {
  const file = stateFileOf(call);
  const made = await loopReport(file.path);
  return made.ok ? pageAnswer(call, made.value, LOOP_PAGE) : failure(made.problems, file.shown);
};
