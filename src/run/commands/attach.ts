/** `aot attach`: watching a run of another process, on a terminal, as lines, or for its end alone (`--json`). */
import { attachLoop, type AttachEnd } from "../attach.ts";
import { untilInterrupted } from "../../command/interrupt.ts";
import { noLoop } from "../../status/commands/no-loop.ts";
import { nextStep } from "../../command/next-step.ts";
import { failure } from "../../command/problem-text.ts";
import { endAnswer } from "./detached.ts";
import { openStage } from "./stage.ts";
import { LOOP_TERMS } from "./terms.ts";
import type { Answer, Run } from "../../command/spec.ts";
import { stateFileOf, type NamedFile } from "../../command/state-file.ts";

export const run: Run = async (call) => {
  const file = stateFileOf(call);
  const missing = await noLoop(call, file);
  if (missing !== null) return missing;
  const stage = call.json ? null : await openStage(call, file.path);
  try {
    const end = await untilInterrupted(call.io, (signal) =>
      attachLoop(file.path, (line) => stage?.view.line(line), signal),
    );
    stage?.view.close();
    const answer = answerTo(end, file);
    return stage === null ? answer : { ...answer, text: stage.fold(answer.text) };
  } finally {
    stage?.close();
  }
};

function answerTo(end: AttachEnd, file: NamedFile): Answer {
  switch (end.kind) {
    case "ended": {
      const { run: id, outcome, message, exit_code, detached } = end;
      const next_step = nextStep({ outcome, message });
      // What a detached run answered itself knows how it was called.
      const json = { success: exit_code === 0, run: id, outcome, message, next_step, ...detached?.document, exit_code };
      const text = detached?.text ?? `run ${id} halted (${outcome}): ${message}\nnext: ${next_step}`;
      return { exit: exit_code, json, text };
    }
    case "failed":
      return endAnswer(end.detached);
    case "left": {
      const next_step = `look again with \`${LOOP_TERMS.attach}\`, end it with \`${LOOP_TERMS.stop}\``;
      return {
        exit: 0,
        json: { success: true, run: end.run, at_work: true, next_step },
        text: `run ${end.run} goes on; ${next_step}`,
      };
    }
    case "died":
      return refusal(
        `run ${end.run} ended without a message: it was killed, or its machine went down`,
        `\`${LOOP_TERMS.run}\` goes on from there`,
        file,
      );
    case "none":
      return refusal(
        `nobody works ${file.shown}, and nobody did since it was begun`,
        `start it with \`${LOOP_TERMS.run} --detach\``,
        file,
      );
  }
}

function refusal(message: string, hint: string, file: NamedFile): Answer {
  return failure([{ code: "refused", message, hint }], file.shown);
}
