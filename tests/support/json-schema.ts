/** The published JSON Schemas (draft 2020-12), read off the schema of the state file and the settings. */
import { GATE_STATUSES, LOOP_STATUSES, PHASE_STATUSES } from "../../src/phases/core/state.ts";
import { CHECK, ITEM } from "../../src/statefile/check-schema.ts";
import type { Field, Fields, ObjectType, Type } from "../../src/statefile/field-types.ts";
import { STATE } from "../../src/statefile/schema.ts";
import { CONFIG } from "../../src/project/config-schema.ts";

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

/** JSON Schema (draft 2020-12) of a configuration file. */
export function configJsonSchema(): Json {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "AoT Loop configuration",
    ...schemaOf(CONFIG),
    additionalProperties: false,
  };
}

function schemaOf(type: Type, refer = true): Json {
  if (type === ITEM && refer) return { $ref: "#/$defs/item" };
  switch (type.kind) {
    case "text":
    case "word": {
      const text = {
        type: "string",
        ...(type.filled ? { minLength: 1 } : {}),
        ...(type.pattern ? { pattern: type.pattern.source } : {}),
      };
      return type.orCheck === true ? { anyOf: [text, schemaOf(CHECK)] } : text;
    }
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

const TEXT = { type: "string" };
const FILLED = { type: "string", minLength: 1 };
const TEXTS = { type: "array", items: TEXT };
const TRUTH = { type: "boolean" };
const TIME = { type: "string", format: "date-time" };

/** The state as `aot phases init` writes it; the eleven rules are beyond it: `aot phases validate` tells them. */
export function phaseStateJsonSchema(): Json {
  const gate = whole({
    status: { enum: GATE_STATUSES },
    required: TRUTH,
    approvalType: { enum: ["human", "conditional", "auto"] },
    deliverables: TEXTS,
    passedAt: orNull(TIME),
    skippedReason: orNull(TEXT),
  });
  const phase = whole({
    status: { enum: PHASE_STATUSES },
    required: TRUTH,
    skills: TEXTS,
    deliverables: TEXTS,
    startedAt: orNull(TIME),
    completedAt: orNull(TIME),
  });
  const state = whole({
    loop: FILLED,
    version: TEXT,
    mode: TEXT,
    phase: TEXT,
    status: { enum: LOOP_STATUSES },
    gates: { type: "object", additionalProperties: gate },
    phases: { type: "object", additionalProperties: phase },
    metrics: { type: "object" },
    started_at: TIME,
    last_updated: TIME,
  });
  return { $schema: "https://json-schema.org/draft/2020-12/schema", title: "Phase loop: state", ...state };
}

function whole(properties: Json): Json {
  return { type: "object", properties, required: Object.keys(properties) };
}

function orNull(schema: Json): Json {
  return { anyOf: [schema, { type: "null" }] };
}
