/** The pieces that prompts are put together from: sections, bullets, and bounded quotations. */
import type { Check } from "../core/state.ts";
import { describeCheck } from "../core/verdict.ts";

/** Characters of what has to fit on one line. */
export const LINE_LIMIT = 300;

export function joined(sections: readonly string[]): string {
  return `${together(sections)}\n`;
}

/** Concatenated, not joined: what is the same in many prompts is then copied where one is written, not where it is made. */
export function together(sections: readonly string[]): string {
  let text = "";
  for (const part of sections) if (part !== "") text = text === "" ? part : `${text}\n\n${part}`;
  return text;
}

export function section(title: string, body: string): string {
  return body === "" ? "" : `## ${title}\n${body}`;
}

/** `total`: how many there are, where `lines` are fewer. */
export function bullets(lines: readonly string[], total: number): string {
  const shown = lines.map((line) => `- ${indent(line).trimStart()}`);
  return [...shown, ...(total > lines.length ? [`- (${total - lines.length} more are not shown)`] : [])].join("\n");
}

function indent(text: string): string {
  return `  ${text.replaceAll("\n", "\n  ")}`;
}

/** `text` in at most `max` characters: its beginning and its end, and how much is missing between. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const note = `\n[... ${text.length - max} characters left out ...]\n`;
  const room = Math.max(0, max - note.length);
  const head = Math.ceil(room * 0.6);
  // Never half of a surrogate pair.
  const start = text.slice(0, head).replace(/[\uD800-\uDBFF]$/, "");
  const end = text.slice(text.length - (room - head)).replace(/^[\uDC00-\uDFFF]/, "");
  return room === 0 ? text.slice(0, max) : `${start}${note}${end}`;
}

export function checkLine(item: string, check: Check): string {
  const described = describeCheck(check);
  // An item that nobody named is the check's own text.
  return cut((described.endsWith(item) ? described : `${item} (${described})`).replaceAll(/\s+/g, " "), LINE_LIMIT);
}

/** A text that is written out once for each value: objectives and schemas are few and immutable, attempts many. */
export function once<T extends object>(text: (value: T) => string): (value: T) => string {
  const known = new WeakMap<T, string>();
  return (value) => {
    let written = known.get(value);
    if (written === undefined) known.set(value, (written = text(value)));
    return written;
  };
}
