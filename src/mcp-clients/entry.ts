/** What a client's configuration file says about this server, and what came of putting it there. */
export interface ServerEntry {
  readonly command: string;
  readonly args: readonly string[];
}

/** `at` counts from 1. */
export interface Unreadable {
  readonly ok: false;
  readonly message: string;
  readonly at?: { readonly line: number; readonly column: number };
}

/** The file's new text; the same one where it said so already. */
export type EntryEdit = { readonly ok: true; readonly text: string } | Unreadable;

/** Null: the file names no such server, or one that is no program. */
export type EntryRead = { readonly ok: true; readonly entry: ServerEntry | null } | Unreadable;

/** What a file says of a server as an entry; null: it is none. */
export function entryFrom(command: unknown, args: unknown = []): ServerEntry | null {
  if (typeof command !== "string" || !Array.isArray(args)) return null;
  return { command, args: args.map(String) };
}

/** Of two at one place the first one comes first. */
export function applySplices(
  text: string,
  splices: readonly { readonly start: number; readonly end: number; readonly text: string }[],
): string {
  return splices
    .toReversed()
    .toSorted((a, b) => b.start - a.start)
    .reduce((so, { start, end, text: put }) => so.slice(0, start) + put + so.slice(end), text);
}
