/** Patterns made ready for matching, and what is wrong with those that cannot be. */
import { patternText } from "./pattern-text.ts";
import type { PatternFault } from "./pattern-node.ts";
import { readPattern } from "./pattern-tree.ts";
import type { Pattern } from "./rule.ts";
import type { PatternNode } from "./pattern-node.ts";

/** A regular expression in Python's syntax, as rule files hold them; a fault names the place in it. */
export function compilePattern(text: string): Pattern | PatternFault {
  const tree = readPattern(text);
  if ("message" in tree) return tree;
  const ascii = patternText(tree, "ascii");
  const unicode = patternText(tree, "unicode");
  if (ascii === null || unicode === null) throw new Error("Node's engine takes every tree");
  try {
    RegExp(ascii, "i");
    RegExp(unicode, "iv");
  } catch {
    return { message: "no engine here takes it: make it shorter, or two rules of it", at: 0 };
  }
  const needs = neededText(tree.root);
  const linear = patternText(tree, "linear") === null ? { linear: false as const } : {};
  return { text, ascii, unicode, ...linear, ...(needs === null ? {} : { needs }) };
}

/** What the linear engine takes for it; null: it looks around or refers back, which only Node's engine can. */
export function linearText(text: string): string | null {
  const tree = readPattern(text);
  return "message" in tree ? null : patternText(tree, "linear");
}

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
