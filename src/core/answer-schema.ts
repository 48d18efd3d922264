/**
 * What each role is asked to answer, as JSON Schema; `answer.ts` reads the answers.
 *
 * The schemas are plain objects at their top: model APIs refuse `oneOf` and `anyOf` there, so that the
 * worker's "result or split" is reported in words and decided by `readWorkerAnswer`.
 */
import type { RubricCriterion } from "./state.ts";

const TEXT = { type: "string", minLength: 1 };
const NAMES = { type: "array", items: TEXT };
/** What a split says of a part; the rules of the prompt say what each is. */
const PART = { id: TEXT, description: TEXT, depends_on: NAMES, or_group: TEXT, criteria: TEXT };
const ATOM = {
  ...PART,
  or_group: {
    ...TEXT,
    description: "Atoms that name the same group are alternatives: the first is done, the next only if it fails.",
  },
  probe: { type: "boolean", description: "Real work, but perhaps not feasible: a probe finds that out first." },
  touches: { ...NAMES, description: "Globs of the files that it will change, where they are known." },
  criteria: {
    ...TEXT,
    description:
      "When this atom is done, whatever the rest of the goal, so that its worker can check it: `npx vitest run new.test.ts` passes.",
  },
};
const ATOMS = { type: "array", minItems: 1, items: { type: "object", properties: ATOM, required: ["description"] } };
const PARTS = { ...ATOMS, items: { ...ATOMS.items, properties: PART } };

export const WORKER_SCHEMA = {
  type: "object",
  description: "Either {success, summary, artifacts, subject} or, for an atom that is too large, {split, reason}.",
  properties: {
    success: { type: "boolean" },
    summary: { ...TEXT, description: "What was done, or why it failed; all that later work will know of it." },
    artifacts: { ...NAMES, description: "Files made or changed, relative to the folder." },
    subject: { ...TEXT, description: "What the commit is to be called: one line." },
    split: PARTS,
    reason: { ...TEXT, description: "Why the atom has to be split." },
  },
};

export const PROBE_SCHEMA = {
  type: "object",
  properties: {
    feasible: { type: "boolean" },
    findings: TEXT,
    cost_estimate: TEXT,
    done: { type: "boolean", description: "The atom asks for nothing but what you found: no worker follows." },
  },
  required: ["feasible", "findings"],
};

const NEEDS_PERSON = {
  ...TEXT,
  description:
    "Instead of all else, where no work can help: what only a person can do or allow, in one sentence. It stops the loop.",
};

export const PLANNER_SCHEMA = {
  type: "object",
  description: "Either {atoms, reason} or {needs_person}.",
  properties: { atoms: ATOMS, reason: TEXT, needs_person: NEEDS_PERSON },
};

/** What can be done about an atom that fails (SPEC section 4). */
export const ADVICE_KINDS = ["reword", "split", "alternative", "reorder", "hopeless"] as const;

export const ADVICE_SCHEMA = {
  type: "object",
  description: "Either {advice, reason} with what belongs to it, or {needs_person}.",
  properties: {
    advice: { type: "string", enum: ADVICE_KINDS },
    description: { ...TEXT, description: "reword: what the atom is from now on." },
    atoms: { ...ATOMS, description: "split: its parts. alternative: one atom, done in its place." },
    depends_on: { ...NAMES, description: "reorder: ids of atoms that have to be done before it." },
    reason: TEXT,
    needs_person: NEEDS_PERSON,
  },
};

const QUOTES = {
  type: "array",
  description: "The lines that show it, copied from the file word for word.",
  items: {
    type: "object",
    properties: {
      file: { ...TEXT, description: "Relative to the folder." },
      line: { type: "integer", minimum: 1, description: "Where the quoted text begins." },
      text: { ...TEXT, description: "One to five lines, exactly as in the file." },
    },
    required: ["file", "line", "text"],
  },
};

export const ASSERTION_SCHEMA = {
  type: "object",
  properties: { passed: { type: "boolean" }, evidence: TEXT, quotes: QUOTES },
  required: ["passed", "evidence", "quotes"],
};

export const DRAFT_SCHEMA = {
  type: "object",
  properties: {
    goal: TEXT,
    background_intent: TEXT,
    deliverables: TEXT,
    definition_of_done: TEXT,
    base_case: {
      type: "object",
      properties: { checklist: { type: "array", minItems: 1, items: { type: "object" } } },
      required: ["checklist"],
    },
    atoms: ATOMS,
    questions: {
      type: "array",
      maxItems: 3,
      description: "What only the person can say. The draft holds with your assumption, should nobody answer.",
      items: { type: "object", properties: { question: TEXT, assumption: TEXT }, required: ["question", "assumption"] },
    },
  },
  required: ["goal", "background_intent", "deliverables", "definition_of_done", "base_case", "atoms"],
};

/** The schema of a judge's scores for this rubric: one score per criterion. */
export function qualitySchema(rubric: readonly RubricCriterion[]): object {
  const score = {
    type: "object",
    properties: {
      criterion: { type: "string", enum: rubric.map((c) => c.criterion) },
      score: { type: "integer", minimum: 1, maximum: 5 },
      reason: TEXT,
      quotes: QUOTES,
    },
    required: ["criterion", "score", "reason", "quotes"],
  };
  return {
    type: "object",
    properties: { scores: { type: "array", minItems: rubric.length, items: score } },
    required: ["scores"],
  };
}

interface Schema extends Readonly<Partial<Record<"type" | "description", string>>> {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly enum?: readonly string[];
}

/** A JSON Schema in as few words as a mind needs; the schema itself is for programs, and for an answer that was wrong. */
export function shapeText({ type = "", properties, required, items, enum: among, description }: Schema): string {
  const fields = Object.entries(properties ?? {}).map(
    ([name, one]) => `"${name}"${required?.includes(name) === false ? "?" : ""}: ${shapeText(one)}`,
  );
  const list = items === undefined ? type : `[${shapeText(items)}, ...]`;
  const text = fields.length > 0 ? `{${fields.join(", ")}}` : (among?.map((one) => `"${one}"`).join(" | ") ?? list);
  return description === undefined ? text : `${text} (${description.replace(/\.$/, "")})`;
}
