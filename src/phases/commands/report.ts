import { phasesPage } from "../report.ts";
import { pageAnswer } from "../../command/page-answer.ts";
import { PHASES_PAGE } from "../../command/page-names.ts";
import { failure } from "../../command/problem-text.ts";
import type { Run } from "../../command/spec.ts";
import { phaseFileOf } from "./answer.ts";

export const run: Run = async (call) => {
  const file = phaseFileOf(call);
  if (!file.ok) return failure(file.problems);
  const made = await phasesPage(file.value.path);
  return made.ok ? pageAnswer(call, made.value, PHASES_PAGE) : failure(made.problems, file.value.shown);
};
