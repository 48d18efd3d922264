/**
 * Changing a loop by hand: an operation of the core on the state file, under its lock (SPEC sections 2 and 10).
 *
 * H1 while a runner works the loop nothing is changed behind its back: it is named, with how to reach it;
 * H2 a refused operation leaves the file as it was;
 * H3 what the change brought about is journaled, as done "by hand".
 */
import { editStateFile } from "../adapters/store/state-file.ts";
import { runnerOf } from "../adapters/store/run-lock.ts";
import type { Fact } from "../core/effect.ts";
import type { Done } from "../core/update-atom.ts";
import { accepted, refused, type Result } from "../core/problem.ts";
import type { State } from "../core/state.ts";
import { targetOf } from "../host/atomic-write.ts";
import { loopPaths } from "../host/loop-paths.ts";
import { ownLoopRefusal } from "./own-loop.ts";
import { isoNow } from "../host/clock.ts";

/** Run id of what a person or a tool did without a run. */
export const BY_HAND = "by hand";

export interface EditedLoop {
  readonly before: State;
  readonly after: State;
  readonly facts: readonly Fact[];
  /** False: it was so already, nothing was written. */
  readonly changed: boolean;
  /** What went wrong beside it: the change itself stands. */
  readonly notes: readonly string[];
}

/**
 * @param what in a few words, for whoever waits for the lock
 * @param change pure; may be called more than once
 */
export async function editLoop(
  stateFile: string,
  what: string,
  change: (state: State, now: string) => Result<Done>,
): Promise<Result<EditedLoop>> {
  const now = isoNow();
  let facts: readonly Fact[] = [];
  const edited = await editStateFile(
    stateFile,
    (document) => {
      const busy = runnerRefusal(stateFile);
      if (busy !== null) return busy;
      const done = change(document.state, now);
      if (!done.ok) return done;
      ({ facts } = done.value);
      return accepted(done.value.state);
    },
    { what },
  );
  if (!edited.ok) return edited;
  const { before, after, changed } = edited.value;
  const notes = facts.length === 0 ? [] : await journalFacts(stateFile, facts, now, after.control.iteration);
  return accepted({ before, after, facts, changed, notes });
}

/** H1. Null: nobody works the loop, and this process is none of its agents. */
export function runnerRefusal(stateFile: string): ReturnType<typeof refused> | null {
  const own = ownLoopRefusal(stateFile);
  if (own !== null) return own;
  const runner = runnerOf(stateFile);
  return runner === null
    ? null
    : refused(
        `a run works this loop: pid ${runner.pid} on host ${runner.host}, since ${runner.since}`,
        "change a running loop with `aot redirect`, or end it with `aot stop`",
      );
}

async function journalFacts(
  stateFile: string,
  facts: readonly Fact[],
  time: string,
  iteration: number,
): Promise<string[]> {
  const { lineOfFact } = await import("../core/journal-line.ts");
  return appendByHand(
    stateFile,
    facts.map((fact) => lineOfFact(fact, time, BY_HAND, iteration)),
  );
}

/** Appends to the loop's journal. @returns why it could not, as notes: the state file alone is enough to go on */
export async function appendByHand(stateFile: string, lines: readonly object[]): Promise<string[]> {
  const { openJournal } = await import("../adapters/store/journal.ts");
  const journal = openJournal(loopPaths(targetOf(stateFile)).journal);
  const written = journal.ok ? journal.value.append(lines) : journal;
  if (journal.ok) journal.value.close();
  return written.ok ? [] : written.problems.map((problem) => `not journaled: ${problem.message}`);
}
