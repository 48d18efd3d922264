/** What a `loop.json` holds, as JSON Schema (draft 2020-12), for editors and agents. */
import { AUTONOMIES } from "./definition.ts";
import { APPROVAL_NAMES } from "./read-gates.ts";
import { VALUE_TYPES } from "../../core/check-types.ts";

type Schema = { readonly [key: string]: unknown };

const DRAFT = "https://json-schema.org/draft/2020-12/schema";
const TEXT = { type: "string" };
const FILLED = { type: "string", minLength: 1 };
const TEXTS = { type: "array", items: TEXT };
const TRUTH = { type: "boolean" };

/** Further keys are allowed everywhere, and kept. Rules across fields are beyond it: `aot phases init` tells them. */
export function loopJsonSchema(): Schema {
  return {
    $schema: DRAFT,
    title: "Phase loop: definition",
    type: "object",
    properties: {
      id: said(FILLED, "Names the loop and its files."),
      name: said(TEXT, "For people."),
      version: said({ type: ["string", "number"] }, "Version of the definition."),
      description: said(TEXT, "What the loop is for."),
      phases: said({ type: "array", minItems: 1, items: phaseSchema() }, "In the order of work; names are unique."),
      gates: said(
        { type: ["array", "null"], items: gateSchema(true) },
        "Ids are unique; gates after one phase are settled in their order.",
      ),
      defaults: said(
        {
          type: "object",
          properties: {
            mode: said(TEXT, "The mode that a loop begins with."),
            autonomy: said(
              { anyOf: [{ enum: AUTONOMIES }, TEXT], default: "supervised" },
              "Which gates a human sees when the loop is run; a required human gate always.",
            ),
          },
        },
        "What holds unless it is said otherwise.",
      ),
    },
    required: ["id", "phases"],
  };
}

function phaseSchema(): Schema {
  const skill = {
    type: "object",
    properties: { skillId: FILLED, id: FILLED, name: FILLED, skill: FILLED, required: TRUTH },
    anyOf: ["skillId", "id", "name", "skill"].map((key) => ({ required: [key] })),
  };
  return {
    type: "object",
    properties: {
      name: said(FILLED, "Letter by letter as gates and the state name it."),
      required: said({ type: ["boolean", "null"], default: true }, "Whether it can never be skipped."),
      skills: said(
        { type: ["array", "null"], items: { anyOf: [FILLED, skill] } },
        "What is worked in it, in this order.",
      ),
      deliverables: said(filesSchema(), "Files that it leaves behind, beside those of its gates."),
      requiredDeliverables: said(filesSchema(), "As `deliverables`."),
      gates: said(
        { type: ["array", "null"], items: { anyOf: [FILLED, gateSchema(false)] } },
        "Gates after this phase: described here, or named.",
      ),
      id: said(FILLED, "What `afterPhase` may say in the place of its name."),
      aot: said(
        { anyOf: [aotSchema(), { type: "null" }] },
        "The phase is an AoT loop: what `aot align --from FILE` takes. Its completion completes the phase.",
      ),
      notes: said(TEXT, "For those who work it."),
    },
    required: ["name"],
  };
}

/** Base case and atoms are those of an AoT loop: `aot phases init` tells what does not fit. */
function aotSchema(): Schema {
  return {
    type: "object",
    properties: {
      goal: said(FILLED, "What is to be reached."),
      base_case: said({ type: "object" }, "How a machine sees that it is: one check, or a checklist."),
      atoms: said({ type: "array", items: { type: "object", required: ["description"] } }, "The work, if it is known."),
    },
    required: ["goal", "base_case"],
  };
}

function checkSchema(): Schema {
  const check = {
    type: "object",
    properties: { type: { enum: VALUE_TYPES }, value: FILLED, timeout: said({ type: "number" }, "Seconds.") },
    required: ["type", "value"],
  };
  return { anyOf: [FILLED, check] };
}

function guaranteeSchema(): Schema {
  const properties = { type: TEXT, path: FILLED, file: FILLED, command: FILLED, description: FILLED, name: FILLED };
  return { type: "object", properties };
}

function filesSchema(): Schema {
  const file = {
    type: "object",
    properties: { file: FILLED, path: FILLED, name: FILLED, id: FILLED },
    anyOf: ["file", "path", "name", "id"].map((key) => ({ required: [key] })),
  };
  return { type: ["array", "null"], items: { anyOf: [FILLED, file] } };
}

function gateSchema(placed: boolean): Schema {
  return {
    type: "object",
    properties: {
      id: said(FILLED, "Names the gate."),
      name: said(TEXT, "For people."),
      afterPhase: said(FILLED, "The phase that it belongs after; the next one waits for it."),
      required: said({ type: ["boolean", "null"], default: true }, "Whether it is skipped only with a reason."),
      approvalType: said(
        { enum: APPROVAL_NAMES, default: "human" },
        "Who passes it: a human (`manual`), its condition or else a human, its checks (`auto`, `automated`, `automatic`).",
      ),
      deliverables: said(filesSchema(), "Files that have to be there."),
      requiredDeliverables: said(filesSchema(), "As `deliverables`."),
      checks: said(
        { anyOf: [{ type: ["array", "null"], items: checkSchema() }, FILLED] },
        "Commands, or checks as in a base case, that have to pass where the gate is not for a human alone.",
      ),
      guarantees: said(
        { type: ["array", "null"], items: { anyOf: [FILLED, guaranteeSchema()] } },
        "What has to hold: a file that is there, a command that succeeds, or words.",
      ),
      criteria: said({ anyOf: [TEXTS, TEXT] }, "What has to hold, in words: a judge or the human decides."),
      autoCheck: said(TEXT, "What has to hold for an `auto` gate."),
      condition: said(TEXT, "When a `conditional` gate passes by itself."),
    },
    required: placed ? ["id", "afterPhase"] : ["id"],
  };
}

function said(schema: Schema, description: string): Schema {
  return { ...schema, description };
}
