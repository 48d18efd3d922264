/**
 * JSON Schema as strict structured output takes it: every object closed, every property required. What was optional
 * may be null instead, and nulls are taken out of the answer again. Bounds are left out: whoever reads the answer
 * checks them.
 */
import { object, type Json } from "./json-lines.ts";

/** The strict form; undefined where there is none (an object without named properties). */
export function strictSchema(schema: object): Json | undefined {
  return strict(schema as Json);
}

function strict(schema: Json): Json | undefined {
  const { type, description, enum: choices } = schema;
  const kept = {
    type,
    ...(description === undefined ? {} : { description }),
    ...(choices === undefined ? {} : { enum: choices }),
  };
  if (type === "array") {
    const items = strict(object(schema["items"]) ?? {});
    return items && { ...kept, items };
  }
  if (type !== "object") return type === undefined ? undefined : kept;
  const given = object(schema["properties"]) ?? {};
  if (Object.keys(given).length === 0 || schema["additionalProperties"] === true) return undefined;
  const required = new Set(Array.isArray(schema["required"]) ? schema["required"] : []);
  const properties: Record<string, Json> = {};
  for (const [name, value] of Object.entries(given)) {
    const property = strict(object(value) ?? {});
    if (property === undefined) return undefined;
    properties[name] = required.has(name) ? property : nullable(property);
  }
  return { ...kept, properties, required: Object.keys(properties), additionalProperties: false };
}

function nullable(schema: Json): Json {
  const choices = schema["enum"];
  return {
    ...schema,
    type: [schema["type"], "null"],
    ...(Array.isArray(choices) ? { enum: [...(choices as unknown[]), null] } : {}),
  };
}

export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  const given = object(value);
  if (given === undefined) return value;
  return Object.fromEntries(
    Object.entries(given).flatMap(([key, one]) => (one === null ? [] : [[key, withoutNulls(one)]])),
  );
}
