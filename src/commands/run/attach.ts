import { attachLoop, type AttachEnd } from "../../app/run/attach.ts";
import type { JournalLine } from "../../core/journal.ts";
import type { Call } from "../call.ts";
import { interruptible } from "../interrupt.ts";
import { createSnapshot } from "../loop-snapshot.ts";
import { painterFor } from "../paint.ts";
import { failure } from "../problem-text.ts";
import { nextStep } from "../receipt.ts";
import { endAnswer } from "../run-detached.ts";
import { createRunView, type RunView } from "../run-view.ts";
import { isScreen, screenOf } from "../screen.ts";
import type { Answer, Run } from "../spec.ts";
import { stateFileOf, type NamedFile } from "../state-file.ts";
import { HIDDEN_CURSOR, holdTerminal } from "../terminal-hold.ts";

const REDRAW_MS = 120;

export const run: Run = async (call) => {
  const file = stateFileOf(call);
  const terminal = !call.json && (await isScreen(call.io, 1));
  const view = call.json ? null : await viewOf(call, file, terminal);
  const giveBack =
    view !== null && terminal
      ? holdTerminal({ write: call.io.out, change: HIDDEN_CURSOR, leave: view.close })
      : () => undefined;
  const timer = setInterval(() => view?.tick(), REDRAW_MS);
  try {
    const end = await interruptible(call.io, (signal) =>
      attachLoop(file.path, (line) => view?.line(line as unknown as JournalLine), signal),
    );
    view?.close();
    return answerTo(end, file);
  } finally {
    clearInterval(timer);
    giveBack();
  }
};

async function viewOf({ io }: Call, file: NamedFile, terminal: boolean): Promise<RunView> {
  return createRunView({
    write: io.out,
    paint: await painterFor(io),
    screen: () => (terminal ? screenOf(process.stdout) : null),
    now: Date.now,
    ...(terminal ? { snapshot: createSnapshot(file.path) } : {}),
  });
}

function answerTo(end: AttachEnd, file: NamedFile): Answer {
  switch (end.kind) {
    case "ended": {
      const { run: id, outcome, message, exit_code, detached } = end;
      const next_step = nextStep(outcome);
      const json = { success: exit_code === 0, run: id, outcome, message, ...detached?.document, exit_code, next_step };
      const text = detached?.text ?? `run ${id} halted (${outcome}): ${message}\nnext: ${next_step}`;
      return { exit: exit_code, json, text };
    }
    case "failed":
      return endAnswer(end.detached);
    case "left": {
      const next_step = "look again with `aot attach`, end it with `aot stop`";
      return {
        exit: 0,
        json: { success: true, run: end.run, at_work: true, next_step },
        text: `run ${end.run} goes on; ${next_step}`,
      };
    }
    case "died":
      return refusal(
        `run ${end.run} ended without a word: it was killed, or its machine went down`,
        "`aot run` goes on from there",
        file,
      );
    case "none":
      return refusal(
        `nobody works ${file.shown}, and nobody did since it was aligned`,
        "start it with `aot run --detach`",
        file,
      );
  }
}

function refusal(message: string, hint: string, file: NamedFile): Answer {
  return failure([{ code: "refused", message, hint }], file.shown);
}
