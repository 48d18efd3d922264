/** What a field of the state file may hold, as data, and short words to say it with (`schema.ts`). */

import { DURATION, DURATION_WORDS } from "../core/fuel.ts";

/** `word`: a name or id, written bare where that is safe. `text`: always written in double quotes. */
export interface TextType {
  readonly kind: "text" | "word";
  /** The empty string is refused. */
  readonly filled?: true;
  /** Characters; a longer one is refused. */
  readonly most?: number;
  /** A longer one is cut at its end, and says so (core/bounded-text.ts). */
  readonly cut?: true;
  readonly pattern?: RegExp;
  /** What the pattern asks for, in words. */
  readonly format?: string;
  /** A mapping is read as a check: the text is its words. */
  readonly orCheck?: true;
}
export interface ChoiceType {
  readonly kind: "choice";
  readonly of: readonly string[];
}
export interface NumberType {
  readonly kind: "int" | "number";
  readonly min?: number;
  readonly max?: number;
  readonly above?: number;
}
export interface BoolType {
  readonly kind: "bool";
}
export interface ListType {
  readonly kind: "list";
  readonly of: Type;
  readonly filled?: true;
  /** Items; more are refused. */
  readonly most?: number;
  /** The field that an item keeps while it changes. */
  readonly key?: string;
}
/** Keys of the writer's choice. `pairs` keep the order of the file; `object` is for keys that are numbers. */
export interface TableType {
  readonly kind: "table";
  readonly of: Type;
  /** What a key is, for the documentation. */
  readonly name: string;
  readonly as: "pairs" | "object";
  /** The order of its keys says something. */
  readonly ordered?: true;
}
export interface RecordType {
  readonly kind: "record";
  readonly fields: Fields;
}
/** The value under `tag` says which record this is. */
export interface TaggedType {
  readonly kind: "tagged";
  readonly tag: string;
  readonly of: Readonly<Record<string, RecordType>>;
}
/** With `key`: `present`, without: `absent`. */
export interface KeyedType {
  readonly kind: "keyed";
  readonly key: string;
  readonly present: RecordType;
  readonly absent: RecordType | TaggedType;
}
/** `fields`, and exactly one of `alternatives`. */
export interface ExclusiveType {
  readonly kind: "exclusive";
  readonly fields: Fields;
  readonly alternatives: Fields;
}
export type ObjectType = RecordType | TaggedType | KeyedType | ExclusiveType;
export type Type = TextType | ChoiceType | NumberType | BoolType | ListType | TableType | ObjectType;

export interface Field {
  readonly type: Type;
  /** One sentence for the documentation. */
  readonly doc: string;
  readonly required?: true;
  /** Stands in when the key is absent or null. */
  readonly default?: unknown;
  /** The default is used, and a warning says so. */
  readonly expected?: true;
  /** Null is a value of its own; elsewhere a null means that the key is absent. */
  readonly nullable?: true;
  /** A change replaces the value as a whole instead of going into it. */
  readonly whole?: true;
}
export type Fields = Readonly<Record<string, Field>>;

export const TEXT: TextType = { kind: "text" };
export const FILLED: TextType = { kind: "text", filled: true };
export const WORD: TextType = { kind: "word", filled: true };
export const BOOL: BoolType = { kind: "bool" };
export const WORDS: ListType = { kind: "list", of: WORD };
export const TEXTS: ListType = { kind: "list", of: TEXT };
export const COUNT: NumberType = { kind: "int", min: 0 };
export const AT_LEAST_ONE: NumberType = { kind: "int", min: 1 };
export const TIME: TextType = {
  kind: "text",
  pattern: /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/,
  format: 'an ISO 8601 time such as "2025-01-15T10:00:00Z"',
};
export const LASTING: TextType = { kind: "text", pattern: DURATION, format: DURATION_WORDS };

export const choice = (...of: string[]): ChoiceType => ({ kind: "choice", of });
export const record = (fields: Fields): RecordType => ({ kind: "record", fields });
export const list = (of: Type): ListType => ({ kind: "list", of });
export const need = (type: Type, doc: string): Field => ({ type, doc, required: true });
export const may = (type: Type, doc: string): Field => ({ type, doc });

/** The fields that an object with these keys has; `textAt` gives the text under a key, if there is one. */
export function fieldsOf(
  type: ObjectType,
  textAt: (key: string) => string | undefined,
  has: (key: string) => boolean,
): Fields | undefined {
  if (type.kind === "record") return type.fields;
  if (type.kind === "keyed") return fieldsOf(has(type.key) ? type.present : type.absent, textAt, has);
  if (type.kind === "exclusive") return { ...type.fields, ...type.alternatives };
  const tag = textAt(type.tag);
  return tag !== undefined && Object.hasOwn(type.of, tag) ? type.of[tag]?.fields : undefined;
}
