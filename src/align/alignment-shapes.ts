/** Shapes in which people write an alignment, as those of the schema; every part keeps its place in the text. */
import { CHECK_TYPE_NAMES } from "../core/check-types.ts";
import { parseCheck } from "../core/check-text.ts";
import { content, type Entry, type Node } from "../statefile/node.ts";

/**
 * Fields below `objective:` are the alignment's own; a list is a base case's checklist and a group's choices; an item may be its
 * check alone (`{type, value}`, `command: npm test`, or that as a text).
 */
export function inSchemaShape(root: Node): Node {
  return overEntries(root, (entry) => {
    const { name, value } = entry;
    if (name === "objective" && content(value).kind === "mapping") return entriesOf(inSchemaShape(value));
    if (name === "base_case") return [{ ...entry, value: checksIn(listAs("checklist", value)) }];
    if (name !== "or_groups") return [entry];
    return [{ ...entry, value: overEntries(value, (one) => [{ ...one, value: listAs("choices", one.value) }]) }];
  });
}

function listAs(name: string, node: Node): Node {
  return content(node).kind === "sequence" ? mapping(node, { [name]: node }) : node;
}

const LISTS: readonly (string | null)[] = ["checklist", "group", "any_of"];

function checksIn(node: Node): Node {
  const lists = (entry: Entry): Entry => ({ ...entry, value: itemsIn(entry.value) });
  return checkIn(node)?.check ?? overEntries(node, (entry) => [LISTS.includes(entry.name) ? lists(entry) : entry]);
}

function itemsIn(list: Node): Node {
  const node = content(list);
  if (node.kind !== "sequence") return list;
  const items = node.items.map((item) => {
    const alone = checkIn(item);
    return alone === null ? checksIn(item) : mapping(item, alone);
  });
  return { ...node, items };
}

/** A check alone, with the text that names it; null: it is an item already, or nothing that is known. */
function checkIn(node: Node): { readonly item: Node; readonly check: Node } | null {
  const here = content(node);
  if (here.kind === "scalar" && typeof here.value === "string") {
    const read = parseCheck(here.value);
    if (!read.ok || read.value.type === "quality") return null;
    const value = textAt(here, read.value.value);
    return { item: value, check: mapping(here, { type: textAt(here, read.value.type), value }) };
  }
  const fields = Object.fromEntries(entriesOf(here).map(({ name, value }) => [name ?? "", value]));
  const { type, item, value, criteria, ...rest } = fields;
  if (type !== undefined) return { item: value ?? criteria ?? textAt(here, "quality"), check: node };
  const key = CHECK_TYPE_NAMES.find((name) => rest[name] !== undefined);
  const words = key === undefined ? undefined : rest[key];
  if (key === undefined || words === undefined || item !== undefined) return null;
  const { [key]: _, ...more } = rest;
  const own = { type: textAt(words, key), [key === "quality" ? "criteria" : "value"]: words };
  return { item: words, check: mapping(here, { ...own, ...more }) };
}

type Place = Pick<Node, "start" | "end">;

function textAt({ start, end }: Place, value: string): Node {
  return { kind: "scalar", style: "quoted", value, start, end };
}

function mapping({ start, end }: Place, fields: Readonly<Record<string, Node>>): Node {
  const entries = Object.entries(fields).map(([name, value]) => ({ name, start, keyEnd: start, end, value }));
  return { kind: "mapping", flow: true, start, end, entries, merges: [] };
}

function entriesOf(node: Node): readonly Entry[] {
  const here = content(node);
  return here.kind === "mapping" ? here.entries : [];
}

function overEntries(node: Node, change: (entry: Entry) => readonly Entry[]): Node {
  const here = content(node);
  return here.kind === "mapping" ? { ...here, entries: here.entries.flatMap(change) } : node;
}
