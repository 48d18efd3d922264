/**
 * `aot state show --json` after updates of single atoms: what was shown before, with what they changed.
 *
 * A1 only where the bytes that it was shown for differ from the file's in words of atoms' statuses, each where the outline
 *    of the file has one: all else is the same state then;
 * A2 the answer is the one that reading the file gives, byte for byte (law: tests/app/shown-again.test.ts).
 */
import { atomAround, idIn, statusPlace, type KeptOutline } from "../adapters/store/kept-outline.ts";
import type { Kept } from "../adapters/store/read-cache.ts";
import { STATUSES } from "../core/outline.ts";
import type { AtomStatus } from "../core/state.ts";

/** After more changes reading the file is no slower. */
const MOST_CHANGES = 64;
/** Where the atoms begin in what is shown, and where what does not change with a status does. */
const [ATOMS, REST] = ['"atoms":[{', ',"objective":{'];
const BARE = /^[\w.-]+$/;

interface Change {
  readonly id: string;
  readonly before: AtomStatus;
  readonly after: AtomStatus;
}

/**
 * What is shown of a file; null: it has to be read.
 * @param kept what was shown, and of which bytes
 * @param outline of `bytes`
 */
export function shownAgain(kept: Kept, bytes: Buffer, outline: KeptOutline): Uint8Array | null {
  const text = bytes.toString("latin1");
  const changes = changesIn(kept.source, bytes, text, outline);
  if (changes === null) return null;
  // A character for a byte: nothing but ASCII is looked for or put in.
  const shown = Buffer.from(kept.result.buffer, kept.result.byteOffset, kept.result.byteLength).toString("latin1");
  const rest = shown.indexOf(REST);
  let done = shown.indexOf(ATOMS, rest);
  if (rest < 0 || done < 0) return null;
  const head = JSON.parse(`${shown.slice(0, rest)}}`) as Record<string, unknown>;
  const { measure, ready } = outline.outline;
  const executable_atoms = ready.map((index) => idIn(text, outline.starts, index));
  if (!executable_atoms.every((id) => BARE.test(id))) return null;
  const parts = [JSON.stringify({ ...head, measure, executable_atoms }).slice(0, -1), shown.slice(rest, done)];
  for (const { id, before, after } of changes) {
    const atom = shown.indexOf(`{"id":"${id}","description":"`, done);
    // No string holds this: its quotes would be escaped.
    const at = shown.indexOf('","status":"', atom) + '","status":"'.length;
    if (atom < 0 || !shown.startsWith(`${before}"`, at)) return null;
    parts.push(shown.slice(done, at), after);
    done = at + before.length;
  }
  return Buffer.from(parts.join("") + shown.slice(done), "latin1");
}

/** A1, in the order of the file; null: something else differs. */
function changesIn(old: Uint8Array, bytes: Uint8Array, text: string, outline: KeptOutline): readonly Change[] | null {
  const changes: Change[] = [];
  let [was, is] = [0, 0];
  for (;;) {
    const same = sameFrom(old, was, bytes, is);
    was += same;
    is += same;
    if (was === old.length && is === bytes.length) return changes;
    const index = atomAround(outline.starts, is);
    const place = index < 0 || changes.length === MOST_CHANGES ? null : statusPlace(text, outline, index);
    const before = STATUSES.find((status) => startsWithWord(old, was, status));
    // No two statuses begin with the same letter.
    if (place?.start !== is || before === undefined) return null;
    const id = idIn(text, outline.starts, index);
    if (!BARE.test(id)) return null;
    changes.push({ id, before, after: text.slice(place.start, place.end) as AtomStatus });
    was += before.length;
    is = place.end;
  }
}

/** How many bytes are the same from there on. */
function sameFrom(a: Uint8Array, fromA: number, b: Uint8Array, fromB: number): number {
  const isSame = (from: number, to: number): boolean =>
    Buffer.compare(a.subarray(fromA + from, fromA + to), b.subarray(fromB + from, fromB + to)) === 0;
  let low = 0;
  let high = Math.min(a.length - fromA, b.length - fromB);
  if (isSame(low, high)) return high;
  // Equal up to `low`, and not up to `high`.
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (isSame(low, middle)) low = middle;
    else high = middle;
  }
  return low;
}

function startsWithWord(bytes: Uint8Array, at: number, word: string): boolean {
  const next = bytes[at + word.length] ?? 0;
  return next <= BLANK && Buffer.from(word).equals(bytes.subarray(at, at + word.length));
}

const BLANK = 32;
