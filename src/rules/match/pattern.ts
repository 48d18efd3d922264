/** Patterns made ready for matching, and what is wrong with those that cannot be. */
import { neededText } from "./needed-text.ts";
import { patternText } from "./pattern-text.ts";
import type { PatternFault } from "./pattern-reader.ts";
import { readPattern } from "./pattern-tree.ts";
import type { Pattern } from "./rule.ts";

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
