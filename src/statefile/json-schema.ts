/** JSON Schema (draft 2020-12) of a type. Rules across fields (a rubric's weights, the invariants) are beyond it. */
import { CHECK } from "./check-schema.ts";
import type { Field, Fields, Type } from "./field-types.ts";

export type Json = { readonly [key: string]: unknown };

export interface SchemaStyle {
  /** What a model is asked for: nothing that its API may refuse (patterns, unions), and no null for what is absent. */
  readonly asked?: true;
  /** Types that are referred to, with where they are. */
  readonly refs?: ReadonlyMap<Type, string>;
}

export function schemaOf(type: Type, style: SchemaStyle = {}): Json {
  const ref = style.refs?.get(type);
  if (ref !== undefined) return { $ref: ref };
  switch (type.kind) {
    case "text":
    case "word": {
      const text = {
        type: "string",
        ...(type.filled ? { minLength: 1 } : {}),
        ...(type.pattern && style.asked !== true ? { pattern: type.pattern.source } : {}),
      };
      return type.orCheck === true && style.asked !== true ? { anyOf: [text, schemaOf(CHECK, style)] } : text;
    }
    case "choice":
      return style.asked === true ? { type: "string", enum: type.of } : { enum: type.of };
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
      return {
        type: "array",
        items: schemaOf(type.of, style),
        ...(type.filled ? { minItems: 1 } : {}),
        ...(type.most === undefined ? {} : { maxItems: type.most }),
      };
    case "table":
      return { type: "object", additionalProperties: schemaOf(type.of, style) };
    case "record":
      return recordSchema(type.fields, style);
    case "tagged":
      return { oneOf: Object.values(type.of).map((record) => schemaOf(record, style)) };
    case "keyed":
      return {
        oneOf: [
          { allOf: [{ required: [type.key] }, schemaOf(type.present, style)] },
          { allOf: [{ not: { required: [type.key] } }, schemaOf(type.absent, style)] },
        ],
      };
    case "exclusive":
      return {
        ...recordSchema({ ...type.fields, ...type.alternatives }, style),
        oneOf: Object.keys(type.alternatives).map((key) => ({ required: [key] })),
      };
  }
}

function recordSchema(fields: Fields, style: SchemaStyle): Json {
  const entries = Object.entries(fields);
  const isAsked = (field: Field): boolean => (style.asked === true ? field.required === true : isRequired(field));
  const required = entries.flatMap(([key, field]) => (isAsked(field) ? [key] : []));
  return {
    type: "object",
    properties: Object.fromEntries(entries.map(([key, field]) => [key, fieldSchema(field, style)])),
    ...(required.length > 0 ? { required } : {}),
  };
}

function isRequired(field: Field): boolean {
  return field.required === true && field.default === undefined;
}

/** A null under an optional key, or under one with a default, is read as if the key were absent. */
function fieldSchema(field: Field, style: SchemaStyle): Json {
  const schema = schemaOf(field.type, style);
  if (style.asked === true) return field.doc === "" ? schema : { ...schema, description: field.doc };
  const standIn = field.type.kind === "table" ? {} : field.default;
  const about = { description: field.doc, ...(field.default === undefined ? {} : { default: standIn }) };
  return isRequired(field) ? { ...schema, ...about } : { anyOf: [schema, { type: "null" }], ...about };
}
