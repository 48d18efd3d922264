/**
 * Where the frontmatter stands (SPEC section 2): between a first line and a later line that are exactly `---`.
 * A byte order mark may stand before the first.
 */
import type { Range } from "./node.ts";

export interface Frontmatter extends Range {
  /** What follows the closing delimiter's line. */
  readonly body: Range;
}

const OPENING = /\ufeff?---\r?\n/y;

/** `unopened`: the first line is not a delimiter; `unclosed`: no later line is one. */
export function findFrontmatter(text: string): Frontmatter | "unopened" | "unclosed" {
  OPENING.lastIndex = 0;
  if (!OPENING.test(text)) return "unopened";
  const start = OPENING.lastIndex;
  // From the opening delimiter's line break on, so that an empty frontmatter is seen as well.
  for (let at = text.indexOf("\n---", start - 1); at >= 0; at = text.indexOf("\n---", at + 1)) {
    const after = afterLineBreak(text, at + 4);
    if (after !== undefined) return { start, end: at + 1, body: { start: after, end: text.length } };
  }
  return "unclosed";
}

function afterLineBreak(text: string, at: number): number | undefined {
  if (at === text.length) return at;
  if (text.charCodeAt(at) === 10) return at + 1;
  if (text.startsWith("\r\n", at)) return at + 2;
  return undefined;
}
