/** A redirect as it comes from outside (SPEC section 8), by whatever way: the one reader of it. */
import { keysOf, REDIRECT_KINDS, REDIRECTS, type Redirect, type RedirectField } from "../core/redirect.ts";
import { objectIn, type JsonObject } from "../core/reading.ts";
import type { Result } from "../core/problem.ts";
import type { BaseCase } from "../core/state.ts";
import { BASE_CASE } from "./check-schema.ts";
import {
  choice,
  type Field,
  type Fields,
  FILLED,
  may,
  need,
  TEXT,
  TEXTS,
  type Type,
  WORD,
  WORDS,
} from "./field-types.ts";
import { type Kinds, readJsonValue, readKind } from "./read-json-value.ts";
import { BINDING, LIMITS } from "./schema.ts";

export const REASON: Field = { ...may(TEXT, "Why."), default: "" };
/** What stands under a key of a redirect. */
const KEYED: ReadonlyMap<string, Field> = new Map([["binding", need(BINDING, "What replaces its result.")]]);

function fieldOf({ type, choices, optional, summary }: RedirectField, { field, constraint }: JsonObject): Field {
  const types: Readonly<Record<typeof type, Type>> = {
    word: choices === undefined ? WORD : choice(...choices),
    words: WORDS,
    text: FILLED,
    texts: TEXTS,
    objective: field === "base_case" ? BASE_CASE : FILLED,
    limit: LIMITS.get(String(constraint)) ?? FILLED,
  };
  if (type === "words" || type === "texts") return { ...need(types[type], summary), default: [] };
  return optional === true ? may(types[type], summary) : need(types[type], summary);
}

const KINDS: Kinds = Object.fromEntries(
  REDIRECT_KINDS.map((kind) => [
    kind,
    (given: JsonObject): Fields => ({
      ...Object.fromEntries(
        REDIRECTS[kind].fields.map((field) => {
          const [key] = keysOf(field);
          return [key, KEYED.get(key) ?? fieldOf(field, given)];
        }),
      ),
      reason: REASON,
    }),
  ]),
);

/** Says what does not fit; whether the loop's state allows it is for `applyRedirect` to say. */
export function readRedirect(value: unknown): Result<Redirect> {
  const read = readKind(value, KINDS, "a redirect") as Result<Redirect>;
  if (read.ok) return read;
  const { constraint, field } = objectIn(value) ?? {};
  const named = [constraint, field].find((name) => typeof name === "string");
  if (named === undefined) return read;
  // A person gave a limit or a field, not a `value`.
  return {
    ok: false,
    problems: read.problems.map((one) => ({
      ...one,
      message: one.message.replace(/^value\b/, named),
      ...(one.path?.[0] === "value" ? { path: [named, ...one.path.slice(1)] } : {}),
    })),
  };
}

/** A base case that does not come as text. */
export function readBaseCaseValue(value: unknown): Result<BaseCase> {
  return readJsonValue(value, BASE_CASE, "the base case") as Result<BaseCase>;
}
