/**
 * What has to change in the source tree so that it holds another value: goes down to the smallest node that differs
 * and edits there. Only fields of the schema are compared; unknown keys are nobody's difference.
 */
import { align, type Alignment } from "./align.ts";
import { assignEntry, assignItem } from "./assign.ts";
import { editChildren, type Insertion, type Site } from "./children.ts";
import { type Patch, refuse, WRITE_OUT } from "./edits.ts";
import { content, type Entry, type MappingNode, type Node, type SequenceNode, valueUnder } from "./node.ts";
import type { Trace } from "./problems.ts";
import { addEntry, addItem, fieldsFor, isScalarType, renderInline, renderKey } from "./render.ts";
import { isSame } from "./same.ts";
import type { Field, Fields, ListType, ObjectType, Type } from "./field-types.ts";

type Values = Readonly<Record<string, unknown>>;

/** The value under a key. `flow`: whether the mapping that holds the entry is in braces. */
export function diffEntry(
  patch: Patch,
  entry: Entry,
  { type, whole }: Field,
  {
    before,
    after,
    flow,
    trace,
  }: { readonly before: unknown; readonly after: unknown; readonly flow: boolean; readonly trace: Trace },
): void {
  if (isSame(before, after)) return;
  const here = content(entry.value);
  const nested =
    whole !== true &&
    !isWrittenWhole(entry.value, type) &&
    here.kind !== "scalar" &&
    here.size > 0 &&
    typeof after === "object" &&
    after !== null;
  if (!nested) assignEntry(patch, entry, { type, value: after, flow, trace });
  else if (isOpen(patch, entry.value, trace))
    diffCollection(patch, { node: here, entry, trace }, type, { before, after });
}

/** An alias to a scalar, or to a list of them, gives way to the new value. */
function isWrittenWhole(node: Node, type: Type): boolean {
  return isScalarType(type) || (node.kind === "alias" && type.kind === "list" && isScalarType(type.of));
}

function diffCollection(
  patch: Patch,
  { node, entry, trace }: Site,
  type: Type,
  { before, after }: { readonly before: unknown; readonly after: unknown },
): void {
  if (node.kind === "mapping")
    return diffFields(patch, { node, entry, trace }, fieldsFor(type as ObjectType, after as Values), {
      before: before as Values,
      after: after as Values,
    });
  const lists = [before as unknown[], after as unknown[]] as const;
  diffList(
    patch,
    { node, entry, trace },
    { type: type as ListType, before: (i) => lists[0][i], after: (j) => lists[1][j] },
    align(...lists),
  );
}

/** Whether edits inside a node show in one place only. */
export function isOpen(patch: Patch, node: Node, trace: Trace | undefined): boolean {
  if (node.kind !== "alias" && node.lock === undefined) return true;
  const tagged = node.kind !== "alias" && node.lock === "tagged";
  if (tagged) refuse(patch, node.start, trace, { why: "it has an explicit tag", hint: "remove the tag" });
  else
    refuse(patch, node.start, trace, {
      why: "it is an alias, or an alias elsewhere refers to it",
      hint: WRITE_OUT,
    });
  return false;
}

/** A field of a mapping as it was and is to be; undefined: absent. */
export interface Row {
  readonly key: string;
  readonly field: Field;
  readonly before: unknown;
  readonly after: unknown;
}

/** @param rows new ones are appended in their order */
export function diffRows(patch: Patch, site: Site<MappingNode>, rows: readonly Row[]): void {
  const { node, trace } = site;
  const removed: number[] = [];
  const insertions: Insertion[] = [];
  for (const { key, field, before, after } of rows) {
    if (isSame(before, after)) continue;
    const here = { up: trace, key };
    const index = node.indexOf(key);
    if (after === undefined) {
      if (index >= 0) removed.push(index);
      if (node.merges.some((merged) => valueUnder(merged, key) !== undefined))
        refuse(patch, node.start, here, { why: "a merge key (<<) brings it in", hint: "write the merged keys out" });
    } else if (index >= 0) diffEntry(patch, node.entry(index), field, { before, after, flow: node.flow, trace: here });
    else insertions.push(newEntry(key, field.type, after, node.size - 1));
  }
  editChildren(
    patch,
    site,
    removed.toSorted((a, b) => a - b),
    insertions,
  );
}

function diffFields(
  patch: Patch,
  site: Site<MappingNode>,
  fields: Fields,
  { before, after }: { readonly before: Values; readonly after: Values },
): void {
  const rows = Object.entries(fields).map(([key, field]) => ({ key, field, before: before[key], after: after[key] }));
  diffRows(patch, site, rows);
}

export function newEntry(key: string, type: Type, value: unknown, after: number): Insertion {
  return {
    after,
    addLines: (lines, indent) => addEntry(lines, key, { type, value }, indent),
    inline: () => `${renderKey(key)}: ${renderInline(type, value)}`,
  };
}

/** `before` and `after` give the items by index: a list of ten thousand is not copied for one that changed. */
export function diffList(
  patch: Patch,
  site: Site<SequenceNode>,
  {
    type: { of },
    before,
    after,
  }: {
    readonly type: ListType;
    readonly before: (index: number) => unknown;
    readonly after: (index: number) => unknown;
  },
  { changed, removed, inserted }: Alignment,
): void {
  const { node, trace } = site;
  const gone = [...removed];
  const fresh = [...inserted];
  for (const [i, j] of changed) {
    const item = node.item(i);
    const here = { up: trace, key: i };
    if (isScalarType(of)) assignItem(patch, item, { type: of, value: after(j), trace: here });
    else if (isOpen(patch, item, here)) {
      const fields =
        item.kind === "mapping" ? commonFields(of as ObjectType, before(i) as Values, after(j) as Values) : undefined;
      if (fields !== undefined && item.kind === "mapping")
        diffFields(patch, { node: item, entry: undefined, trace: here }, fields, {
          before: before(i) as Values,
          after: after(j) as Values,
        });
      else {
        gone.push(i);
        fresh.push({ after: i, index: j });
      }
    }
  }
  const insertions = fresh
    .toSorted((a, b) => a.index - b.index)
    .map(({ after: place, index }) => newItem(of, after(index), place));
  editChildren(
    patch,
    site,
    gone.toSorted((a, b) => a - b),
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
