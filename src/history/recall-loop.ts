/** What the journal of a loop remembers (SPEC section 8). */
import { learn } from "../adapters/store/journal-reader.ts";
import { createRecall, type Recollection } from "../core/journal.ts";
import { journalOf } from "./loop-log.ts";

export function recallLoop(stateFile: string): Recollection {
  return learn(journalOf(stateFile), createRecall());
}
