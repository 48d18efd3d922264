/** Watching a run of another process, on a terminal, as lines, or for its end alone (`--json`). */
import type { AttachEnd } from "../attach.ts";
import type { Outcome } from "../../core/state.ts";
import type { Call } from "../../command/call.ts";
import { fold } from "../../terminal/fold.ts";
import { interruptible } from "../../command/interrupt.ts";
import { createSnapshot } from "../../terminal/loop-snapshot.ts";
import { painterFor, type Painter } from "../../terminal/paint.ts";
import { failure } from "../../command/problem-text.ts";
import { endAnswer } from "./detached.ts";
import type { RunTerms } from "./terms.ts";
import { createRunView, type RunView } from "../../terminal/run-view.ts";
import { isScreen, screenOf } from "../../terminal/screen.ts";
import type { Answer } from "../../command/spec.ts";
import type { NamedFile } from "../../command/state-file.ts";
import { HIDDEN_CURSOR, holdTerminal } from "../../terminal/terminal-hold.ts";

const REDRAW_MS = 120;

export interface Attached {
  /** Where lines are shown; null: nowhere. */
  readonly view: RunView | null;
  readonly paint: Painter;
  readonly signal: AbortSignal;
}

export interface Attaching {
  readonly terms: RunTerms;
  /** Of the loop whose graph is drawn; absent: none is. */
  readonly graph?: string;
  readonly follow: (attached: Attached) => Promise<AttachEnd>;
  /** What a person types after that outcome. */
  readonly next: (outcome: Outcome, message: string) => string;
}

export async function attach(call: Call, file: NamedFile, { terms, graph, follow, next }: Attaching): Promise<Answer> {
  const { io } = call;
  const terminal = !call.json && (await isScreen(io, 1));
  const paint = await painterFor(io);
  const view = call.json ? null : viewOf(call, paint, terminal, graph);
  const giveBack =
    view !== null && terminal
      ? holdTerminal({ write: io.out, change: HIDDEN_CURSOR, leave: view.close })
      : () => undefined;
  const timer = setInterval(() => view?.tick(), REDRAW_MS);
  try {
    const end = await interruptible(io, (signal) => follow({ view, paint, signal }));
    view?.close();
    const answer = answerTo(end, file, terms, next);
    return terminal ? { ...answer, text: fold(answer.text, screenOf(process.stdout).columns) } : answer;
  } finally {
    clearInterval(timer);
    giveBack();
  }
}

function viewOf({ io }: Call, paint: Painter, terminal: boolean, graph: string | undefined): RunView {
  return createRunView({
    write: io.out,
    paint,
    screen: () => (terminal ? screenOf(process.stdout) : null),
    now: Date.now,
    ...(terminal && graph !== undefined ? { snapshot: createSnapshot(graph) } : {}),
  });
}

function answerTo(end: AttachEnd, file: NamedFile, terms: RunTerms, next: Attaching["next"]): Answer {
  switch (end.kind) {
    case "ended": {
      const { run: id, outcome, message, exit_code, detached } = end;
      const next_step = next(outcome, message);
      // What a detached run answered itself knows how it was called.
      const json = { success: exit_code === 0, run: id, outcome, message, next_step, ...detached?.document, exit_code };
      const text = detached?.text ?? `run ${id} halted (${outcome}): ${message}\nnext: ${next_step}`;
      return { exit: exit_code, json, text };
    }
    case "failed":
      return endAnswer(end.detached);
    case "broke_off": {
      const { run: id, exit_code, message } = end;
      const answer = refusal(`run ${id} broke off: ${message}`, `\`${terms.run}\` goes on from there`, file);
      return { ...answer, exit: exit_code };
    }
    case "left": {
      const next_step = `look again with \`${terms.attach}\`, end it with \`${terms.stop}\``;
      return {
        exit: 0,
        json: { success: true, run: end.run, at_work: true, next_step },
        text: `run ${end.run} goes on; ${next_step}`,
      };
    }
    case "died":
      return refusal(
        `run ${end.run} ended without a message: it was killed, or its machine went down`,
        `\`${terms.run}\` goes on from there`,
        file,
      );
    case "none":
      return refusal(
        `nobody works ${file.shown}, and nobody did since it was begun`,
        `start it with \`${terms.run} --detach\``,
        file,
      );
  }
}

function refusal(message: string, hint: string, file: NamedFile): Answer {
  return failure([{ code: "refused", message, hint }], file.shown);
}
