/**
 * Reads typed values off the source tree and says what does not fit (SPEC section 2). Unknown keys are
 * passed over: they belong to somebody else and are kept.
 *
 * The value of a node that does not fit is undefined; whoever asked sees the problems and discards the rest.
 */
import { checkExclusive, mismatch, missing, suggestion, unknownTag } from "./type-mismatch.ts";
import {
  content,
  type ContentNode,
  isNull,
  isPresent,
  type MappingNode,
  namesOf,
  type Node,
  valueUnder,
} from "./node.ts";
import { type Findings, named, quote, report, type Trace, warn } from "./problems.ts";
import { checkRubric } from "./rubric.ts";
import { CHECK } from "./check-schema.ts";
import {
  type Field,
  type Fields,
  fieldsOf,
  type NumberType,
  type ObjectType,
  type TableType,
  type TaggedType,
  type TextType,
  type Type,
} from "./field-types.ts";

export function readValue(type: Type, node: Node, trace: Trace | undefined, findings: Findings): unknown {
  const here = content(node);
  switch (type.kind) {
    case "text":
    case "word":
      return here.kind === "scalar" && typeof here.value === "string"
        ? readText(type, here.value, here, { trace, findings })
        : mismatch("a string", here, trace, findings);
    case "choice":
      return readChoice(type.of, here, trace, findings);
    case "int":
    case "number":
      return readNumber(type, here, trace, findings);
    case "bool":
      return here.kind === "scalar" && typeof here.value === "boolean"
        ? here.value
        : mismatch("true or false", here, trace, findings);
    case "list":
      return readList(type, here, trace, findings);
    case "table":
      return readTable(type, here, trace, findings);
    default:
      return readObject(type, here, trace, findings);
  }
}

function readText(
  type: TextType,
  value: string,
  node: ContentNode,
  { trace, findings }: { readonly trace: Trace | undefined; readonly findings: Findings },
): string {
  if (type.filled === true && value === "") {
    report(findings, {
      code: "missing_field",
      message: `${named(trace)} is empty`,
      at: node.start,
      trace,
      found: quote(findings.text, node),
      hint: "write a value",
    });
  }
  if (type.pattern !== undefined && !type.pattern.test(value)) {
    report(findings, {
      code: "wrong_type",
      message: `${named(trace)} is not ${type.format}`,
      at: node.start,
      trace,
      found: quote(findings.text, node),
      hint: `write ${type.format}`,
    });
  }
  return value;
}

function readChoice(
  known: readonly string[],
  node: ContentNode,
  trace: Trace | undefined,
  findings: Findings,
): unknown {
  if (node.kind !== "scalar") return mismatch(`one of ${known.join(", ")}`, node, trace, findings);
  if (typeof node.value === "string" && known.includes(node.value)) return node.value;
  const found = quote(findings.text, node);
  report(findings, {
    code: "unknown_value",
    message: `${named(trace)} is ${found}, which is not known`,
    at: node.start,
    trace,
    found,
    hint: suggestion(String(node.value), known),
  });
  return undefined;
}

function readNumber(type: NumberType, node: ContentNode, trace: Trace | undefined, findings: Findings): unknown {
  const what = type.kind === "int" ? "a whole number" : "a number";
  const value = node.kind === "scalar" ? node.value : undefined;
  if (typeof value !== "number" || (type.kind === "int" && !Number.isSafeInteger(value)) || !Number.isFinite(value))
    return mismatch(what, node, trace, findings);
  if (value >= (type.min ?? -Infinity) && value <= (type.max ?? Infinity) && value > (type.above ?? -Infinity))
    return value;
  const range =
    type.max !== undefined
      ? `${type.min} to ${type.max}`
      : type.above !== undefined
        ? `more than ${type.above}`
        : `at least ${type.min}`;
  report(findings, {
    code: "out_of_range",
    message: `${named(trace)} is ${value}`,
    at: node.start,
    trace,
    found: String(value),
    hint: `${what}, ${range}`,
  });
  return undefined;
}

