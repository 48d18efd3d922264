/** The published JSON Schemas (draft 2020-12), read off the schema of the state file and the settings. */
import { GATE_STATUSES, LOOP_STATUSES, PHASE_STATUSES } from "../../src/phases/core/state.ts";
import { ITEM } from "../../src/statefile/check-schema.ts";
import type { Type } from "../../src/statefile/field-types.ts";
import { schemaOf, type Json } from "../../src/statefile/json-schema.ts";
import { STATE } from "../../src/statefile/schema.ts";
import { CONFIG } from "../../src/project/config-schema.ts";

const STYLE = { refs: new Map<Type, string>([[ITEM, "#/$defs/item"]]) };

/** JSON Schema of the frontmatter. Rules across fields (a rubric's weights, the invariants) are beyond it. */
export function stateJsonSchema(): Json {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "AoT Loop state file, frontmatter",
    ...schemaOf(STATE, STYLE),
    $defs: { item: schemaOf({ ...ITEM }, STYLE) },
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
