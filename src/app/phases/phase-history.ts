/** The journal of a phase loop as it lies on disk (SPEC section 8). */
import { entriesOf, readJournal } from "../../adapters/store/journal-reader.ts";
import { targetOf } from "../../host/atomic-write.ts";
import { loopPaths } from "../../host/loop-paths.ts";
import type { LoopDefinition } from "../../phases/definition.ts";
import { historyOf, type PhaseHistory } from "../../phases/history.ts";

export function readHistory(stateFile: string, definition: LoopDefinition): PhaseHistory {
  return historyOf(definition, entriesOf(readJournal(loopPaths(targetOf(stateFile)).journal)));
}
