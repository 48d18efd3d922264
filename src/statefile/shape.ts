/**
 * Reads typed values off the source tree and says what does not fit (SPEC section 2). Unknown keys are
 * passed over: they belong to somebody else and are kept.
 *
 * The value of a node that does not fit is undefined; whoever asked sees the problems and discards the rest.
 */
import { checkExclusive, mismatch, missing, suggestion, unknownTag } from "./type-mismatch.ts";
import {
  content,
  isNull,
  isPresent,
  membersOf,
  valueUnder,
  type ContentNode,
  type MappingNode,
  type Node,
} from "./node.ts";
import { below, named, quote, reportAt, warn, type Reader } from "./problems.ts";
import { boundedText } from "../core/bounded-text.ts";
import type { ProblemCode } from "../core/problem.ts";
import type { Check } from "../core/state.ts";
import { describeCheck } from "../core/verdict.ts";
import { CHECK } from "./check-schema.ts";
import {
  type Field,
  type Fields,
  fieldsOf,
  type ListType,
  type NumberType,
  type ObjectType,
  type TableType,
  type TaggedType,
  type TextType,
  type Type,
} from "./field-types.ts";

export function readValue(type: Type, node: Node, reader: Reader): unknown {
  const here = content(node);
  switch (type.kind) {
    case "text":
    case "word":
      if (type.orCheck === true && here.kind === "mapping") return readWords(here, reader);
      return here.kind === "scalar" && typeof here.value === "string"
        ? readText(type, here.value, here, reader)
        : mismatch("a string", here, reader);
    case "choice":
      return readChoice(type.of, here, reader);
    case "int":
    case "number":
      return readNumber(type, here, reader);
    case "bool":
      return here.kind === "scalar" && typeof here.value === "boolean"
        ? here.value
        : mismatch("true or false", here, reader);
    case "list":
      return readList(type, here, reader);
    case "table":
      return readTable(type, here, reader);
    default:
      return readObject(type, here, reader);
  }
}

/** Of a check. */
function readWords(node: ContentNode, reader: Reader): string | undefined {
  const check = readObject(CHECK, node, reader);
  return reader.findings.problems.length > 0 ? undefined : describeCheck(check as Check);
}

function readText(type: TextType, value: string, node: ContentNode, reader: Reader): string {
  const { filled, most = Infinity, pattern, format } = type;
  if (filled === true && value === "")
    misfit(node, reader, { code: "missing_field", is: "is empty", hint: "write a value" });
  if (value.length > most)
    misfit(node, reader, {
      code: "out_of_range",
      is: `has ${value.length} characters: at most ${most}`,
      hint: "say it in fewer words",
    });
  if (pattern?.test(value) === false)
    misfit(node, reader, { code: "wrong_type", is: `is not ${format}`, hint: `write ${format}` });
  return type.cut === true ? boundedText(value) : value;
}

function misfit(
  node: ContentNode,
  reader: Reader,
  { code, is, hint }: { readonly code: ProblemCode; readonly is: string; readonly hint: string },
): void {
  const message = `${named(reader.path)} ${is}`;
  reportAt(reader, node.start, { code, message, found: quote(reader.findings.text, node), hint });
}

function readChoice(known: readonly string[], node: ContentNode, reader: Reader): unknown {
  if (node.kind !== "scalar") return mismatch(`one of ${known.join(", ")}`, node, reader);
  if (typeof node.value === "string" && known.includes(node.value)) return node.value;
  const found = quote(reader.findings.text, node);
  const message = `${named(reader.path)} is ${found}, which is not known`;
  const hint = suggestion(String(node.value), known);
  return reportAt(reader, node.start, { code: "unknown_value", message, found, hint });
}

function readNumber(type: NumberType, node: ContentNode, reader: Reader): unknown {
  const what = type.kind === "int" ? "a whole number" : "a number";
  const value = node.kind === "scalar" ? node.value : undefined;
  if (typeof value !== "number" || (type.kind === "int" && !Number.isSafeInteger(value)) || !Number.isFinite(value))
    return mismatch(what, node, reader);
  if (value >= (type.min ?? -Infinity) && value <= (type.max ?? Infinity) && value > (type.above ?? -Infinity))
    return value;
  const range =
    type.max !== undefined
      ? `${type.min} to ${type.max}`
      : type.above !== undefined
        ? `more than ${type.above}`
        : `at least ${type.min}`;
  const message = `${named(reader.path)} is ${value}`;
  return reportAt(reader, node.start, {
    code: "out_of_range",
    message,
    found: String(value),
    hint: `${what}, ${range}`,
  });
}

