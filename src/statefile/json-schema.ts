/** The schema as JSON Schema (draft 2020-12), for editors and for agents. */
import { ITEM } from "./check-schema.ts";
import type { Field, Fields, ObjectType, Type } from "./field-types.ts";
import { STATE } from "./schema.ts";

type Json = { readonly [key: string]: unknown };

/** JSON Schema of the frontmatter. Rules across fields (a rubric's weights, the invariants) are beyond it. */
export function stateJsonSchema(): Json {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "AoT Loop state file, frontmatter",
    ...schemaOf(STATE, false),
    $defs: { item: schemaOf(ITEM, false) },
  };
}

/** JSON Schema of any value that is described in the same words. */
export function jsonSchemaOf(type: Type): Json {
  return schemaOf(type);
}

function schemaOf(type: Type, refer = true): Json {
  if (type === ITEM && refer) return { $ref: "#/$defs/item" };
  switch (type.kind) {
    case "text":
    case "word":
      return {
        type: "string",
        ...(type.filled ? { minLength: 1 } : {}),
        ...(type.pattern ? { pattern: type.pattern.source } : {}),
      };
    case "choice":
      return { enum: type.of };
    case "int":
    case "number":
      return {
        type: type.kind === "int" ? "integer" : "number",
        ...(type.min === undefined ? {} : { minimum: type.min }),
        ...(type.max === undefined ? {} : { maximum: type.max }),
        ...(type.above === undefined ? {} : { exclusiveMinimum: type.above }),
      };
    case "bool":
      return { type: "boolean" };
    case "list":
      return { type: "array", items: schemaOf(type.of), ...(type.filled ? { minItems: 1 } : {}) };
    case "table":
      return { type: "object", additionalProperties: schemaOf(type.of) };
    default:
      return objectSchema(type);
  }
}

function objectSchema(type: ObjectType): Json {
  switch (type.kind) {
    case "record":
      return recordSchema(type.fields);
    case "tagged":
      return { oneOf: Object.values(type.of).map((record) => objectSchema(record)) };
    case "keyed":
      return {
        oneOf: [
          { allOf: [{ required: [type.key] }, objectSchema(type.present)] },
          { allOf: [{ not: { required: [type.key] } }, objectSchema(type.absent)] },
        ],
      };
    case "exclusive":
      return {
        ...recordSchema({ ...type.fields, ...type.alternatives }),
        oneOf: Object.keys(type.alternatives).map((key) => ({ required: [key] })),
      };
  }
}

function recordSchema(fields: Fields): Json {
  const required = Object.keys(fields).filter(
    (key) => fields[key]?.required === true && fields[key]?.default === undefined,
  );
  return {
    type: "object",
    properties: Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, fieldSchema(field)])),
    ...(required.length > 0 ? { required } : {}),
  };
}

/** A null under an optional key, or under one with a default, is read as if the key were absent. */
function fieldSchema(field: Field): Json {
  const schema = schemaOf(field.type);
  const about = { description: field.doc, ...(field.default === undefined ? {} : { default: defaultOf(field) }) };
  if (field.required === true && field.default === undefined) return { ...schema, ...about };
  return { anyOf: [schema, { type: "null" }], ...about };
}

function defaultOf(field: Field): unknown {
  return field.type.kind === "table" ? {} : field.default;
}
