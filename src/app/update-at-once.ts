/**
 * `aot atom update` on the word of what was kept of the last edit (kept-outline.ts): a few numbers, and one word of the
 * file. It answers only where the update is made; null says that nothing was written, and that the whole way
 * (update-atom.ts) is to be gone, which can tell why.
 *
 * H1 to H3 as in edit-loop.ts, D1 to D3 as in document-file.ts.
 */
import { problem, readBytes, replace, stampAt } from "../adapters/store/file-bytes.ts";
import {
  idIn,
  indexOfAtom,
  moved,
  outlineFile,
  readOutline,
  statusPlace,
  writeOutline,
  type KeptOutline,
} from "../adapters/store/kept-outline.ts";
import { underLockOf } from "../adapters/store/under-lock.ts";
import { outlineWith } from "../core/outline.ts";
import { accepted } from "../core/problem.ts";
import type { AtomStatus, ControlStatus } from "../core/state.ts";
import { isoNow } from "../host/clock.ts";
import { targetOf } from "../host/atomic-write.ts";
import { loopPaths } from "../host/loop-paths.ts";
import { runnerRefusal } from "./by-hand.ts";
import { journalFacts } from "./journal-by-hand.ts";

export interface UpdatedAtOnce {
  readonly status: ControlStatus;
  readonly measure: number;
  /** Atoms that resolved by it. */
  readonly resolved: readonly string[];
  /** Best first. */
  readonly executable_atoms: readonly string[];
  readonly notes: readonly string[];
}

/** Like `updateAtomIn`, or null. Waits for nobody. */
export function updateAtOnce(stateFile: string, id: string, status: AtomStatus): UpdatedAtOnce | null {
  const target = targetIfAny(stateFile);
  if (target === null) return null;
  const { cache, journal } = loopPaths(target);
  if (stampAt(outlineFile(cache)) === null) return null;
  const now = isoNow();
  const written = underLockOf(target, { what: `atom update ${id}`, timeout_ms: 0 }, () => {
    const edit = editIn(target, cache, id, status);
    if (edit === null || runnerRefusal(stateFile, target) !== null) return NOT_HERE;
    const written = replace(target, edit.parts, edit.stamp);
    return written !== "changed" && written.ok ? accepted(edit) : NOT_HERE;
  });
  if (!written.ok) return null;
  const { kept, parts, text, starts } = written.value;
  const { outline, control } = kept;
  const resolved = status === "resolved" ? [id] : [];
  const facts = resolved.map((atom) => ({ fact: "atom_resolved", atom, measure: outline.measure }) as const);
  const notes = facts.length === 0 ? [] : journalFacts(journal, facts, now, control.iteration);
  writeOutline(cache, parts, kept);
  const executable_atoms = outline.ready.map((index) => idIn(text, starts, index));
  return { status: control.status, measure: outline.measure, resolved, executable_atoms, notes };
}

/** Null: there is not even a folder for the file. */
function targetIfAny(stateFile: string): string | null {
  try {
    return targetOf(stateFile);
  } catch {
    return null;
  }
}

/** Never shown: null says it. */
const NOT_HERE = problem("refused", "nothing is known of this file", "go the whole way");

interface Edit {
  /** The file as it was read, a character for a byte; `starts` are of it. */
  readonly text: string;
  readonly stamp: string;
  readonly starts: Int32Array;
  /** The file as it is to be. */
  readonly parts: readonly Uint8Array[];
  readonly kept: KeptOutline;
}

function editIn(target: string, cache: string, id: string, status: AtomStatus): Edit | null {
  const read = readBytes(target, Infinity, "");
  if (!read.ok) return null;
  const { stamp } = read.value;
  const bytes = Buffer.from(read.value.bytes.buffer, read.value.bytes.byteOffset, read.value.bytes.byteLength);
  const known = readOutline(cache, bytes);
  if (known === null) return null;
  const { starts } = known;
  const text = bytes.toString("latin1");
  const index = indexOfAtom(text, starts, id);
  const place = index < 0 ? null : statusPlace(text, known, index);
  if (place === null) return null;
  const outline = outlineWith(known.outline, index, status, (other) => idIn(text, starts, other));
  if (outline === null) return null;
  const by = status.length - (place.end - place.start);
  const part = (from: number, to: number): Uint8Array =>
    new Uint8Array(bytes.buffer, bytes.byteOffset + from, to - from);
  return {
    text,
    stamp,
    starts,
    parts: [part(0, place.start), Buffer.from(status), part(place.end, bytes.length)],
    kept: { outline, starts: moved(starts, index, by), control: known.control },
  };
}
