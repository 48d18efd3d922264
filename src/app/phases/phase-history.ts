/** The journal of a phase loop as it lies on disk (SPEC section 8). */
import { learn } from "../../adapters/store/journal-reader.ts";
import type { LoopDefinition } from "../../phases/definition.ts";
import { createHistory, type PhaseHistory } from "../../phases/history.ts";
import { journalOf } from "../loop-log.ts";

export function readHistory(stateFile: string, definition: LoopDefinition): PhaseHistory {
  return learn(journalOf(stateFile), createHistory(definition));
}
