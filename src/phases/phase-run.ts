/** A run of a phase loop while it is running, and where it comes to rest (see run.ts). */
import { accepted, type Result } from "../core/problem.ts";
import type { Outcome } from "../core/state.ts";
import { appendByHand } from "../edit/edit-loop.ts";
import { systemClock } from "../project/clock.ts";
import type { Action } from "./core/action.ts";
import type { PhasesRunOptions, PhasesWatch, WorkedPhase } from "./run-options.ts";
import { actOnPhases } from "./answer.ts";
import type { NoRun, RunControl } from "../run/options.ts";
import { isStrayed, isUndecided } from "../core/converge.ts";

/** One run, and what it has come to so far. */
export interface PhaseRun {
  readonly id: string;
  readonly options: PhasesRunOptions;
  readonly watch: PhasesWatch;
  readonly stopper: Stopper;
  readonly worked: WorkedPhase[];
  readonly notes: string[];
  /** Somebody asked for a pause. */
  paused: boolean;
}

/** Where a run comes to rest. */
export interface Halt {
  readonly ok: true;
  readonly outcome: Outcome;
  readonly message: string;
  readonly next_step: string;
  /** The gate that it is about. */
  readonly gate?: string;
  /** A person's answer to that gate lets it go on. */
  readonly waits?: true;
}

export function halted(outcome: Outcome, message: string, next_step: string = nextOf(outcome)): Halt {
  return { ok: true, outcome, message, next_step };
}

/** Its fuel is used up. */
export function spent({ outcome, message }: { readonly outcome: Outcome; readonly message: string }): Halt {
  return halted(outcome, message, "give it more (a larger --max-...), then `aot phases run`");
}

/** Tells its journal. @returns why that could not be written; empty: it was */
export function tellJournal({ id, options }: PhaseRun, event: object): readonly string[] {
  return appendByHand(options.stateFile, [{ time: systemClock.now(), run: id, iteration: 0, ...event }]);
}

/** Null: it was accepted. */
export async function act(run: PhaseRun, action: Action): Promise<NoRun | null> {
  const choose = (): Result<Action> => accepted(action);
  const done = await actOnPhases(run.options.stateFile, choose, { run: run.id });
  if (!done.ok) return { ok: false, exit_code: 1, problems: done.problems };
  run.notes.push(...done.value.notes);
  return null;
}

const NEXT: Readonly<Record<Outcome, string>> = {
  verified:
    "look at the work; the same once more: `aot phases run --restart`, another loop: `aot phases init LOOP.json`",
  stop_requested: "go on with `aot phases run`",
  stalled: "see what fails with `aot logs FILE`, help with `aot redirect FILE`, then `aot phases run`",
  max_iterations: "give it more with `aot redirect limit max_iterations N FILE`, then `aot phases run`",
  budget: "raise the limit (--max-..., or `aot redirect limit FILE`), then `aot phases run`",
  or_group_exhausted: "add an alternative with `aot redirect add FILE`, then `aot phases run`",
  deadlock: "see what waits for what with `aot status FILE`, change it with `aot redirect FILE`, then `aot phases run`",
  needs_confirmation:
    "look at the work, then `aot phases run --accept assertions` (you decide) or `aot phases run --judge AGENT`",
  agent_unavailable: "install it, log in (`aot doctor`) or wait until its limit ends, then `aot phases run`",
  flaky_check:
    "make that check answer the same on the same files, or change it with `aot redirect`, then `aot phases run`",
  tampered: "look at those files and restore them, then `aot phases run`",
};

/** Nobody has decided yet: a person's yes only confirms what a judge said (SPEC section 6). */
const UNDECIDED =
  "have a judge decide with `aot phases run --judge AGENT`; or decide yourself: take the branch, look at the work, then `aot state set-status completed --confirm FILE` (to confirm the assertions; `--scores` for scores), then `aot phases run`";

function confirmation(message: string): string {
  if (isStrayed(message))
    return "look at those files; `aot phases run --accept checkout` takes your checkout as it is now and verifies once more";
  return isUndecided(message) ? UNDECIDED : NEXT.needs_confirmation;
}

/**
 * @param stateFile of the loop that works the phase; absent: it is about the whole
 * @param message of that loop's halt
 */
export function nextOf(outcome: Outcome, stateFile?: string, message = ""): string {
  const words = outcome === "needs_confirmation" ? confirmation(message) : NEXT[outcome];
  return stateFile === undefined
    ? words.replaceAll(" FILE", "")
    : words.replaceAll("FILE", `--state-file ${/^[\w./-]+$/.test(stateFile) ? stateFile : JSON.stringify(stateFile)}`);
}

interface Stopper extends RunControl {
  /** The loop of a phase begins: what was asked before counts. Null: it is over. */
  attach(control: RunControl | null): void;
  /** Why it is to stop; null: nobody said so. */
  reason(): string | null;
  /** Aborted once it is to stop: what can be done again is given up at once. */
  readonly signal: AbortSignal;
}

export function createStopper(): Stopper {
  const controller = new AbortController();
  let inner: RunControl | null = null;
  let why: string | null = null;
  let killed = false;
  const act = (): void => {
    if (why === null) return;
    if (killed) inner?.kill();
    else inner?.stop(why);
  };
  return {
    attach(control) {
      inner = control;
      act();
    },
    stop(reason) {
      why ??= reason;
      act();
      controller.abort();
    },
    kill() {
      why ??= "killed";
      killed = true;
      act();
      controller.abort();
    },
    note: (message) => inner?.note(message),
    reason: () => why,
    signal: controller.signal,
  };
}
