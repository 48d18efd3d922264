/** What a scalar of YAML 1.2's core schema means. */
import { boolCoreTag, floatCoreTag, intCoreTag, NOT_RESOLVED, nullCoreTag } from "js-yaml";
import type { Scalar } from "./node.ts";

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
