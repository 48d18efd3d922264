import type { Engines } from "../../history/extensions.ts";
import { loopReport } from "../loop-report.ts";
import { pageAnswer } from "../../command/page-answer.ts";
import { LOOP_PAGE } from "../../command/page-names.ts";
import { failure } from "../../command/problem-text.ts";
import type { Run } from "../../command/spec.ts";
import { stateFileOf } from "../../command/state-file.ts";

/** `aot report`. */
export const reportWith =
  (engines: Engines): Run =>
  async (call) => {
    const file = stateFileOf(call);
    const made = await loopReport(file.path, engines);
    return made.ok ? pageAnswer(call, made.value, LOOP_PAGE) : failure(made.problems, file.shown);
  };
