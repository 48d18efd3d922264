/**
 * What has to change in the source tree so that it holds another value: goes down to the smallest node that differs
 * and edits there. Only fields of the schema are compared; unknown keys are nobody's difference.
 */
import { assignEntry, assignItem } from "./assign.ts";
import { editChildren, type Insertion, type Site } from "./children.ts";
import { type Patch, refuse, WRITE_OUT } from "./edits.ts";
import { content, type Entry, type MappingNode, type Node, type SequenceNode, valueUnder } from "./node.ts";
import type { Path } from "./problems.ts";
import { addEntry, addItem, fieldsFor, isScalarType, renderInline, renderKey } from "./render.ts";
import { isSame } from "./same.ts";
import type { Field, Fields, ListType, ObjectType, TableType, Type } from "./field-types.ts";

type Values = Readonly<Record<string, unknown>>;
type Pairs = readonly (readonly [string, unknown])[];

/** The value under a key. `flow`: whether the mapping that holds the entry is in braces. */
function diffEntry(
  patch: Patch,
  entry: Entry,
  { type, whole }: Field,
  {
    before,
    after,
    flow,
    path,
  }: { readonly before: unknown; readonly after: unknown; readonly flow: boolean; readonly path: Path },
): void {
  const node = content(entry.value);
  const nested =
    whole !== true &&
    !isWrittenWhole(entry.value, type) &&
    !(type.kind === "table" && isReordered(type, before as Pairs, after as Pairs)) &&
    node.kind !== "scalar" &&
    (node.kind === "mapping" ? node.entries : node.items).length > 0 &&
    typeof after === "object" &&
    after !== null;
  if (!nested) return assignEntry(patch, entry, { type, value: after, flow, path });
  if (!isOpen(patch, entry.value, path)) return;
  const site = { node, entry, path };
  if (site.node.kind === "sequence")
    diffList(patch, { ...site, node: site.node }, type as ListType, {
      before: before as readonly unknown[],
      after: after as readonly unknown[],
    });
  else diffRows(patch, { ...site, node: site.node }, rowsOf(type, before, after));
}

/** An alias to a scalar, or to a list of them, gives way to the new value. */
function isWrittenWhole(node: Node, type: Type): boolean {
  return isScalarType(type) || (node.kind === "alias" && type.kind === "list" && isScalarType(type.of));
}

/** In a table whose order counts what is new comes last; in any other order it is written anew. */
function isReordered({ ordered }: TableType, before: Pairs, after: Pairs): boolean {
  const names = after.map(([name]) => name);
  const kept = before.flatMap(([name]) => (names.includes(name) ? [name] : []));
  return ordered === true && kept.some((name, index) => names[index] !== name);
}

/** Whether edits inside a node show in one place only. */
function isOpen(patch: Patch, node: Node, path: Path): boolean {
  if (node.kind !== "alias" && node.lock === undefined) return true;
  const tagged = node.kind !== "alias" && node.lock === "tagged";
  if (tagged) refuse(patch, node.start, path, { why: "it has an explicit tag", hint: "remove the tag" });
  else
    refuse(patch, node.start, path, {
      why: "it is an alias, or an alias elsewhere refers to it",
      hint: WRITE_OUT,
    });
  return false;
}

/** A field of a mapping as it was and is to be; undefined: absent. */
interface Row {
  readonly key: string;
  readonly field: Field;
  readonly before: unknown;
  readonly after: unknown;
}

function rowsOf(type: Type, before: unknown, after: unknown): readonly Row[] {
  if (type.kind !== "table") return rowsOfFields(fieldsFor(type as ObjectType, after as Values), before, after);
  const [was, is] = [new Map(before as Pairs), new Map(after as Pairs)];
  const field = { type: type.of, doc: "" };
  return [...new Set([...was.keys(), ...is.keys()])].map((key) => ({
    key,
    field,
    before: was.get(key),
    after: is.get(key),
  }));
}

function rowsOfFields(fields: Fields, before: unknown, after: unknown): readonly Row[] {
  const [was, is] = [before as Values, after as Values];
  return Object.entries(fields).map(([key, field]) => ({ key, field, before: was[key], after: is[key] }));
}

interface Change {
  readonly before: object;
  readonly after: object;
}

/** What of the root's fields differs. One that is new goes behind the field that the schema has before it. */
export function diffRoot(patch: Patch, root: MappingNode, fields: Fields, { before, after }: Change): void {
  const names = Object.keys(fields);
  const placeOf = (key: string): number =>
    root.entries.findLastIndex(({ name }) => names.slice(0, names.indexOf(key)).includes(name ?? ""));
  diffRows(patch, { node: root, entry: undefined, path: [] }, rowsOfFields(fields, before, after), placeOf);
}

