/** What is journaled of changes without a run (EDIT-LOOP-3). */
import { openJournal } from "../adapters/store/journal.ts";
import type { Fact } from "../core/effect.ts";
import { BY_HAND, lineOfFact } from "../core/journal-line.ts";
import type { State } from "../core/state.ts";
import { targetOf } from "../host/atomic-write.ts";
import { loopPaths } from "../host/loop-paths.ts";
import { ownRunOf } from "../project/session-record.ts";

/**
 * @param before the state that the facts changed
 * @param time ISO 8601
 * @returns as `appendLines`
 */
export function journalFacts(stateFile: string, before: State, facts: readonly Fact[], time: string): string[] {
  const run = ownRunOf(stateFile, before) ?? BY_HAND;
  return appendLines(
    loopPaths(targetOf(stateFile)).journal,
    facts.map((fact) => lineOfFact(fact, time, run, before.control.iteration)),
  );
}

/** Appends to the loop's journal. @returns why it could not, as notes: the state file alone is enough to go on */
export function appendLines(path: string, lines: readonly object[]): string[] {
  const journal = openJournal(path);
  const written = journal.ok ? journal.value.append(lines) : journal;
  if (journal.ok) journal.value.close();
  return written.ok ? [] : written.problems.map((problem) => `not journaled: ${problem.message}`);
}
