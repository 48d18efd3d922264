/** The entry of a server in a JSON configuration file: only its own lines change, comments and the rest stay. Pure. */
import { isDeepStrictEqual } from "node:util";
import { placeOf, readJson, under, valueOf, type JsonNode, type ObjectNode } from "../core/json-tree.ts";
import type { Problem } from "../core/problem.ts";
import { applySplices, entryFrom, type EntryEdit, type EntryRead, type Unreadable } from "./entry.ts";

/**
 * @param text the file; blank: a new one
 * @param section the member of the file's object that holds the servers
 * @param wanted what the entry is to say; other keys of an entry that is there are kept
 */
export function withJsonEntry(text: string, section: string, name: string, wanted: object): EntryEdit {
  if (text.trim() === "") return { ok: true, text: `${JSON.stringify({ [section]: { [name]: wanted } }, null, 2)}\n` };
  const read = readJson(text, true);
  if (!read.ok) return unreadable(read.problems);
  const { root } = read;
  if (root.kind !== "object") return refusedAt(text, root.start, "an object is wanted here");
  const servers = under(root, section);
  if (servers === undefined) return { ok: true, text: added(text, root, section, { [name]: wanted }) };
  if (servers.kind !== "object") return refusedAt(text, servers.start, `${section} is no object`);
  const entry = under(servers, name);
  if (entry === undefined) return { ok: true, text: added(text, servers, name, wanted) };
  const said = valueOf(entry);
  const merged = { ...(entry.kind === "object" ? Object(said) : {}), ...wanted };
  if (isDeepStrictEqual(said, merged)) return { ok: true, text };
  const put = rendered(merged, indentAt(text, entry.start), styleOf(text));
  return { ok: true, text: applySplices(text, [{ start: entry.start, end: entry.end, text: put }]) };
}

/** @param section as `withJsonEntry` takes it */
export function jsonEntryOf(text: string, section: string, name: string): EntryRead {
  if (text.trim() === "") return { ok: true, entry: null };
  const read = readJson(text, true);
  if (!read.ok) return unreadable(read.problems);
  const member = (node: JsonNode | undefined, key: string): JsonNode | undefined =>
    node?.kind === "object" ? under(node, key) : undefined;
  const entry = member(member(read.root, section), name);
  const [command, args] = ["command", "args"].map((key) => member(entry, key)).map((node) => node && valueOf(node));
  return { ok: true, entry: entryFrom(command, args) };
}

function unreadable([problem]: readonly Problem[]): Unreadable {
  return { ok: false, message: problem?.message ?? "", ...(problem?.at === undefined ? {} : { at: problem.at }) };
}

function refusedAt(text: string, offset: number, message: string): Unreadable {
  return { ok: false, message, at: placeOf(text, offset) };
}

interface Style {
  readonly unit: string;
  readonly eol: string;
}

function styleOf(text: string): Style {
  return { unit: /^([ \t]+)"/m.exec(text)?.[1] ?? "  ", eol: text.includes("\r\n") ? "\r\n" : "\n" };
}

/** The white space that the line of this place begins with. */
function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", offset - 1) + 1))?.[0] ?? "";
}

function rendered(value: unknown, indent: string, { unit, eol }: Style): string {
  return JSON.stringify(value, null, unit).replaceAll("\n", `${eol}${indent}`);
}

/** The text with a further member of an object, behind whatever is in it. */
function added(text: string, object: ObjectNode, key: string, value: unknown): string {
  const style = styleOf(text);
  const last = object.entries.at(-1);
  const comma =
    last === undefined || object.trailing ? [] : [{ start: last.value.end, end: last.value.end, text: "," }];
  const outer = indentAt(text, object.start);
  const inner = last === undefined ? `${outer}${style.unit}` : indentAt(text, last.value.start);
  const close = object.end - 1;
  const flat = !text.slice(object.start, object.end).includes("\n");
  const member = `${style.eol}${inner}${JSON.stringify(key)}: ${rendered(value, inner, style)}`;
  if (flat && last !== undefined) {
    const put = `${comma.length > 0 ? "," : ""} ${JSON.stringify(key)}: ${JSON.stringify(value)}`;
    const at = object.trailing ? close : last.value.end;
    return applySplices(text, [{ start: at, end: at, text: put }]);
  }
  // Behind a comment at the end, in front of the line of the closing brace.
  const body = text.slice(object.start + 1, close).trimEnd();
  const at = object.start + 1 + body.length;
  const tail = flat ? `${style.eol}${outer}` : "";
  const rest = flat ? close : at;
  return applySplices(text, [...comma, { start: at, end: rest, text: `${member}${tail}` }]);
}
