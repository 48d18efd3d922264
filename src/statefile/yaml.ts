/**
 * All of YAML 1.2 to text positions: runs js-yaml's event parser over the frontmatter and hands its events to
 * `compose.ts`. What it refuses becomes a problem with its place.
 */
import { parseEvents, YAMLException } from "js-yaml";
import { compose } from "./compose.ts";
import type { ContentNode, Range } from "./node.ts";
import type { Finding } from "./problems.ts";

/** Levels of nesting; each level of a checklist takes two. */
export const MAX_DEPTH = 200;

/** The frontmatter's root node, or the first thing that is wrong with the text as YAML. */
export function readYaml(text: string, range: Range): { readonly root: ContentNode } | { readonly finding: Finding } {
  const source = text.slice(range.start, range.end);
  const stray = /\r(?!\n)/.exec(source);
  if (stray !== null) {
    return {
      finding: {
        code: "yaml_syntax",
        message: "a carriage return without a line feed",
        at: range.start + stray.index,
        hint: "end lines with LF or CRLF",
      },
    };
  }
  try {
    return compose(text, range, parseEvents(source, { maxDepth: MAX_DEPTH }));
  } catch (error) {
    if (error instanceof YAMLException) return { finding: translate(error, range) };
    throw error;
  }
}

function translate(error: YAMLException, range: Range): Finding {
  const at = Math.min(range.start + (error.mark?.position ?? 0), range.end);
  if (error.reason.startsWith("nesting exceeded")) {
    return {
      code: "too_deep",
      message: `the frontmatter is nested deeper than ${MAX_DEPTH} levels`,
      at,
      hint: `flatten it: at most ${MAX_DEPTH / 2} checklist groups inside one another`,
    };
  }
  return {
    code: "yaml_syntax",
    message: `the frontmatter is not valid YAML: ${error.reason}`,
    at,
    hint: hintFor(error.reason),
  };
}

function hintFor(reason: string): string {
  if (reason.includes("tab characters")) return "indent with spaces";
  if (reason.includes("deficient indentation"))
    return "close the quote or bracket that is open here, or indent this line deeper than its key";
  if (reason.includes("quoted scalar")) return 'close the quote; a " inside double quotes is written \\"';
  if (reason.includes("escape")) return "write a backslash inside double quotes as \\\\, or use single quotes";
  if (reason.includes("document")) return "the frontmatter is one YAML document: remove the extra `---` or `...`";
  if (reason.includes("flow collection")) return "close the bracket, and separate the items with commas";
  return 'check the indentation here, and quote values that hold ": " or " #"';
}
