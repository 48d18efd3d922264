/** Where a block scalar (`|`, `>`) stands: its header, its content, and which blank lines behind it are its own. */
import { CHOMPING_MODE, type ScalarEvent } from "js-yaml";
import { type ScalarNode, skipBlank } from "./node.ts";

const INDICATOR = /[|>][-+0-9]*/y;

/**
 * @param origin offset behind the `-`, `:` or property in front of it
 * @param contentStart start of the first content line
 * @param contentEnd where the parser stopped, trailing blank lines included
 */
export function blockScalar(
  text: string,
  origin: number,
  { contentStart, contentEnd }: { readonly contentStart: number; readonly contentEnd: number },
  event: ScalarEvent,
): Omit<ScalarNode, "value" | "lock"> {
  const start = skipBlank(text, origin);
  INDICATOR.lastIndex = start;
  INDICATOR.test(text);
  const end =
    event.chomping === CHOMPING_MODE.KEEP
      ? contentEnd
      : withoutBlankLines(text, contentStart, contentEnd, event.indent);
  return { kind: "scalar", style: "block", start, end, block: { headerEnd: INDICATOR.lastIndex, contentStart } };
}

/** Blank lines at the end mean nothing unless they are kept (`+`); a line of more blanks than the indent is content. */
function withoutBlankLines(text: string, from: number, to: number, indent: number): number {
  let end = to;
  while (end > from) {
    const start = text.lastIndexOf("\n", end - 2) + 1;
    const line = text.slice(Math.max(start, from), end).replace(/\r?\n$/, "");
    if (/[^ ]/.test(line) || (indent >= 0 && line.length > indent)) return end;
    end = Math.max(start, from);
  }
  return end;
}
