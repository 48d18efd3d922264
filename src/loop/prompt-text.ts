/** Building blocks of prompts: sections, bullets, and shortened quotations. */
import type { Check } from "../core/state.ts";
import { describeCheck } from "../core/verdict.ts";

/** Characters of a text that has to fit on one line. */
export const LINE_LIMIT = 300;

export function joined(sections: readonly string[]): string {
  return `${together(sections)}\n`;
}

/** Uses `+`, not `join`: JavaScript then shares parts common to many prompts instead of copying them for each. */
export function together(sections: readonly string[]): string {
  let text = "";
  for (const part of sections) if (part !== "") text = text === "" ? part : `${text}\n\n${part}`;
  return text;
}

export function section(title: string, body: string): string {
  return body === "" ? "" : `## ${title}\n${body}`;
}

/** The lines that say something. */
export function joinedLines(lines: readonly string[]): string {
  return lines.filter((line) => line !== "").join("\n");
}

/** @param total how many there are in all; `lines` may be fewer */
export function bullets(lines: readonly string[], total = lines.length): string {
  const shown = lines.map((line) => `- ${indent(line).trimStart()}`);
  return [...shown, ...(total > lines.length ? [`- (${total - lines.length} more are not shown)`] : [])].join("\n");
}

function indent(text: string): string {
  return `  ${text.replaceAll(/\n(?!\n)/g, "\n  ")}`;
}

/** `text` in at most `max` characters: its beginning and end, with a note of how much is missing in between. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const note = `\n[... ${text.length - max} characters left out ...]\n`;
  const room = Math.max(0, max - note.length);
  const head = Math.ceil(room * 0.6);
  // Drop half a surrogate pair at either cut.
  const start = text.slice(0, head).replace(/[\uD800-\uDBFF]$/, "");
  const end = text.slice(text.length - (room - head)).replace(/^[\uDC00-\uDFFF]/, "");
  return room === 0 ? text.slice(0, max) : `${start}${note}${end}`;
}

/** The largest share with which all sizes, cut to it, fit into `budget`. */
export function fairShare(sizes: readonly number[], budget: number): number {
  let left = budget;
  const rising = sizes.toSorted((a, b) => a - b);
  for (const [index, size] of rising.entries()) {
    const share = left / (rising.length - index);
    if (size > share) return share;
    left -= size;
  }
  return Infinity;
}

/** @param named how a check's text is said here */
export function checkLine(item: string, check: Check, named = (text: string): string => text): string {
  const described = describeCheck(check);
  // An item without a name of its own is the check's text already.
  const said = described.endsWith(item) ? named(described) : `${item} (${named(described)})`;
  return cut(said.replaceAll(/\s+/g, " "), LINE_LIMIT);
}

/** Caches what is made of an (immutable) value by its identity: objectives and schemas are few, prompts many. */
export function once<T extends object, R>(text: (value: T) => R): (value: T) => R {
  const known = new WeakMap<T, R>();
  return (value) => {
    let written = known.get(value);
    if (written === undefined) known.set(value, (written = text(value)));
    return written;
  };
}
