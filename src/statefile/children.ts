/**
 * Takes children out of a collection and puts new ones in, in the style in which the collection is written. A removed
 * child takes its own trailing comment along, nothing else.
 */
import {
  behindColon,
  insertLines,
  isShown,
  lineAfter,
  lineStart,
  type Patch,
  refuse,
  refuseUnbroken,
  replace,
  startsLine,
  WRITE_OUT,
} from "./edits.ts";
import { type Entry, type MappingNode, type Range, type SequenceNode, skipBlank, valuesIn } from "./node.ts";
import type { Path } from "./problems.ts";

export type Collection = MappingNode | SequenceNode;

export interface Insertion {
  /** Index of the child behind which it goes; -1: in front. */
  readonly after: number;
  /** Adds the child's lines, its key or dash in column `indent`. */
  addLines(lines: string[], indent: number): void;
  /** The child on one line, for collections in brackets. */
  inline(): string;
}

/** Where a collection stands. */
export interface Site<N extends Collection = Collection> {
  readonly node: N;
  /** The entry whose value it is; undefined: the root, or an item of a list. */
  readonly entry: Entry | undefined;
  readonly path: Path;
}

/** @param removed indices, ascending */
export function editChildren(
  patch: Patch,
  site: Site,
  removed: readonly number[],
  insertions: readonly Insertion[],
): void {
  if (removed.length === 0 && insertions.length === 0) return;
  const { node, path } = site;
  const shown = valuesIn(node).find((value, index) => removed.includes(index) && isShown(value));
  if (shown !== undefined)
    refuse(patch, shown.start, path, {
      why: "an alias elsewhere refers to a value inside it",
      hint: WRITE_OUT,
    });
  else if (node.flow) editFlow(patch, node, removed, insertions);
  else editBlock(patch, site, removed, insertions);
}

/** The children as they stand: an entry with its key, an item without its dash. */
function partsOf(node: Collection): readonly Range[] {
  return node.kind === "mapping" ? node.entries : node.items;
}

function rangeAt(node: Collection, index: number): Range {
  return partsOf(node)[index] ?? node;
}

// ── block style ─────────────────────────────────────────────────────────────

/** Offset of a child's key (or the `?` before it) or dash. */
function markAt(text: string, node: Collection, index: number): number {
  if (node.kind === "mapping") {
    const { start } = rangeAt(node, index);
    const question = /\? *$/.exec(text.slice(lineStart(text, start), start));
    return question === null ? start : start - question[0].length;
  }
  return index === 0 ? node.start : skipBlank(text, rangeAt(node, index - 1).end);
}

function editBlock(patch: Patch, site: Site, removed: readonly number[], insertions: readonly Insertion[]): void {
  const { text } = patch;
  const { node, path } = site;
  const first = markAt(text, node, 0);
  if (node.kind === "sequence" && text[first] !== "-")
    return refuse(patch, first, path, { why: "the list is not written one item per line", hint: "write it so" });
  const indent = first - lineStart(text, first);
  let place: { readonly after: number; readonly at: number; readonly lines: string[] } | undefined;
  for (const insertion of insertions) {
    const { after } = insertion;
    if (after < 0 && !startsLine(text, first)) return refuseUnbroken(patch, first, path);
    // Most come in a row, all behind the same child: one edit.
    if (place?.after !== after) {
      if (place !== undefined) insertLines(patch, place.at, place.lines);
      place = { after, at: after >= 0 ? lineAfter(text, rangeAt(node, after).end) : lineStart(text, first), lines: [] };
    }
    insertion.addLines(place.lines, indent);
  }
  if (place !== undefined) insertLines(patch, place.at, place.lines);
  if (removed.length === partsOf(node).length && insertions.length === 0) emptyBlock(patch, site);
  removeLines(patch, site, removed);
}

