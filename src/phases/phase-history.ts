/** The journal of a phase loop as it lies on disk (SPEC section 8). */
import { learn } from "../adapters/store/journal-reader.ts";
import type { LoopDefinition } from "./core/definition.ts";
import { createHistory, type PhaseHistory } from "./core/history.ts";
import { journalOf } from "../history/loop-log.ts";

export function readHistory(stateFile: string, definition: LoopDefinition): PhaseHistory {
  return learn(journalOf(stateFile), createHistory(definition));
}
