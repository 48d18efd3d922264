/**
 * The first characters of a text as a text of its own. An engine may keep the whole text for a part of it, and a part may
 * outlive a line of megabytes.
 */
export function clip(text: string, length: number): string {
  return ` ${text.slice(0, length)}`.slice(1);
}

/** What is said at the ends of a long text is said about what was done; the middle is a task, or pasted. */
export function bothEnds(text: string, length: number): string {
  const line = text.trim();
  if (line.length <= length) return clip(line, length);
  const head = Math.floor((length * 2) / 3);
  return clip(`${line.slice(0, head)} [...] ${line.slice(head - length)}`, length + 7);
}
