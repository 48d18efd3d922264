/** What a run is shown on, and stopped from: the terminal or plain lines, Ctrl-C. */
import { statSync } from "node:fs";
import type { JournalLine } from "../../core/journal-line.ts";
import { keepHeapSmall } from "../../host/small-heap.ts";
import type { Call } from "../../command/call.ts";
import { fold } from "../../terminal/fold.ts";
import { createSnapshot } from "../../terminal/loop-snapshot.ts";
import { painterFor, type Painter } from "../../terminal/paint.ts";
import { createRunView, type RunView } from "../../terminal/run-view.ts";
import { isScreen, screenOf } from "../../terminal/screen.ts";
import { HIDDEN_CURSOR, holdTerminal } from "../../terminal/terminal-hold.ts";
import type { RunControl } from "../options.ts";

const REDRAW_MS = 120;

export interface RunStage {
  readonly view: RunView;
  readonly paint: Painter;
  readonly signals: StopSignals;
  /** A line of the journal, for the view. */
  readonly line: (line: JournalLine) => void;
  readonly warn: (message: string) => void;
  /** The answer's text, as wide as the terminal; elsewhere as it is. */
  readonly fold: (text: string) => string;
  /** Gives the terminal back. */
  close(): void;
}

/**
 * @param stateFile of the loop whose graph is drawn; absent: none is
 * @param words what the first Ctrl-C is answered; empty: nothing, whoever is informed of it answers
 */
export async function openRunStage({ io, json }: Call, stateFile?: string, words?: string): Promise<RunStage> {
  keepHeapSmall(stateFile === undefined ? 0 : (statSync(stateFile, { throwIfNoEntry: false })?.size ?? 0));
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
  const warn = (message: string): void => view.say(paint("dim", message));
  const signals = onStopSignals((text) => view.say(paint("yellow", text)), words);
  const timer = setInterval(() => view.tick(), REDRAW_MS);
  return {
    view,
    paint,
    signals,
    warn,
    fold: (text) => (terminal ? fold(text, screenOf(process.stdout).columns) : text),
    line: view.line,
    close() {
      clearInterval(timer);
      signals.release();
      giveBack();
    },
  };
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
