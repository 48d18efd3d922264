/**
 * State to text, by splicing: only the source ranges of what changed are written, the rest is not re-rendered
 * (SPEC section 2: an operation changes the lines that it must and no others).
 *
 * PRINT-1 printing the state that was read gives the text that was read;
 * PRINT-2 reading what was printed gives the state that was printed;
 * PRINT-3 a line that holds no changed value stays as it is: comments, key order, unknown keys, quotes, line endings.
 */
import type { Result } from "../core/problem.ts";
import type { State } from "../core/state.ts";
import { sectionsOf } from "./create.ts";
import { diffRoot } from "./diff.ts";
import { applyEdits, emptyPatch } from "./edits.ts";
import type { StateDocument } from "./parse.ts";
import { STATE } from "./schema.ts";

/**
 * The document's text with `next` in the place of its state. The caller has checked `next` (`checkInvariants`).
 *
 * Refused (`refused`, with path and place): an edit inside a value that an alias shows elsewhere, under an explicit
 * tag, or in a form that has no line of its own. Then nothing is to be written.
 */
export function printState({ state, text, root }: StateDocument, next: State): Result<string> {
  const patch = emptyPatch(text);
  diffRoot(patch, root, STATE.fields, { before: sectionsOf(state), after: sectionsOf(next) });
  return applyEdits(patch);
}
