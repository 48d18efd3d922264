/**
 * A schema as every provider's strict mode takes it: shapes, enumerations and descriptions. Limits (`minLength`,
 * `minimum`, ...) are refused by some; what they ask for is checked when the answer is read.
 */
const KEPT = new Set(["type", "description", "enum", "properties", "required", "items"]);

export function plainSchema(schema: object): object {
  return Object.fromEntries([
    ...Object.entries(schema)
      .filter(([key]) => KEPT.has(key))
      .map(([key, value]) => [key, key === "properties" ? mapped(value) : key === "items" ? inner(value) : value]),
    ...("properties" in schema ? [["additionalProperties", false]] : []),
  ]) as object;
}

function mapped(properties: unknown): object {
  return Object.fromEntries(Object.entries(properties ?? {}).map(([name, value]) => [name, inner(value)]));
}

function inner(value: unknown): unknown {
  return typeof value === "object" && value !== null ? plainSchema(value) : value;
}
