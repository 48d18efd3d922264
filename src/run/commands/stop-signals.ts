/** Ctrl-C during a run (SPEC section 8): the first one stops, the second one kills. */
import type { RunControl } from "../options.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

const FINISHING = "stopping: attempts in flight are finished first; Ctrl-C again kills them";

export interface StopSignals {
  /** From now on the run can be ended; what was pressed before counts. */
  attach(control: RunControl): void;
  release(): void;
}

/** @param words said at the first press; absent: as of a run here */
export function onStopSignals(say: (text: string) => void, words = FINISHING): StopSignals {
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
