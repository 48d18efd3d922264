/** A redirect as it comes from outside (SPEC section 8), by whatever way: the one reader of it. */
import {
  keysOf,
  CHANGE_KINDS,
  REDIRECTS,
  STRUCTURED_FIELDS,
  type Change,
  type Redirect,
  type RedirectField,
  type Transaction,
} from "../core/redirect.ts";
import { objectIn, type JsonObject } from "../core/reading.ts";
import { accepted, refused, type Result } from "../core/problem.ts";
import type { BaseCase } from "../core/state.ts";
import { BASE_CASE } from "./check-schema.ts";
import {
  BOOL,
  choice,
  type Field,
  type Fields,
  FILLED,
  may,
  need,
  record,
  TEXT,
  TEXTS,
  type Type,
  WORD,
  WORDS,
} from "./field-types.ts";
import { type Kinds, readJsonValue, readKind } from "./read-json-value.ts";
import { BINDING, LIMITS, MARKS, OBJECTIVE } from "./schema.ts";

export const REASON: Field = { ...may(TEXT, "Why."), default: "" };
/** What stands under a key of a redirect. */
const KEYED: ReadonlyMap<string, Field> = new Map([
  ["binding", need(BINDING, "What replaces its result.")],
  ["criteria", MARKS.criteria],
]);

const TRANSACTION = record({
  kind: need(choice("transaction"), "What it is."),
  reason: REASON,
  finish: may(BOOL, "Attempts that it touches end first, and count."),
});

function fieldOf({ type, choices, optional, summary }: RedirectField, { field, constraint }: JsonObject): Field {
  const types: Readonly<Record<typeof type, Type>> = {
    word: choices === undefined ? WORD : choice(...choices),
    words: WORDS,
    text: FILLED,
    texts: TEXTS,
    truth: BOOL,
    objective: objectiveType(field),
    limit: (typeof constraint === "string" ? LIMITS.get(constraint) : undefined) ?? FILLED,
  };
  if (optional !== "unset" && (type === "words" || type === "texts"))
    return { ...need(types[type], summary), default: [] };
  // Null unsets it.
  if (type === "limit") return { ...need(types[type], summary), nullable: true };
  return optional !== undefined ? may(types[type], summary) : need(types[type], summary);
}

/** What a field of the objective holds; a text is never empty. */
export function objectiveType(field: unknown): Type {
  const isStructured = STRUCTURED_FIELDS.some((one) => one === field);
  return (isStructured ? OBJECTIVE.fields[String(field)]?.type : undefined) ?? FILLED;
}

const KINDS: Kinds = Object.fromEntries(
  CHANGE_KINDS.map((kind) => [
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
  const given = objectIn(value);
  if (given?.["kind"] !== "transaction") return readChange(value);
  const { changes, ...rest } = given;
  const own = readJsonValue(rest, TRANSACTION, "a transaction") as Result<Omit<Transaction, "changes">>;
  if (!own.ok) return own;
  if (!Array.isArray(changes)) return refused("a transaction has no list of changes", '{"changes": [{"kind": ...}]}');
  const read = changes.map(readChange);
  const problems = read.flatMap((one, index) =>
    one.ok ? [] : one.problems.map((problem) => ({ ...problem, message: `change ${index + 1}: ${problem.message}` })),
  );
  if (problems.length > 0) return { ok: false, problems };
  const { kind, reason, finish } = own.value;
  return accepted({
    kind,
    changes: read.flatMap((one) => (one.ok ? [one.value] : [])),
    reason,
    ...(finish === true ? { finish } : {}),
  });
}

function readChange(value: unknown): Result<Change> {
  const read = readKind(value, KINDS, "a redirect") as Result<Change>;
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
