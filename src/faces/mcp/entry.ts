/** What a client's configuration file is to say about this server, and what came of putting it there. */
export interface ServerEntry {
  readonly command: string;
  readonly args: readonly string[];
}

/** The file's new text; the same one where it said so already. */
export type EntryEdit =
  | { readonly ok: true; readonly text: string }
  /** `at` counts from 1. */
  | { readonly ok: false; readonly message: string; readonly at?: { readonly line: number; readonly column: number } };

export function refusedAt(text: string, offset: number, message: string): EntryEdit {
  const before = text.slice(0, offset).split("\n");
  return { ok: false, message, at: { line: before.length, column: (before.at(-1) ?? "").length + 1 } };
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
