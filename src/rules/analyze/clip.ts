/**
 * The first characters of a text as a text of its own. An engine may keep the whole text for a part of it, and a part may
 * outlive a line of megabytes.
 */
export function clip(text: string, length: number): string {
  return ` ${text.slice(0, length)}`.slice(1);
}
