/** What a scalar of YAML 1.2's core schema means. */
import {
  boolCoreTag,
  floatCoreTag,
  intCoreTag,
  NOT_RESOLVED,
  nullCoreTag,
  CHOMPING_MODE,
  type ScalarEvent,
} from "js-yaml";
import { skipBlank, type Scalar, type ScalarNode } from "./node.ts";

const IMPLICIT = [nullCoreTag, boolCoreTag, intCoreTag, floatCoreTag] as const;
const PREFIX = /^(?:!!|!<tag:yaml\.org,2002:)(null|bool|int|float)>?$/;

/** The value of a plain scalar without a tag. */
export function resolvePlain(source: string): Scalar {
  for (const tag of IMPLICIT) {
    const value = tag.resolve(source, false, tag.tagName);
    if (value !== NOT_RESOLVED) return value;
  }
  return source;
}

/** The value under an explicit tag; undefined if the text is none of that kind. A tag of somebody's own means text. */
export function resolveTagged(source: string, rawTag: string): Scalar | undefined {
  const kind = PREFIX.exec(rawTag)?.[1];
  if (kind === undefined) return source;
  const tag = IMPLICIT.find((candidate) => candidate.tagName.endsWith(`:${kind}`));
  const value = tag?.resolve(source, true, tag.tagName);
  return value === undefined || value === NOT_RESOLVED ? undefined : value;
}

// Where a block scalar (`|`, `>`) stands: its header, its content, and which blank lines behind it are its own.

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
