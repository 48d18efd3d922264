/** The entry of a server in a JSON configuration file: only its own lines change, comments and the rest stay. Pure. */
import { isDeepStrictEqual } from "node:util";
import { applySplices, entryFrom, refusedAt, type EntryEdit, type EntryRead } from "./entry.ts";
import { readJsonc, type JsonNode } from "./jsonc.ts";

/**
 * @param text the file; blank: a new one
 * @param section the member of the file's object that holds the servers
 * @param wanted what the entry is to say; other keys of an entry that is there are kept
 */
export function withJsonEntry(text: string, section: string, name: string, wanted: object): EntryEdit {
  if (text.trim() === "") return { ok: true, text: `${JSON.stringify({ [section]: { [name]: wanted } }, null, 2)}\n` };
  const read = readJsonc(text);
  if (!read.ok) return refusedAt(text, read.offset, read.message);
  const { node: root } = read;
  if (root.members === undefined) return refusedAt(text, root.start, "an object is wanted here");
  const servers = memberOf(root, section);
  if (servers === undefined) return { ok: true, text: added(text, root, section, { [name]: wanted }) };
  if (servers.members === undefined) return refusedAt(text, servers.start, `${section} is no object`);
  const entry = memberOf(servers, name);
  if (entry === undefined) return { ok: true, text: added(text, servers, name, wanted) };
  const merged = { ...(entry.members === undefined ? {} : Object(entry.value)), ...wanted };
  if (isDeepStrictEqual(entry.value, merged)) return { ok: true, text };
  const put = rendered(merged, indentAt(text, entry.start), styleOf(text));
  return { ok: true, text: applySplices(text, [{ start: entry.start, end: entry.end, text: put }]) };
}

/** @param section as `withJsonEntry` takes it */
export function jsonEntryOf(text: string, section: string, name: string): EntryRead {
  if (text.trim() === "") return { ok: true, entry: null };
  const read = readJsonc(text);
  if (!read.ok) return refusedAt(text, read.offset, read.message);
  const servers = memberOf(read.node, section);
  const entry = servers === undefined ? undefined : memberOf(servers, name);
  const said = (key: string): unknown => (entry === undefined ? undefined : memberOf(entry, key)?.value);
  return { ok: true, entry: entryFrom(said("command"), said("args")) };
}

function memberOf(node: JsonNode, key: string): JsonNode | undefined {
  return node.members?.findLast((member) => member.key === key)?.node;
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
function added(text: string, object: JsonNode, key: string, value: unknown): string {
  const style = styleOf(text);
  const last = object.members?.at(-1);
  const comma =
    last === undefined || object.trailingComma === true
      ? []
      : [{ start: last.node.end, end: last.node.end, text: "," }];
  const outer = indentAt(text, object.start);
  const inner = last === undefined ? `${outer}${style.unit}` : indentAt(text, last.node.start);
  const close = object.end - 1;
  const flat = !text.slice(object.start, object.end).includes("\n");
  const member = `${style.eol}${inner}${JSON.stringify(key)}: ${rendered(value, inner, style)}`;
  if (flat && last !== undefined) {
    const put = `${comma.length > 0 ? "," : ""} ${JSON.stringify(key)}: ${JSON.stringify(value)}`;
    const at = object.trailingComma === true ? close : last.node.end;
    return applySplices(text, [{ start: at, end: at, text: put }]);
  }
  // Behind a comment at the end, in front of the line of the closing brace.
  const body = text.slice(object.start + 1, close).trimEnd();
  const at = object.start + 1 + body.length;
  const tail = flat ? `${style.eol}${outer}` : "";
  const rest = flat ? close : at;
  return applySplices(text, [...comma, { start: at, end: rest, text: `${member}${tail}` }]);
}
