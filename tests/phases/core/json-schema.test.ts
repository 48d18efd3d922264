/** The published schemas say what the readers take. */
import { expect, test } from "vitest";
import { generate } from "../../../src/phases/core/generate.ts";
import { loopJsonSchema } from "../../../src/phases/core/json-schema.ts";
import { phaseStateJsonSchema } from "../../support/json-schema.ts";
import { stateText } from "../../../src/phases/core/print-state.ts";
import { readDefinition } from "../../../src/phases/core/read-definition.ts";
import { BARE, definitionOf, GARDEN, second, textsAtHand } from "./definitions.ts";

type Schema = { readonly [key: string]: unknown };

/** As much of JSON Schema as these two use. */
function fits(schema: Schema, value: unknown): boolean {
  const {
    type,
    enum: choices,
    anyOf,
    items,
    properties,
    required,
    additionalProperties,
    minItems,
    minLength,
  } = schema as {
    readonly type?: string | readonly string[];
    readonly enum?: readonly unknown[];
    readonly anyOf?: readonly Schema[];
    readonly items?: Schema;
    readonly properties?: Readonly<Record<string, Schema>>;
    readonly required?: readonly string[];
    readonly additionalProperties?: Schema;
    readonly minItems?: number;
    readonly minLength?: number;
  };
  const kind = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  if (type !== undefined && ![type].flat().includes(kind)) return false;
  if (choices !== undefined && !choices.includes(value)) return false;
  if (anyOf !== undefined && !anyOf.some((one) => fits(one, value))) return false;
  if (typeof value === "string") return value.length >= (minLength ?? 0);
  if (Array.isArray(value))
    return value.length >= (minItems ?? 0) && value.every((item) => items === undefined || fits(items, item));
  if (typeof value !== "object" || value === null) return true;
  if (required?.some((key) => !Object.hasOwn(value, key)) === true) return false;
  return Object.entries(value).every(([key, item]) => {
    const member = properties !== undefined && Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
    return member === undefined || fits(member, item);
  });
}

test("schemas/loop.schema.json and loop-state.schema.json are published", async () => {
  for (const [file, schema] of [
    ["loop", loopJsonSchema()],
    ["loop-state", phaseStateJsonSchema()],
  ] as const)
    await expect(`${JSON.stringify(schema, null, 2)}\n`).toMatchFileSnapshot(`../../../schemas/${file}.schema.json`);
});

for (const [name, text] of textsAtHand())
  test(`${name} and the state that is made from it fit`, () => {
    expect(fits(loopJsonSchema(), JSON.parse(text))).toBe(true);
    const state = JSON.parse(stateText(generate(definitionOf(text), second(0)))) as unknown;
    expect(fits(phaseStateJsonSchema(), state)).toBe(true);
  });

test.each([
  ["no id", { ...GARDEN, id: undefined }],
  ["no phases", { ...BARE, phases: [] }],
  ["a phase without a name", { ...BARE, phases: [{}] }],
  ["a skill without a name", { ...BARE, phases: [{ name: "A", skills: [{ required: true }] }] }],
  ["a gate that belongs nowhere", { ...BARE, gates: [{ id: "g" }] }],
  ["deliverables that are no list", { ...BARE, gates: [{ id: "g", afterPhase: "ONLY", deliverables: "R.md" }] }],
])("%s: neither the schema nor the reader takes it", (_, value) => {
  const text = JSON.stringify(value);
  expect(fits(loopJsonSchema(), JSON.parse(text))).toBe(false);
  expect(readDefinition(text).ok).toBe(false);
});
