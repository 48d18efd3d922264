import { phasesPage } from "../../app/phases/phases-report.ts";
import { pageAnswer } from "../page-answer.ts";
import { PHASES_PAGE } from "../page-names.ts";
import { failure } from "../problem-text.ts";
import type { Run } from "../spec.ts";
import { phaseFileOf } from "./phases-answer.ts";

export const run: Run = async (call) => {
  const file = phaseFileOf(call);
  if (!file.ok) return failure(file.problems);
  const made = await phasesPage(file.value.path);
  return made.ok ? pageAnswer(call, made.value, PHASES_PAGE) : failure(made.problems, file.value.shown);
};