function readList(
  type: { readonly of: Type; readonly filled?: true },
  node: ContentNode,
  trace: Trace | undefined,
  findings: Findings,
): unknown {
  if (node.kind !== "sequence") return mismatch("a list", node, trace, findings);
  if (node.values !== undefined) return node.values;
  if (type.filled === true && node.size === 0)
    report(findings, {
      code: "empty_list",
      message: `${named(trace)} has no item`,
      at: node.start,
      trace,
      found: quote(findings.text, node),
      hint: "add at least one item",
    });
  const items: unknown[] = [];
  for (let i = 0; i < node.size; i++) items.push(readValue(type.of, node.item(i), { up: trace, key: i }, findings));
  return items;
}

function readTable(type: TableType, node: ContentNode, trace: Trace | undefined, findings: Findings): unknown {
  if (node.kind !== "mapping") return mismatch("a mapping", node, trace, findings);
  if (node.values !== undefined) return node.values;
  const pairs: [string, unknown][] = [];
  for (const name of namesOf(node)) {
    const value = valueUnder(node, name);
    if (value !== undefined) pairs.push([name, readValue(type.of, value, { up: trace, key: name }, findings)]);
  }
  return type.as === "pairs" ? pairs : Object.fromEntries(pairs);
}

function readObject(type: ObjectType, node: ContentNode, trace: Trace | undefined, findings: Findings): unknown {
  if (node.kind !== "mapping") return mismatch("a mapping", node, trace, findings);
  const textAt = (key: string): string | undefined => textUnder(node, key);
  const has = (key: string): boolean => isPresent(node, key);
  const fields = type.kind === "record" ? type.fields : fieldsOf(type, textAt, has);
  if (fields === undefined)
    return unknownTag(
      type.kind === "keyed" ? CHECK : (type as TaggedType),
      type.kind === "keyed" ? type.key : undefined,
      node,
      { trace, findings },
    );
  const value = readFields(fields, node, trace, findings);
  if (type.kind === "exclusive") checkExclusive(type, node, trace, findings);
  if ("rubric" in fields) checkRubric(value, node, trace, findings);
  return value;
}

/** The fields of a mapping that holds them as an object with the schema's order of keys. */
export function readFields(
  fields: Fields,
  node: MappingNode,
  trace: Trace | undefined,
  findings: Findings,
): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  for (const key in fields) {
    const field = fields[key] as Field;
    const found = valueUnder(node, key);
    if (found !== undefined && !isNull(found)) value[key] = readValue(field.type, found, { up: trace, key }, findings);
    else if (found !== undefined && field.nullable === true) value[key] = null;
    else if (field.default !== undefined) value[key] = standIn(field, key, node, { trace, findings });
    else if (field.required === true) missing(key, field, found ?? node, { trace, findings });
  }
  return value;
}

function standIn(
  field: Field,
  key: string,
  node: MappingNode,
  { trace, findings }: { readonly trace: Trace | undefined; readonly findings: Findings },
): unknown {
  if (field.expected === true)
    warn(findings, {
      code: "missing_field",
      message: `${key} is missing and taken as empty`,
      at: node.start,
      trace: { up: trace, key },
      hint: `add \`${key}: ${field.type.kind === "table" ? "{}" : "[]"}\``,
    });
  if (field.type.kind !== "record") return field.default;
  return readFields(field.type.fields, EMPTY, { up: trace, key }, findings);
}

const EMPTY: MappingNode = {
  kind: "mapping",
  flow: true,
  start: 0,
  end: 0,
  size: 0,
  merges: [],
  indexOf: () => -1,
  entry: () => {
    throw new RangeError("no entry");
  },
};

function textUnder(node: MappingNode, key: string): string | undefined {
  const value = valueUnder(node, key);
  if (value === undefined) return undefined;
  const scalar = content(value);
  return scalar.kind === "scalar" && typeof scalar.value === "string" ? scalar.value : undefined;
}
