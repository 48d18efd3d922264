/**
 * The entry of a server in a TOML configuration file: only its own lines change, comments and the rest stay. Pure.
 *
 * TOML-ENTRY-1 a new text is read before it is answered: it says the entry, and else what the old one said.
 */
import { isDeepStrictEqual } from "node:util";
import { parse, TomlError } from "smol-toml";
import { entryFrom, type EntryEdit, type EntryRead, type ServerEntry } from "./entry.ts";

type Table = Readonly<Record<string, unknown>>;
type Value = string | readonly string[];

/** Characters of a value that can be replaced. */
const LONGEST_VALUE = 2_000;

/**
 * @param section the table that holds a table per server
 * @param name as the section's, of letters, digits, `_` and `-`
 */
export function withTomlEntry(text: string, section: string, name: string, entry: ServerEntry): EntryEdit {
  const read = readToml(text);
  if (!read.ok) return read;
  const servers = tableOf(read.table[section]);
  const there = tableOf(servers?.[name]);
  const says = (so: string, server: Table): boolean => {
    const again = readToml(so);
    return again.ok && isDeepStrictEqual(again.table, { ...read.table, [section]: { ...servers, [name]: server } });
  };
  let edited: string | undefined = text;
  if (there === undefined) edited = [appended(text, [section, name], entry)].find((so) => says(so, { ...entry }));
  let server: Table = there ?? { ...entry };
  for (const [key, value] of Object.entries(entry).toReversed() as [string, Value][]) {
    if (edited === undefined || isDeepStrictEqual(server[key], value)) continue;
    const put = server[key] === undefined ? added : replaced;
    server = { ...server, [key]: value };
    edited = put(edited, [section, name], key, value).find((so) => says(so, server));
  }
  if (edited !== undefined) return { ok: true, text: edited };
  // `mcp_servers = { ... }`, `mcp_servers.aot.command = ...`: a second spelling of the same thing is not TOML.
  return { ok: false, message: `${section}.${name} is written as a key here, which is not changed by a program` };
}

/** @param section as `withTomlEntry` takes it */
export function tomlEntryOf(text: string, section: string, name: string): EntryRead {
  const read = readToml(text);
  if (!read.ok) return read;
  const server = tableOf(tableOf(read.table[section])?.[name]);
  return { ok: true, entry: entryFrom(server?.["command"], server?.["args"]) };
}

type TomlRead = { readonly ok: true; readonly table: Table } | (EntryEdit & { readonly ok: false });

function readToml(text: string): TomlRead {
  try {
    // A clone has objects as JavaScript's own are, which can be compared with some.
    return { ok: true, table: structuredClone(parse(text, { integersAsBigInt: "asNeeded" })) };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    // Its further lines show the file, which may hold secrets.
    const [message = ""] = error.message.replace("Invalid TOML document: ", "").split("\n");
    return { ok: false, message, at: { line: error.line, column: error.column } };
  }
}

function tableOf(value: unknown): Table | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}

/** The texts with a further key below the table's header, one for each line that looks like it. */
function added(text: string, path: readonly string[], key: string, value: Value): readonly string[] {
  const eol = eolOf(text);
  return headersIn(text, path).map(({ line, end }) => {
    const open = line.endsWith("\n") ? "" : eol;
    return `${text.slice(0, end)}${open}${key} = ${tomlOf(value)}${eol}${text.slice(end)}`;
  });
}

/** The texts with another value for the key. */
function replaced(text: string, path: readonly string[], key: string, value: Value): readonly string[] {
  return headersIn(text, path).flatMap(({ end }) => {
    const found = new RegExp(String.raw`^[ \t]*${spelled(key)}[ \t]*=[ \t]*`, "m").exec(text.slice(end));
    const start = end + (found === null ? text.length : found.index + found[0].length);
    for (let to = start + 1; to <= Math.min(text.length, start + LONGEST_VALUE); to++)
      if (/^(?:[\s#]|$)/.test(text.slice(to, to + 1)) && readToml(`value = ${text.slice(start, to)}`).ok)
        return [text.slice(0, start) + tomlOf(value) + text.slice(to)];
    return [];
  });
}

function headersIn(text: string, path: readonly string[]): readonly { readonly line: string; readonly end: number }[] {
  const name = path.map(spelled).join(String.raw`[ \t]*\.[ \t]*`);
  const lines = text.matchAll(new RegExp(String.raw`^[ \t\uFEFF]*\[[ \t]*${name}[ \t]*\][^\n]*\n?`, "gm"));
  return [...lines].map((match) => ({ line: match[0], end: match.index + match[0].length }));
}

function spelled(key: string): string {
  return `(?:${key}|"${key}"|'${key}')`;
}

function appended(text: string, path: readonly string[], { command, args }: ServerEntry): string {
  const eol = eolOf(text);
  const gap = text.trim() === "" ? "" : text.endsWith("\n") ? eol : `${eol}${eol}`;
  const lines = [`[${path.join(".")}]`, `command = ${tomlOf(command)}`, `args = ${tomlOf(args)}`];
  return `${text.trim() === "" ? "" : text}${gap}${lines.join(eol)}${eol}`;
}

function eolOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

function tomlOf(value: Value): string {
  if (typeof value !== "string") return `[${value.map(tomlOf).join(", ")}]`;
  return JSON.stringify(Buffer.from(value).toString("utf8")).replaceAll("\u007f", "\\u007F");
}
