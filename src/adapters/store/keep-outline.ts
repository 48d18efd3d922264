/** Keeps the outline of a state that was just written (kept-outline.ts), where there is a folder to keep it in. */
import { statSync } from "node:fs";
import { dirname } from "node:path";
import { outlineOf } from "../../core/outline-of.ts";
import type { State } from "../../core/state.ts";
import { chunksOf } from "../../core/vec.ts";
import { writeOutline } from "./kept-outline.ts";
import { ownerOf } from "./owner.ts";

/** @param text the whole file that the state stands in, in canonical form */
export function keepOutline(cache: string, text: string, state: State): void {
  // A project without a loop's folder stays untouched, and nothing is worked out in vain.
  if (ownerOf(state) !== null || statSync(dirname(cache), { throwIfNoEntry: false }) === undefined) return;
  const starts = startsIn(text, state);
  if (starts === null) return;
  const { status, iteration } = state.control;
  writeOutline(cache, [Buffer.from(text)], { outline: outlineOf(state), starts, control: { status, iteration } });
}

/** Where each atom's lines begin, in bytes; null: not each begins as most do. */
function startsIn(text: string, state: State): Int32Array | null {
  const starts = new Int32Array(state.atoms.length);
  let at = text.indexOf("\natoms:");
  let count = 0;
  for (const chunk of chunksOf(state.atoms))
    for (let place = 0; place < chunk.length; place++) {
      const start = text.indexOf(LINE, at + 1);
      const id = chunk[place]?.id ?? "";
      const end = start + LINE.length + id.length;
      if (at < 0 || start < 0 || !text.startsWith(id, start + LINE.length) || text.charCodeAt(end) > BLANK) return null;
      at = start;
      starts[count++] = start + 1;
    }
  return Buffer.byteLength(text) === text.length ? starts : inBytes(text, starts);
}

const LINE = "\n  - id: ";
const BLANK = 32;

function inBytes(text: string, starts: Int32Array): Int32Array {
  let from = 0;
  let bytes = 0;
  return starts.map((start) => {
    bytes += Buffer.byteLength(text.slice(from, start));
    from = start;
    return bytes;
  });
}