/** @param placeOf the index behind which a new row goes; negative: behind all */
function diffRows(
  patch: Patch,
  site: Site<MappingNode>,
  rows: readonly Row[],
  placeOf: (key: string) => number = () => -1,
): void {
  const { node, path } = site;
  const removed: number[] = [];
  const insertions: Insertion[] = [];
  for (const { key, field, before, after } of rows) {
    if (isSame(before, after)) continue;
    const here = [...path, key];
    const index = node.entries.findIndex(({ name }) => name === key);
    const entry = node.entries[index];
    if (after === undefined) {
      if (index >= 0) removed.push(index);
      if (node.merges.some((merged) => valueUnder(merged, key) !== undefined))
        refuse(patch, node.start, here, { why: "a merge key (<<) brings it in", hint: "write the merged keys out" });
    } else if (entry !== undefined) diffEntry(patch, entry, field, { before, after, flow: node.flow, path: here });
    else {
      const place = placeOf(key);
      insertions.push(newEntry(key, field.type, after, place < 0 ? node.entries.length - 1 : place));
    }
  }
  if (removed.length + insertions.length > 0 && isOpen(patch, node, path))
    editChildren(
      patch,
      site,
      removed.toSorted((a, b) => a - b),
      insertions,
    );
}

function newEntry(key: string, type: Type, value: unknown, after: number): Insertion {
  return {
    after,
    addLines: (lines, indent) => addEntry(lines, key, { type, value }, indent),
    inline: () => `${renderKey(key)}: ${renderInline(type, value)}`,
  };
}

function diffList(
  patch: Patch,
  site: Site<SequenceNode>,
  { of, key }: ListType,
  { before, after }: { readonly before: readonly unknown[]; readonly after: readonly unknown[] },
): void {
  const { node, path } = site;
  const { changed, removed, inserted } = align(before, after, key);
  for (const [i, j] of changed) {
    const item = node.items[i];
    const here = [...path, i];
    if (item === undefined) continue;
    if (isScalarType(of)) assignItem(patch, item, { type: of, value: after[j], path: here });
    else if (isOpen(patch, item, here)) {
      const fields = commonFields(of as ObjectType, before[i] as Values, after[j] as Values);
      if (fields !== undefined && item.kind === "mapping")
        diffRows(patch, { node: item, entry: undefined, path: here }, rowsOfFields(fields, before[i], after[j]));
      else {
        removed.push(i);
        inserted.push({ after: i, index: j });
      }
    }
  }
  const insertions = inserted
    .toSorted((a, b) => a.index - b.index)
    .map(({ after: place, index }) => newItem(of, after[index], place));
  editChildren(
    patch,
    site,
    removed.toSorted((a, b) => a - b),
    insertions,
  );
}

/** The fields of two values of one kind; undefined: they are of two kinds (a trail entry and a correction in it). */
function commonFields(type: ObjectType, before: Values, after: Values): Fields | undefined {
  const fields = fieldsFor(type, after);
  return fieldsFor(type, before) === fields ? fields : undefined;
}

function newItem(type: Type, value: unknown, after: number): Insertion {
  return {
    after,
    addLines: (lines, indent) => addItem(lines, type, value, indent),
    inline: () => renderInline(type, value),
  };
}

interface Alignment {
  /** Indices before and after of items that changed in place. */
  readonly changed: (readonly [number, number])[];
  readonly removed: number[];
  /** Index after, and the index before behind which it belongs (-1: in front). */
  readonly inserted: { readonly after: number; readonly index: number }[];
}

/**
 * Lines two lists up without moving an item: what would have to move is removed and inserted.
 * @param key what an item keeps while it changes; without it an item is only its value
 */
function align(before: readonly unknown[], after: readonly unknown[], key: string | undefined): Alignment {
  const areOne = (one: unknown, other: unknown): boolean =>
    key === undefined ? isSame(one, other) : (one as Values)[key] === (other as Values)[key];
  const anchors: (readonly [number, number])[] = [];
  for (const [j, item] of after.entries()) {
    let i = (anchors.at(-1)?.[0] ?? -1) + 1;
    while (i < before.length && !areOne(before[i], item)) i++;
    if (i < before.length) anchors.push([i, j]);
  }
  const changed = anchors.filter(([i, j]) => !isSame(before[i], after[j]));
  const removed: number[] = [];
  const inserted: { after: number; index: number }[] = [];
  let [i, j] = [0, 0];
  for (const [nextI, nextJ] of [...anchors, [before.length, after.length] as const]) {
    // Between two anchors, items without a key of their own change in place as far as there are two of them.
    if (key === undefined) while (i < nextI && j < nextJ) changed.push([i++, j++]);
    while (i < nextI) removed.push(i++);
    while (j < nextJ) inserted.push({ after: i - 1, index: j++ });
    [i, j] = [nextI + 1, nextJ + 1];
  }
  return { changed, removed, inserted };
}