function removeLines(patch: Patch, { node, path }: Site, removed: readonly number[]): void {
  const { text } = patch;
  let rest = removed;
  if (removed[0] === 0 && node.kind === "mapping" && !startsLine(text, node.start))
    rest = removeBehindDash(patch, node, removed);
  for (const index of rest) {
    const mark = markAt(text, node, index);
    if (!startsLine(text, mark)) refuseUnbroken(patch, mark, path);
    else replace(patch, lineStart(text, mark), lineAfter(text, rangeAt(node, index).end), "");
  }
}

/**
 * The keys on and below a dash's line: the next key moves up to the dash, or, where a comment is between,
 * the dash stays alone. Answers the indices that are left to remove.
 */
function removeBehindDash(patch: Patch, node: MappingNode, removed: readonly number[]): readonly number[] {
  const { text } = patch;
  let count = 0;
  while (removed[count] === count) count++;
  if (count >= partsOf(node).length) {
    refuse(patch, node.start, [], { why: "nothing would be left of it", hint: "remove the item" });
    return [];
  }
  const kept = rangeAt(node, count).start;
  const own = lineAfter(text, rangeAt(node, 0).end);
  if (count === 1 && text.slice(own, kept).trim() !== "") {
    replace(patch, node.start, own - (text[own - 2] === "\r" ? 2 : 1), "");
    return removed.slice(1);
  }
  replace(patch, node.start, kept, "");
  return removed.slice(count);
}

/** `key:` whose last child goes holds an empty collection from then on. */
function emptyBlock(patch: Patch, { node, entry, path }: Site): void {
  const at = entry === undefined ? undefined : behindColon(patch.text, entry.keyEnd);
  if (at === undefined || /^[ \t]*[&!]/.test(patch.text.slice(at, node.start)))
    refuse(patch, node.start, path, {
      why: "nothing would be left of it",
      hint: "write it as an empty list or mapping by hand",
    });
  else replace(patch, at, at, node.kind === "mapping" ? " {}" : " []");
}

// ── flow style ──────────────────────────────────────────────────────────────

function editFlow(patch: Patch, node: Collection, removed: readonly number[], insertions: readonly Insertion[]): void {
  const gone = new Set(removed);
  let lastKept = partsOf(node).length - 1;
  while (gone.has(lastKept)) lastKept--;
  let fresh = true;
  for (const insertion of insertions) {
    let anchor = Math.min(insertion.after, partsOf(node).length - 1);
    while (gone.has(anchor)) anchor--;
    if (anchor >= 0) {
      const at = rangeAt(node, anchor).end;
      replace(patch, at, at, `, ${insertion.inline()}`);
    } else {
      replace(
        patch,
        node.start + 1,
        node.start + 1,
        lastKept >= 0 ? `${insertion.inline()}, ` : `${fresh ? "" : ", "}${insertion.inline()}`,
      );
      fresh = false;
    }
  }
  for (const index of removed) removeFlow(patch, node, index, index > lastKept && lastKept >= 0);
}

/** @param trailing nothing that stays follows it, and something that stays is before it */
function removeFlow(patch: Patch, node: Collection, index: number, trailing: boolean): void {
  const { text } = patch;
  const { start, end } = rangeAt(node, index);
  const before = index > 0 ? rangeAt(node, index - 1).end : node.start + 1;
  if (trailing && !text.slice(before, start).includes("\n")) return replace(patch, before, end, "");
  const next = index + 1 < partsOf(node).length ? rangeAt(node, index + 1).start : undefined;
  if (next !== undefined && !/[\n#]/.test(text.slice(end, next))) return replace(patch, start, next, "");
  const comma = skipBlank(text, end);
  const rest = /[ \t]*(?:#[^\r\n]*)?/y;
  rest.lastIndex = text[comma] === "," ? comma + 1 : end;
  rest.test(text);
  const breaks = text[rest.lastIndex] === "\n" || text[rest.lastIndex] === "\r";
  if (breaks && startsLine(text, start)) replace(patch, lineStart(text, start), lineAfter(text, rest.lastIndex), "");
  else replace(patch, start, rest.lastIndex, "");
}
