/** The entry of a server in a TOML configuration file: only its own lines change, comments and the rest stay. Pure. */
import { isDeepStrictEqual } from "node:util";
import { applySplices, entryFrom, refusedAt, type EntryEdit, type EntryRead, type ServerEntry } from "./entry.ts";
import { readToml, type TomlTable } from "./toml.ts";

/** @param section the table that holds a table per server */
export function withTomlEntry(text: string, section: string, name: string, entry: ServerEntry): EntryEdit {
  const read = readToml(text);
  if (!read.ok) return refusedAt(text, read.offset, read.message);
  const path = [section, name];
  // `mcp_servers = { ... }`, `mcp_servers.aot.command = ...`: a second spelling of the same thing is not TOML.
  for (const { path: head, pairs } of read.tables) {
    const pair = head.length >= path.length ? undefined : pairs.find((one) => isWithin([...head, ...one.path], path));
    if (pair !== undefined)
      return refusedAt(
        text,
        pair.start,
        `${path.join(".")} is written as a key here, which is not changed by a program`,
      );
  }
  const table = read.tables.find((one) => isDeepStrictEqual(one.path, path));
  return { ok: true, text: table === undefined ? appended(text, path, entry) : changed(text, table, entry) };
}

/** @param section as `withTomlEntry` takes it. Of an entry that is written as a key nothing is known. */
export function tomlEntryOf(text: string, section: string, name: string): EntryRead {
  const read = readToml(text);
  if (!read.ok) return refusedAt(text, read.offset, read.message);
  const table = read.tables.find((one) => isDeepStrictEqual(one.path, [section, name]));
  const said = (key: string): unknown => table?.pairs.find((pair) => isDeepStrictEqual(pair.path, [key]))?.value;
  return { ok: true, entry: entryFrom(said("command"), said("args")) };
}

/** Whether a key stands at a path, above it or below it. */
function isWithin(key: readonly string[], path: readonly string[]): boolean {
  const common = Math.min(key.length, path.length);
  return isDeepStrictEqual(key.slice(0, common), path.slice(0, common));
}

function changed(text: string, table: TomlTable, entry: ServerEntry): string {
  const lines: string[] = [];
  const splices = Object.entries(entry).flatMap(([key, value]: [string, ServerEntry["command" | "args"]]) => {
    const pair = table.pairs.find((one) => isDeepStrictEqual(one.path, [key]));
    if (pair === undefined) {
      lines.push(`${key} = ${tomlOf(value)}${eolOf(text)}`);
      return [];
    }
    return isDeepStrictEqual(pair.value, value) ? [] : [{ start: pair.start, end: pair.end, text: tomlOf(value) }];
  });
  const open = table.body > 0 && text[table.body - 1] !== "\n" ? eolOf(text) : "";
  const missing = lines.length === 0 ? [] : [{ start: table.body, end: table.body, text: `${open}${lines.join("")}` }];
  return applySplices(text, [...splices, ...missing]);
}

function appended(text: string, path: readonly string[], { command, args }: ServerEntry): string {
  const eol = eolOf(text);
  const gap = text.trim() === "" ? "" : text.endsWith("\n") ? eol : `${eol}${eol}`;
  const lines = [`[${path.map(keyOf).join(".")}]`, `command = ${tomlOf(command)}`, `args = ${tomlOf(args)}`];
  return `${text.trim() === "" ? "" : text}${gap}${lines.join(eol)}${eol}`;
}

function eolOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

function keyOf(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : tomlOf(key);
}

function tomlOf(value: string | readonly string[]): string {
  if (typeof value !== "string") return `[${value.map(tomlOf).join(", ")}]`;
  return JSON.stringify(Buffer.from(value).toString("utf8")).replaceAll("\u007f", "\\u007F");
}