function readList(type: ListType, node: ContentNode, reader: Reader): unknown {
  if (node.kind !== "sequence") return mismatch("a list", node, reader);
  const { length } = node.items;
  if (type.filled === true && length === 0)
    misfit(node, reader, { code: "empty_list", is: "has no item", hint: "add at least one item" });
  if (length > (type.most ?? Infinity)) {
    misfit(node, reader, { code: "out_of_range", is: `has ${length} items: at most ${type.most}`, hint: "name fewer" });
    return undefined;
  }
  return node.items.map((item, i) => readValue(type.of, item, below(reader, i)));
}

function readTable(type: TableType, node: ContentNode, reader: Reader): unknown {
  if (node.kind !== "mapping") return mismatch("a mapping", node, reader);
  const pairs = [...membersOf(node)].map(([name, value]) => [name, readValue(type.of, value, below(reader, name))]);
  return type.as === "pairs" ? pairs : (Object.fromEntries(pairs) as unknown);
}

function readObject(type: ObjectType, node: ContentNode, reader: Reader): unknown {
  if (node.kind !== "mapping") return mismatch("a mapping", node, reader);
  const fields = fieldsIn(type, node);
  if (fields === undefined)
    return type.kind === "keyed"
      ? unknownTag(CHECK, type.key, node, reader)
      : unknownTag(type as TaggedType, undefined, node, reader);
  const value = readFields(fields, node, reader);
  if (type.kind === "exclusive") checkExclusive(type, node, reader);
  if ("rubric" in fields) checkRubric(value, node, reader);
  return value;
}

/** The fields that a mapping of this type has; undefined: its tag is not known. */
export function fieldsIn(type: ObjectType, node: MappingNode): Fields | undefined {
  return type.kind === "record"
    ? type.fields
    : fieldsOf(
        type,
        (key) => textUnder(node, key),
        (key) => isPresent(node, key),
      );
}

/** The fields of a mapping that holds them as an object with the schema's order of keys. */
export function readFields(fields: Fields, node: MappingNode, reader: Reader): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  for (const key in fields) {
    const field = fields[key] as Field;
    const found = valueUnder(node, key);
    if (found !== undefined && !isNull(found)) value[key] = readValue(field.type, found, below(reader, key));
    else if (found !== undefined && field.nullable === true) value[key] = null;
    else if (field.default !== undefined) value[key] = standIn(field, key, node, reader);
    else if (field.required === true) missing(key, field, found ?? node, reader);
  }
  return value;
}

function standIn(field: Field, key: string, node: MappingNode, reader: Reader): unknown {
  if (field.expected === true)
    warn(reader.findings, {
      code: "missing_field",
      message: `${key} is missing and taken as empty`,
      at: node.start,
      path: [...reader.path, key],
      hint: `add \`${key}: ${field.type.kind === "table" ? "{}" : "[]"}\``,
    });
  return field.type.kind === "record" ? readFields(field.type.fields, EMPTY, below(reader, key)) : field.default;
}

const EMPTY: MappingNode = {
  kind: "mapping",
  flow: true,
  start: 0,
  end: 0,
  entries: [],
  merges: [],
};

function textUnder(node: MappingNode, key: string): string | undefined {
  const value = valueUnder(node, key);
  if (value === undefined) return undefined;
  const scalar = content(value);
  return scalar.kind === "scalar" && typeof scalar.value === "string" ? scalar.value : undefined;
}

// What a `quality` check needs beyond the shape of its fields (SPEC section 6).

/** Something to score, and weights that can be normalised. */
function checkRubric(value: Readonly<Record<string, unknown>>, node: MappingNode, reader: Reader): void {
  const { rubric, criteria } = value;
  if (rubric === undefined && criteria === undefined)
    reportAt(reader, node.start, {
      code: "rubric_without_criteria",
      message: "the quality check has neither rubric nor criteria",
      hint: "add `criteria:` (text), or `rubric:` (a list of { criterion, weight, levels })",
    });
  if (!Array.isArray(rubric) || rubric.length === 0) return;
  const weights = rubric.map(weightOf);
  if (weights.some((weight) => weight > 0)) return;
  reportAt(below(reader, "rubric"), valueUnder(node, "rubric")?.start ?? node.start, {
    code: "out_of_range",
    message: "the weights of the rubric sum to 0",
    found: weights.join(", "),
    hint: "give at least one criterion a weight above 0",
  });
}

function weightOf(criterion: unknown): number {
  if (typeof criterion !== "object" || criterion === null || !("weight" in criterion)) return 1;
  return typeof criterion.weight === "number" ? criterion.weight : 1;
}
