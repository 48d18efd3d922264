/** Edits in a mapping whose keys are the writer's: OR groups by name, bindings by atom. */
import { assignEntry } from "./assign.ts";
import { editChildren, type Insertion } from "./children.ts";
import { diffFields, isOpen, newEntry, type Values } from "./diff.ts";
import { type Patch, refuse } from "./edits.ts";
import { content, type Entry, valueUnder } from "./node.ts";
import type { Trace } from "./problems.ts";
import { fieldsFor } from "./render.ts";
import { isSame } from "./same.ts";
import type { Field, ObjectType } from "./field-types.ts";

/** One key of the table; undefined: absent before, or after. */
export interface Row {
  readonly name: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** @param rows those that may differ; new ones come last and are appended in their order */
export function diffTable(
  patch: Patch,
  entry: Entry,
  field: Field,
  {
    rows,
    all,
    flow,
    trace,
  }: {
    readonly rows: readonly Row[];
    readonly all: () => readonly (readonly [string, unknown])[];
    readonly flow: boolean;
    readonly trace: Trace;
  },
): void {
  const { type } = field;
  const node = content(entry.value);
  if (type.kind !== "table") return;
  if (node.kind !== "mapping" || node.size === 0) return assignEntry(patch, entry, { type, value: all(), flow, trace });
  if (!isOpen(patch, entry.value, trace)) return;
  const removed: number[] = [];
  const insertions: Insertion[] = [];
  for (const { name, before, after } of rows) {
    if (isSame(before, after)) continue;
    const here = { up: trace, key: name };
    const index = node.indexOf(name);
    if (after === undefined) {
      if (index >= 0) removed.push(index);
      if (node.merges.some((merged) => valueUnder(merged, name) !== undefined))
        refuse(patch, node.start, here, { why: "a merge key (<<) brings it in", hint: "write the merged keys out" });
    } else if (index < 0) insertions.push(newEntry(name, type.of, after, node.size - 1));
    else {
      const child = node.entry(index);
      const value = content(child.value);
      if (value.kind !== "mapping")
        assignEntry(patch, child, { type: type.of, value: after, flow: node.flow, trace: here });
      else if (isOpen(patch, child.value, here))
        diffFields(
          patch,
          { node: value, entry: child, trace: here },
          fieldsFor(type.of as ObjectType, after as Values),
          { before: before as Values, after: after as Values },
        );
    }
  }
  editChildren(
    patch,
    { node, entry, trace },
    removed.toSorted((a, b) => a - b),
    insertions,
  );
}
