/**
 * A phase loop into the text that it was read from.
 *
 * PRINT-STATE-1 printing what was read gives the text that was read;
 * PRINT-STATE-2 reading what was printed gives the loop that was printed;
 * PRINT-STATE-3 what is not changed stays as it is: unknown keys, their order, white space, line ends.
 */
import { accepted, type Result } from "../../core/problem.ts";
import type { JsonNode, ObjectNode, Range } from "../../core/json-tree.ts";
import { readState, type StateText } from "./read-state.ts";
import type { GateState, PhaseLoop, PhaseState } from "./state.ts";

type Json = string | number | boolean | null | readonly Json[] | Members;
/** An object's members, in their order. */
type Members = ReadonlyMap<string, Json>;

const INDENT = "  ";

/** The whole text of a new state file, as the schema lays it out. */
export function stateText(loop: PhaseLoop): string {
  return `${rendered(members(loop), "", "\n", false)}\n`;
}

/** The text with another loop in it. */
export function printState(document: StateText, next: PhaseLoop): Result<string> {
  const edits: (Range & { readonly text: string })[] = [];
  const eol = document.text.includes("\r\n") ? "\r\n" : "\n";
  collect(document.root, members(next), members(document.loop), {
    text: document.text,
    eol,
    edit: (range, text) => edits.push({ ...range, text }),
  });
  let printed = document.text;
  for (const { start, end, text } of edits.toSorted((a, b) => b.start - a.start))
    printed = printed.slice(0, start) + text + printed.slice(end);
  const read = readState(printed);
  return read.ok ? accepted(printed) : read;
}

function members(loop: PhaseLoop): Members {
  return new Map<string, Json>([
    ["loop", loop.loop],
    ["version", loop.version],
    ["mode", loop.mode],
    ["phase", loop.phase],
    ["status", loop.status],
    ["gates", new Map(loop.gates.map(({ id, ...gate }) => [id, fields<Omit<GateState, "id">>(gate)]))],
    ["phases", new Map(loop.phases.map(({ name, ...phase }) => [name, fields<Omit<PhaseState, "name">>(phase)]))],
    ["metrics", new Map(loop.metrics.map(({ name, value }) => [name, value]))],
    ["started_at", loop.started_at],
    ["last_updated", loop.last_updated],
  ]);
}

function fields<T extends Readonly<Record<keyof T, Json>>>(record: T): Members {
  return new Map(Object.entries<Json>(record));
}

// ── what changes in a text ──────────────────────────────────────────────────

interface Source {
  readonly text: string;
  readonly eol: string;
  /** Writes something else in the place of a range. */
  edit(range: Range, text: string): unknown;
}

/** Replaces what differs between two values below a node that stands for the second. */
function collect(node: JsonNode, next: Json, before: Json | undefined, source: Source): void {
  if (before !== undefined && same(next, before)) return;
  if (node.kind === "object" && next instanceof Map) collectMembers(node, next, before, source);
  else source.edit(node, rendered(next, indentAt(source.text, node.start), source.eol, isFlow(node, source)));
}

function collectMembers(node: ObjectNode, next: Members, before: Json | undefined, source: Source): void {
  const old: Members = before instanceof Map ? before : new Map();
  if (node.entries.some(({ key }) => old.has(key) && !next.has(key))) return rebuild(node, next, old, source);
  const added: [string, Json][] = [];
  for (const [key, value] of next) {
    const there = node.entries.find((entry) => entry.key === key);
    // A key that is not there and reads as null says the same.
    if (there !== undefined) collect(there.value, value, old.get(key), source);
    else if (!old.has(key) || !same(value, old.get(key) ?? null)) added.push([key, value]);
  }
  if (added.length > 0) insert(node, added, source);
}

function insert(node: ObjectNode, added: readonly (readonly [string, Json])[], source: Source): void {
  const last = node.entries.at(-1);
  const flow = isFlow(node, source) && last !== undefined;
  const inner = last === undefined ? indentAt(source.text, node.start) + INDENT : indentAt(source.text, last.start);
  const parts = added.map(([key, value]) => {
    const line = flow ? " " : `${source.eol}${inner}`;
    return `${line}${JSON.stringify(key)}: ${rendered(value, inner, source.eol, flow)}`;
  });
  if (last !== undefined) source.edit({ start: last.value.end, end: last.value.end }, `,${parts.join(",")}`);
  else source.edit(node, `{${parts.join(",")}${source.eol}${indentAt(source.text, node.start)}}`);
}

/** Writes an object anew that loses members; what is not known in it is kept as it was written. */
function rebuild(node: ObjectNode, next: Members, old: Members, source: Source): void {
  const indent = indentAt(source.text, node.start);
  const flow = isFlow(node, source);
  const kept = node.entries
    .filter(({ key }) => !old.has(key))
    .map(({ start, value }) => source.text.slice(start, value.end));
  const known = [...next].map(
    ([key, value]) => `${JSON.stringify(key)}: ${rendered(value, indent + INDENT, source.eol, flow)}`,
  );
  const line = `${source.eol}${indent}`;
  const parts = [...kept, ...known];
  if (parts.length === 0) source.edit(node, "{}");
  else
    source.edit(node, flow ? `{ ${parts.join(", ")} }` : `{${line}${INDENT}${parts.join(`,${line}${INDENT}`)}${line}}`);
}

function isFlow(node: JsonNode, { text }: Source): boolean {
  return node.end > node.start + 2 && !text.slice(node.start, node.end).includes("\n");
}

/** The white space that the offset's line begins with. */
function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

function rendered(value: Json, indent: string, eol: string, flow: boolean): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const inner = indent + INDENT;
  // Lists of texts stand on one line, as in the schema.
  if (!(value instanceof Map))
    return `[${[...(value as readonly Json[])].map((item) => rendered(item, inner, eol, true)).join(", ")}]`;
  if (value.size === 0) return "{}";
  const parts = [...value].map(([key, item]) => `${JSON.stringify(key)}: ${rendered(item, inner, eol, flow)}`);
  return flow ? `{ ${parts.join(", ")} }` : `{${eol}${inner}${parts.join(`,${eol}${inner}`)}${eol}${indent}}`;
}

function same(a: Json, b: Json): boolean {
  if (a instanceof Map && b instanceof Map)
    return (
      a.size === b.size &&
      [...a].every(([key, value], index) => {
        const [name, other] = [...b][index] ?? [];
        return name === key && other !== undefined && same(value, other);
      })
    );
  return Array.isArray(a) && Array.isArray(b)
    ? a.length === b.length && a.every((item: Json, index) => same(item, b[index] ?? null))
    : Object.is(a, b);
}
