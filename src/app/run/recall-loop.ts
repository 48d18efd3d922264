/** What the journal of a loop remembers (SPEC section 8). */
import { entriesOf, readJournal } from "../../adapters/store/journal-reader.ts";
import { createRecall, type Recollection } from "../../core/journal.ts";
import { targetOf } from "../../host/atomic-write.ts";
import { loopPaths } from "../../host/loop-paths.ts";

export function recallLoop(stateFile: string): Recollection {
  const recall = createRecall();
  for (const line of entriesOf(readJournal(loopPaths(targetOf(stateFile)).journal))) recall.read(line);
  return recall.now();
}
