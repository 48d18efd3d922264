/** What a run is shown on, and stopped from: the terminal or plain lines, Ctrl-C. */
import type { JournalLine } from "../../core/journal-line.ts";
import type { Call } from "../../command/call.ts";
import { fold } from "../../terminal/fold.ts";
import { createSnapshot } from "../../terminal/loop-snapshot.ts";
import { painterFor, type Painter } from "../../terminal/paint.ts";
import { createRunView, type RunView } from "../../terminal/run-view.ts";
import { isScreen, screenOf } from "../../terminal/screen.ts";
import { HIDDEN_CURSOR, holdTerminal } from "../../terminal/terminal-hold.ts";
import type { Answer } from "../../command/spec.ts";
import type { NamedFile } from "../../command/state-file.ts";
import type { RunControl } from "../options.ts";
import { dashboardBeside } from "./dashboard.ts";

const REDRAW_MS = 120;

/** Where a run is shown. */
export interface Stage {
  readonly view: RunView;
  readonly paint: Painter;
  /** The answer's text, as wide as the terminal; elsewhere as it is. */
  readonly fold: (text: string) => string;
  /** Gives the terminal back. */
  close(): void;
}

/** @param stateFile of the loop whose graph is drawn; absent: none is */
export async function openStage({ io, json }: Call, stateFile?: string): Promise<Stage> {
  const fd = json ? 2 : 1;
  const terminal = await isScreen(io, fd);
  const paint = await painterFor(io, fd);
  const write = json ? io.err : io.out;
  const view = createRunView({
    write,
    paint,
    screen: () => (terminal ? screenOf(json ? process.stderr : process.stdout) : null),
    now: Date.now,
    ...(terminal && stateFile !== undefined ? { snapshot: createSnapshot(stateFile) } : {}),
  });
  const giveBack = terminal ? holdTerminal({ write, change: HIDDEN_CURSOR, leave: view.close }) : () => undefined;
  const timer = setInterval(() => view.tick(), REDRAW_MS);
  return {
    view,
    paint,
    fold: (text) => (terminal ? fold(text, screenOf(process.stdout).columns) : text),
    close() {
      clearInterval(timer);
      giveBack();
    },
  };
}

export interface RunStage extends Stage {
  readonly signals: StopSignals;
  /** A line of the journal, for the view. */
  readonly line: (line: JournalLine) => void;
  readonly warn: (message: string) => void;
}

/** As `openStage`. @param words what the first Ctrl-C is answered; empty: nothing, whoever is informed of it answers */
export async function openRunStage(call: Call, stateFile?: string, words?: string): Promise<RunStage> {
  const stage = await openStage(call, stateFile);
  const { view, paint } = stage;
  const signals = onStopSignals((text) => view.say(paint("yellow", text)), words);
  return {
    ...stage,
    signals,
    line: view.line,
    warn: (message) => view.say(paint("dim", message)),
    close() {
      signals.release();
      stage.close();
    },
  };
}

/** Works a run on a stage, with the page beside it where that is asked for. @param stateFile as of `openStage` */
export async function onStage<E>(
  call: Call,
  { file, stateFile }: { readonly file: NamedFile; readonly stateFile?: string },
  work: (stage: RunStage) => Promise<E>,
  answerTo: (end: E, paint: Painter) => Answer,
): Promise<Answer> {
  const stage = await openRunStage(call, stateFile);
  const dashboard = call.isSet("dashboard") ? dashboardBeside(call, file, stage.view.say) : null;
  try {
    const end = await work(stage);
    stage.view.close();
    const answer = answerTo(end, stage.paint);
    return { ...answer, text: stage.fold(answer.text) };
  } finally {
    dashboard?.close();
    stage.close();
  }
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

const FINISHING = "stopping: attempts in flight are finished first; Ctrl-C again kills them";

interface StopSignals {
  /** From now on the run can be ended; what was pressed before counts. */
  attach(control: RunControl): void;
  release(): void;
}

/** @param words said at the first press; absent: as of a run here */
function onStopSignals(say: (text: string) => void, words = FINISHING): StopSignals {
  let pressed = 0;
  let control: RunControl | undefined;
  const act = (): void => {
    if (pressed === 1) control?.stop("Ctrl-C");
    if (pressed > 1) control?.kill();
  };
  const press = (): void => {
    pressed++;
    if (pressed === 1 && words !== "") say(words);
    if (pressed === 2) say("killing the agents; the state is kept");
    act();
  };
  for (const name of SIGNALS) process.on(name, press);
  return {
    attach(run) {
      control = run;
      act();
    },
    release: () => {
      for (const name of SIGNALS) process.removeListener(name, press);
    },
  };
}
