/**
 * What a text has to hold for a pattern to match at all. Looking for it costs a hundredth of what an engine costs to
 * read a pattern, and of a thousand rules hardly one is about the command at hand.
 */
import type { PatternNode } from "./pattern-node.ts";

const MOST_OPTIONS = 12;

/**
 * Texts in lower case, one of which is in every ASCII text (in lower case) that the pattern matches; null: nothing
 * can be said.
 */
export function neededText(node: PatternNode): readonly string[] | null {
  switch (node.kind) {
    case "text":
      return node.code < 0x80 ? [String.fromCharCode(node.code).toLowerCase()] : null;
    case "group":
      return neededText(node.body);
    case "repeat":
      return node.min === 0 ? null : neededText(node.body);
    case "choice":
      return ofChoice(node.options);
    case "sequence":
      return ofSequence(node.items);
    default:
      return null;
  }
}

function ofChoice(options: readonly PatternNode[]): readonly string[] | null {
  const all: string[] = [];
  for (const option of options) {
    const needed = neededText(option);
    if (needed === null) return null;
    all.push(...needed);
  }
  return all.length > MOST_OPTIONS ? null : all;
}

/** Neighbouring characters are one text; of all texts the longest tells most. */
function ofSequence(items: readonly PatternNode[]): readonly string[] | null {
  let best: readonly string[] | null = null;
  let run = "";
  const keep = (found: readonly string[] | null): void => {
    if (found !== null && (best === null || shortest(found) > shortest(best))) best = found;
  };
  for (const item of items) {
    const single = item.kind === "text" ? neededText(item) : null;
    if (single !== null) {
      run += single[0] ?? "";
      continue;
    }
    if (run !== "") keep([run]);
    run = "";
    keep(neededText(item));
  }
  if (run !== "") keep([run]);
  return best;
}

function shortest(texts: readonly string[]): number {
  return Math.min(...texts.map((text) => text.length));
}
