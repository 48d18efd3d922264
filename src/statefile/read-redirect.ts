/** A redirect as it comes from outside (SPEC section 8), by whatever way: the one reader of it. */
import { CONSTRAINTS, OBJECTIVE_FIELDS, type Redirect } from "../core/redirect.ts";
import { objectIn, type JsonObject } from "../core/reading.ts";
import type { Result } from "../core/problem.ts";
import type { BaseCase } from "../core/state.ts";
import { BASE_CASE } from "./check-schema.ts";
import { choice, type Field, type Fields, FILLED, may, need, TEXT, WORD, WORDS } from "./field-types.ts";
import { readJsonValue, readKind } from "./read-json-value.ts";
import { BINDING, LIMITS } from "./schema.ts";

export const REASON: Field = { ...may(TEXT, "Why."), default: "" };
const ID = need(WORD, "The atom.");

const KINDS: Readonly<Record<Redirect["kind"], (given: JsonObject) => Fields>> = {
  set: ({ field }) => ({
    field: need(choice(...OBJECTIVE_FIELDS), "What is changed."),
    value: need(field === "base_case" ? BASE_CASE : FILLED, "What holds from now on."),
    reason: REASON,
  }),
  limit: ({ constraint }) => ({
    constraint: need(choice(...CONSTRAINTS), "Which limit."),
    value: need(LIMITS.get(String(constraint)) ?? FILLED, "What it is from now on."),
    reason: REASON,
  }),
  add: () => ({
    id: ID,
    description: need(FILLED, "What is to be done."),
    depends_on: { ...need(WORDS, "Atoms that must be met first."), default: [] },
    or_group: may(WORD, "The OR group it is a choice of."),
    reason: REASON,
  }),
  remove: () => ({ id: ID, reason: REASON }),
  choose: () => ({ group: need(WORD, "The OR group."), atom: ID, reason: REASON }),
  rebind: () => ({ id: ID, binding: need(BINDING, "What replaces its result."), reason: REASON }),
};

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
    problems: read.problems.map((one) => ({ ...one, message: one.message.replace(/^value\b/, named) })),
  };
}

/** A base case that does not come as text. */
export function readBaseCaseValue(value: unknown): Result<BaseCase> {
  return readJsonValue(value, BASE_CASE, "the base case") as Result<BaseCase>;
}
