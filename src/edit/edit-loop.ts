/**
 * Changing a loop by hand: an operation of the core on the state file, under its lock (SPEC sections 2 and 10).
 *
 * EDIT-LOOP-1 while a runner works the loop nothing is changed behind its back: it is named, with how to reach it;
 * EDIT-LOOP-2 a refused operation leaves the file as it was;
 * EDIT-LOOP-3 what the change brought about is journaled: as done "by hand", or by the session that works the loop.
 */
import { editStateFile } from "../adapters/store/state-file.ts";
import type { Fact } from "../core/effect.ts";
import type { Done } from "../core/update-atom.ts";
import { accepted, type Result } from "../core/problem.ts";
import type { State } from "../core/state.ts";
import { targetOf } from "../host/atomic-write.ts";
import { loopPaths } from "../host/loop-paths.ts";
import { isoNow } from "../host/clock.ts";
import { runnerRefusal } from "./by-hand.ts";

export { runnerRefusal } from "./by-hand.ts";

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
  const { journalFacts } = await import("./journal-by-hand.ts");
  return accepted({ before, after, facts, changed, notes: journalFacts(stateFile, before, facts, now) });
}

/** Appends to the loop's journal. @returns why it could not, as notes: the state file alone is enough to go on */
export async function appendByHand(stateFile: string, lines: readonly object[]): Promise<string[]> {
  const { appendLines } = await import("./journal-by-hand.ts");
  return appendLines(loopPaths(targetOf(stateFile)).journal, lines);
}
