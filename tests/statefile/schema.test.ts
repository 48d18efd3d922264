import { expect, test } from "vitest";
import { CHECK } from "../../src/statefile/check-schema.ts";
import { CONTROL, OBJECTIVE, STATE } from "../../src/statefile/schema.ts";
import { stateFieldsMarkdown } from "../support/field-tables.ts";
import { stateJsonSchema } from "../support/json-schema.ts";
import { DEFAULT_CONSTRAINTS, EXIT_CODES, INITIAL_CONTROL } from "../../src/core/state.ts";

test("the schema's defaults and enumerations are those of the types", () => {
  const constraints = OBJECTIVE.fields["constraints"]?.type;
  if (constraints?.kind !== "record") throw new Error("constraints is no record");
  const defaults = Object.fromEntries(
    Object.entries(constraints.fields)
      .filter(([, field]) => field.default !== undefined)
      .map(([key, field]) => [key, field.default]),
  );
  expect(defaults).toEqual(DEFAULT_CONSTRAINTS);
  expect(CONTROL.fields["outcome"]?.type).toEqual({ kind: "choice", of: Object.keys(EXIT_CODES) });
  expect(Object.keys(CONTROL.fields)).toEqual(expect.arrayContaining(Object.keys(INITIAL_CONTROL)));
});

test("the table names every field of the schema, and says what each is for", () => {
  const table = stateFieldsMarkdown();
  for (const path of (
    "objective.goal objective.constraints.max_cost_usd objective.protected control.outcome " +
    "atoms[].depends_on or_groups.<group>.failed bindings.<atom>.artifacts trail[].type " +
    "corrections[].trail_cleared item.any_of check.timeout check.rubric[].levels"
  ).split(" ")) {
    expect(table).toContain(`| \`${path}\` |`);
  }
  const rows = table.split("\n").filter((line) => line.startsWith("| `"));
  expect(new Set(rows).size).toBe(rows.length);
  for (const line of rows) expect(line).toMatch(/^\| `[^`]+` \| [^|]([^|]|\\\|)* \| (yes|no) \| [^|]* \| .{4,} \|$/);
});

test("the JSON Schema requires what the schema requires, allows unknown keys, and refers to items by name", () => {
  const schema = JSON.parse(JSON.stringify(stateJsonSchema())) as {
    required: string[];
    properties: Record<string, { required?: string[] }>;
    $defs: object;
  };
  expect(schema.required).toEqual(["objective", "control", "atoms"]);
  expect(schema.properties["control"]?.required).toEqual([
    "status",
    "iteration",
    "stall_count",
    "prev_pending_count",
    "stop_requested",
    "redirect_requested",
  ]);
  expect(Object.keys(schema.properties)).toEqual(Object.keys(STATE.fields));
  const text = JSON.stringify(schema);
  expect(text).not.toContain('additionalProperties":false');
  expect(text).toContain("#/$defs/item");
  for (const type of Object.keys(CHECK.of)) expect(text).toContain(`{"enum":["${type}"]`);
});
