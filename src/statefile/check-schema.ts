/** The base case in the state file: checks, and the checklist that holds them (SPEC section 6). */
import {
  choice,
  type ExclusiveType,
  FILLED,
  type KeyedType,
  list,
  type ListType,
  may,
  need,
  record,
  type RecordType,
  type TaggedType,
  TEXT,
  type Type,
} from "./field-types.ts";

const BASELINE = may(
  choice("pass"),
  "Declares a check that already passes before any work: an invariant, not a vacuous check.",
);
const TIMEOUT = may({ kind: "number", above: 0 }, "Seconds the command may run (default: 120).");

const RUBRIC = list(
  record({
    criterion: need(FILLED, "What is scored, 1 to 5."),
    description: may(TEXT, "What the criterion means."),
    weight: may({ kind: "number", min: 0 }, "Its share; weights are normalised by their sum (absent: 1)."),
    levels: may({ kind: "table", of: TEXT, name: "score", as: "object" }, "What a score means, by score."),
  }),
);

const mechanical = (type: string, value: string, timed: boolean): RecordType =>
  record({
    type: need(choice(type), "Kind of check."),
    value: need(FILLED, value),
    ...(timed ? { timeout: TIMEOUT } : {}),
    baseline: BASELINE,
  });

export const CHECK: TaggedType = {
  kind: "tagged",
  tag: "type",
  of: {
    command: mechanical("command", "Shell command; passes with exit code 0.", true),
    file: mechanical("file", "Path or glob; passes when something matches.", false),
    not_command: mechanical("not_command", "Shell command; passes when it ran and its exit code is not 0.", true),
    not_file: mechanical("not_file", "Path or glob; passes when nothing matches.", false),
    assertion: mechanical("assertion", "A condition in words; the judge decides and a person confirms.", false),
    quality: {
      kind: "record",
      fields: {
        type: need(choice("quality"), "Kind of check."),
        rubric: may({ ...RUBRIC, filled: true }, "Criteria with weights that a judge scores."),
        criteria: may(FILLED, "The simple form: one criterion in words."),
        pass_threshold: need(
          { kind: "number", min: 1, max: 5 },
          "Passes when the weighted average reaches it (1 to 5).",
        ),
        scope: may(TEXT, "Glob of the files to judge."),
        baseline: BASELINE,
      },
    },
  },
};

const ITEMS: ListType = {
  kind: "list",
  filled: true,
  get of(): Type {
    return ITEM;
  },
};

export const ITEM: ExclusiveType = {
  kind: "exclusive",
  fields: { item: need(TEXT, "What this item is about.") },
  alternatives: {
    check: may(CHECK, "One check."),
    group: may(ITEMS, "Items that must all pass."),
    any_of: may(ITEMS, "Items of which one must pass."),
  },
};

export const BASE_CASE: KeyedType = {
  kind: "keyed",
  key: "checklist",
  present: record({ checklist: need(ITEMS, "Items that must all pass.") }),
  absent: CHECK,
};
