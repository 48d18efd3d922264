/**
 * Values to YAML in the canonical form (seed: two blanks per level, one key per line, text in double quotes, lists of
 * scalars in brackets). The schema says which strings are names and stand bare.
 */
import { type Fields, fieldsOf, type ObjectType, type Type } from "./field-types.ts";

const BARE_WORD = /^[A-Za-z_][\w.-]*$/;
/** Words that YAML 1.2, or an older reader, takes for something else than text. */
const RESERVED_WORD = /^(?:true|false|null|yes|no|on|off|y|n)$/i;
/** Not printable in YAML, or a line break to older readers. */
const UNPRINTABLE = /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g;

type Values = Readonly<Record<string, unknown>>;

/** One line: a scalar, or a collection in brackets. */
export function renderInline(type: Type, value: unknown): string {
  if (value === null || typeof value !== "object") return renderScalar(type, value);
  if (type.kind === "list") return `[${(value as unknown[]).map((item) => renderInline(type.of, item)).join(", ")}]`;
  if (type.kind === "table")
    return `{${pairsOf(value)
      .map(([key, item]) => `${renderKey(key)}: ${renderInline(type.of, item)}`)
      .join(", ")}}`;
  return `{${givenFields(type as ObjectType, value as Values)
    .map(([key, of, item]) => `${renderKey(key)}: ${renderInline(of, item)}`)
    .join(", ")}}`;
}

function renderScalar(type: Type, value: unknown): string {
  if (typeof value !== "string") return String(value);
  return type.kind === "text" || !isBare(value) ? quoted(value) : value;
}

function isBare(word: string): boolean {
  return BARE_WORD.test(word) && !RESERVED_WORD.test(word);
}

/** In double quotes, on one line, read back the same by YAML 1.1, 1.2 and JSON. */
function quoted(text: string): string {
  return JSON.stringify(text).replace(UNPRINTABLE, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

export function renderKey(key: string): string {
  return isBare(key) || /^(?:0|[1-9][0-9]{0,8})$/.test(key) ? key : quoted(key);
}

/** Whether the value is written on lines of its own, below its key. */
export function isBlock(type: Type, value: unknown): boolean {
  if (value === null || typeof value !== "object") return false;
  if (type.kind === "table") return pairsOf(value).length > 0;
  if (type.kind === "list") return (value as unknown[]).length > 0 && !isScalarType(type.of);
  const given = value as Values;
  for (const key in fieldsFor(type as ObjectType, given)) if (given[key] !== undefined) return true;
  return false;
}

export function isScalarType(type: Type): boolean {
  return ["text", "word", "choice", "int", "number", "bool"].includes(type.kind);
}

/** `key: value`, on as many lines as it takes, the key in column `indent`. */
export function renderEntry(key: string, type: Type, value: unknown, indent: number): string[] {
  const lines: string[] = [];
  addEntry(lines, key, { type, value }, indent);
  return lines;
}

/** The lines of a block collection whose keys or dashes are in column `indent`. */
export function renderBlock(type: Type, value: unknown, indent: number): string[] {
  const lines: string[] = [];
  addBlock(lines, type, value, indent);
  return lines;
}

/** As `renderEntry`, at the end of `lines`. */
export function addEntry(
  lines: string[],
  key: string,
  { type, value }: { readonly type: Type; readonly value: unknown },
  indent: number,
): void {
  const head = `${" ".repeat(indent)}${renderKey(key)}:`;
  if (!isBlock(type, value)) lines.push(`${head} ${renderInline(type, value)}`);
  else {
    lines.push(head);
    addBlock(lines, type, value, indent + 2);
  }
}

/** Adds `- value`, the dash in column `indent`. */
export function addItem(lines: string[], type: Type, value: unknown, indent: number): void {
  const first = lines.length;
  if (isBlock(type, value)) addBlock(lines, type, value, indent + 2);
  else lines.push(`${" ".repeat(indent + 2)}${renderInline(type, value)}`);
  lines[first] = `${" ".repeat(indent)}- ${lines[first]?.slice(indent + 2) ?? ""}`;
}

function addBlock(lines: string[], type: Type, value: unknown, indent: number): void {
  if (type.kind === "list") for (const item of value as unknown[]) addItem(lines, type.of, item, indent);
  else if (type.kind === "table")
    for (const [key, item] of pairsOf(value as object)) addEntry(lines, key, { type: type.of, value: item }, indent);
  else {
    const given = value as Values;
    const fields = fieldsFor(type as ObjectType, given);
    for (const key in fields) {
      const field = fields[key];
      if (field !== undefined && given[key] !== undefined)
        addEntry(lines, key, { type: field.type, value: given[key] }, indent);
    }
  }
}

function pairsOf(table: object): readonly (readonly [string, unknown])[] {
  return Array.isArray(table) ? (table as [string, unknown][]) : Object.entries(table);
}

export function fieldsFor(type: ObjectType, value: Values): Fields {
  const textAt = (key: string): string | undefined => {
    const text = value[key];
    return typeof text === "string" ? text : undefined;
  };
  return fieldsOf(type, textAt, (key) => value[key] !== undefined) ?? {};
}

function givenFields(type: ObjectType, value: Values): (readonly [string, Type, unknown])[] {
  const given: (readonly [string, Type, unknown])[] = [];
  for (const [key, field] of Object.entries(fieldsFor(type, value)))
    if (value[key] !== undefined) given.push([key, field.type, value[key]]);
  return given;
}
