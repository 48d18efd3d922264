/**
 * Changing a loop by hand: an operation of the core on the state file, under its lock (SPEC sections 2 and 10).
 *
 * EDIT-LOOP-1 while a runner works the loop nothing is changed behind its back: it is named, with how to reach it;
 * EDIT-LOOP-2 a refused operation leaves the file as it was;
 * EDIT-LOOP-3 what the change brought about is journaled: as done "by hand", or by the session that works the loop.
 */
import { openJournal } from "../adapters/store/journal.ts";
import { keepCopy } from "../adapters/store/kept-copy.ts";
import { runnerOf } from "../adapters/store/run-lock.ts";
import { editStateFile } from "../adapters/store/state-file.ts";
import type { Fact } from "../core/effect.ts";
import { BY_HAND, lineOfFact } from "../core/journal-line.ts";
import type { Done } from "../core/operations.ts";
import { accepted, refused, type Refused, type Result } from "../core/problem.ts";
import type { State } from "../core/state.ts";
import { targetOf } from "../host/atomic-write.ts";
import { loopPaths } from "../host/loop-paths.ts";
import { isoNow } from "../host/clock.ts";
import { agentRefusal } from "../project/agent-restrictions.ts";
import { ownRunOf } from "../project/session-record.ts";

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
 * @param change changes nothing itself; may be called more than once
 * @param ahead what has to be on disk before the file says it (document-file.ts)
 */
export async function editLoop(
  stateFile: string,
  what: string,
  change: (state: State, now: string) => Result<Done>,
  ahead?: (after: State) => Result<null>,
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
    { what, ...(ahead === undefined ? {} : { ahead }) },
  );
  if (!edited.ok) return edited;
  const { before, after, changed } = edited.value;
  if (facts.length === 0) return accepted({ before, after, facts, changed, notes: [] });
  const run = ownRunOf(stateFile, before) ?? BY_HAND;
  const lines = facts.map((fact) => lineOfFact(fact, now, run, before.control.iteration));
  return accepted({ before, after, facts, changed, notes: appendByHand(stateFile, lines) });
}

/** Appends to the loop's journal. @returns why it could not, as notes: the state file alone is enough to go on */
export function appendByHand(stateFile: string, lines: readonly object[]): string[] {
  const journal = openJournal(loopPaths(targetOf(stateFile)).journal);
  const written = journal.ok ? journal.value.append(lines) : journal;
  if (journal.ok) journal.value.close();
  keepCopy(stateFile, false);
  return written.ok ? [] : written.problems.map((problem) => `not journaled: ${problem.message}`);
}

/** EDIT-LOOP-1. Null: nobody works the loop, and this process is none of its agents. */
export function runnerRefusal(stateFile: string): Refused | null {
  const own = agentRefusal(stateFile);
  if (own !== null) return own;
  const runner = runnerOf(stateFile);
  return runner === null
    ? null
    : refused(
        `a run works this loop: pid ${runner.pid} on host ${runner.host}, since ${runner.since}`,
        "change a running loop with `aot redirect`, or end it with `aot stop`",
      );
}
