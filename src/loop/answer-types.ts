/**
 * What each role may answer, as types: what an answer is read by, and the JSON Schema that its agent is given (answers.ts says
 * what no type can).
 */
import type { Advice } from "../core/event.ts";
import type { RubricCriterion } from "../core/state.ts";
import {
  BOOL,
  choice,
  type Fields,
  list,
  type ListType,
  may,
  need,
  record,
  type RecordType,
  type TextType,
  type Type,
} from "../statefile/field-types.ts";
import { schemaOf } from "../statefile/json-schema.ts";

/** Only reported (ANSWERS-4). */
export const SAID: TextType = { kind: "text", filled: true, cut: true };
/** A name, a glob, a path, a question. */
const NAME: TextType = { kind: "text", filled: true, most: 1_000 };
const NAMES: ListType = { ...list(NAME), most: 40 };
/** Of an atom or a group. */
const ID: TextType = {
  kind: "word",
  filled: true,
  pattern: /^[\p{L}\p{N}_][\p{L}\p{N}_.-]{0,63}$/u,
  format: "one word of at most 64 letters, digits, _ . -",
};
const DESCRIPTION: TextType = { kind: "text", filled: true, most: 4_000 };

const CRITERIA: TextType = { ...NAME, orCheck: true };
/** What a split says of a part; the rules of the prompt say what each is. */
const PART = record({
  id: may(ID, ""),
  description: need(DESCRIPTION, ""),
  depends_on: may(NAMES, ""),
  or_group: may(ID, ""),
  criteria: may(CRITERIA, ""),
});
const ATOM = record({
  ...PART.fields,
  or_group: may(ID, "Atoms that name the same group are alternatives: the first is done, the next only if it fails."),
  probe: may(BOOL, "Real work, but perhaps not feasible: a probe finds that out first."),
  touches: may(NAMES, "Globs of the files that it will change, where they are known."),
  criteria: may(
    CRITERIA,
    "When this atom is done, whatever the rest of the goal, so that its worker can check it: `npx vitest run new.test.ts` passes.",
  ),
});
/** A proposal of more atoms is no plan: it would take the loop's fuel before anything is seen of it. */
const ATOMS: ListType = { ...list(ATOM), filled: true, most: 40 };

export const RESULT = record({
  success: need(BOOL, ""),
  summary: need(SAID, "What was done, or why it failed; all that later work will know of it."),
  artifacts: {
    ...may(list({ kind: "text", filled: true }), "Files made or changed, relative to the folder."),
    default: [],
  },
  subject: may(SAID, "What the commit is to be called: one line."),
});
export const SPLIT = record({ split: need(ATOMS, ""), reason: need(SAID, "Why the atom has to be split.") });
export const WORKER = record({ ...RESULT.fields, ...SPLIT.fields });

export const PROBE = record({
  feasible: need(BOOL, ""),
  findings: need(SAID, ""),
  cost_estimate: may(SAID, ""),
  done: may(BOOL, "The atom asks for nothing but what you found: no worker follows."),
});

export const PERSON = record({
  needs_person: need(
    SAID,
    "Instead of all else, where no work can help: what only a person can do or allow, in one sentence. It stops the loop.",
  ),
});
export const PLAN = record({ atoms: need(ATOMS, ""), reason: need(SAID, "") });
export const PLANNER = record({ ...PLAN.fields, ...PERSON.fields });

/** What can be done about an atom that fails (SPEC section 4), and what belongs to it. */
export const ADVICE: Readonly<Record<Advice["kind"], Fields>> = {
  reword: { description: need(DESCRIPTION, "reword: what the atom is from now on.") },
  split: { atoms: need(ATOMS, "split: its parts. alternative: one atom, done in its place.") },
  alternative: { atoms: need({ ...ATOMS, most: 1 }, "") },
  reorder: {
    depends_on: need({ ...NAMES, filled: true }, "reorder: ids of atoms that have to be done before it."),
  },
  hopeless: {},
};
export const KIND = record({ advice: need(choice(...Object.keys(ADVICE)), "") });
export const ADVISED = record({
  ...KIND.fields,
  ...ADVICE.reword,
  ...ADVICE.split,
  ...ADVICE.reorder,
  reason: need(SAID, ""),
  ...PERSON.fields,
});

/** More quotes say no more. */
const QUOTES: ListType = {
  ...list(
    record({
      file: need(NAME, "Relative to the folder."),
      line: need({ kind: "int", min: 1 }, "Where the quoted text begins."),
      text: need({ kind: "text", filled: true, most: 4_000 }, "One to five lines, exactly as in the file."),
    }),
  ),
  most: 8,
};
const SHOWN = {
  quotes: { ...need(QUOTES, "The lines that show it, copied from the file word for word."), default: [] },
};
export const ASSERTION = record({ passed: need(BOOL, ""), evidence: need(SAID, "") });
export const VOTE = record({ ...ASSERTION.fields, ...SHOWN });
export const RATING = record({
  score: need({ kind: "number", min: 1, max: 5 }, ""),
  reason: { ...need(SAID, ""), default: "" },
});
const scoreOf = (criterion: TextType | ReturnType<typeof choice>): RecordType =>
  record({ criterion: need(criterion, ""), ...RATING.fields, ...SHOWN });
export const SCORES = record({ scores: need(list(scoreOf(SAID)), "") });

export const DRAFT = record({
  goal: need(NAME, ""),
  background_intent: need(SAID, ""),
  deliverables: need(SAID, ""),
  definition_of_done: need(SAID, ""),
  atoms: need(ATOMS, ""),
  questions: may(
    { ...list(record({ question: need(NAME, ""), assumption: need(NAME, "") })), most: 3 },
    "What only the person can say. The draft holds with your assumption, should nobody answer.",
  ),
});

export interface Schema extends Readonly<Partial<Record<"type" | "description", string>>> {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly enum?: readonly string[];
}

function asked(type: Type): Schema {
  return schemaOf(type, { asked: true });
}

/** Model APIs refuse `oneOf` and `anyOf` at the top, so that "either ... or" is said in words. */
function either(description: string, type: RecordType): Schema {
  const { required: _, ...schema } = asked(type);
  return { ...schema, description };
}

export const WORKER_SCHEMA = either(
  "Either {success, summary, artifacts, subject} or, for an atom that is too large, {split, reason}.",
  record({ ...WORKER.fields, split: need({ ...ATOMS, of: PART }, "") }),
);
export const PROBE_SCHEMA = asked(PROBE);
export const PLANNER_SCHEMA = either("Either {atoms, reason} or {needs_person}.", PLANNER);
export const ADVICE_SCHEMA = either("Either {advice, reason} with what belongs to it, or {needs_person}.", ADVISED);
export const ASSERTION_SCHEMA = asked(VOTE);
export const DRAFT_SCHEMA = asked(
  record({
    ...DRAFT.fields,
    base_case: need(record({ checklist: need({ ...list(record({})), filled: true }, "") }), ""),
  }),
);

/** The schema of a judge's scores for this rubric: one score per criterion. */
export function qualitySchema(rubric: readonly RubricCriterion[]): Schema {
  const score = scoreOf(choice(...rubric.map(({ criterion }) => criterion)));
  const scores = { ...asked(list(score)), minItems: rubric.length };
  return { type: "object", properties: { scores }, required: ["scores"] };
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
