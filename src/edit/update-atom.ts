/** `aot atom update`: a file of its own, so that the command that is called most loads little. */
import type { Result } from "../core/problem.ts";
import type { AtomStatus } from "../core/state.ts";
import { updateAtom } from "../core/update-atom.ts";
import { editLoop, type EditedLoop } from "./edit-loop.ts";

/** `pending -> in_progress -> resolved`, or back to pending. Containers above resolve by themselves. */
export function updateAtomIn(stateFile: string, id: string, status: AtomStatus): Promise<Result<EditedLoop>> {
  return editLoop(stateFile, `atom update ${id}`, (state) => updateAtom(state, id, status));
}
