/** The base case in the state file: checks, and the checklist that holds them (SPEC section 6). */
import { CHECK_TYPE_NAMES, checkTypeRow, COMMAND_SECONDS, type CheckType } from "../core/check-types.ts";
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
  TEXTS,
  type Type,
} from "./field-types.ts";

const BASELINE = may(
  choice("pass"),
  "Declares a check that already passes before any work: an invariant, not a vacuous check.",
);
const TIMEOUT = may({ kind: "number", above: 0 }, `Seconds the command may run (default: ${COMMAND_SECONDS}).`);

const NETWORK = may(
  TEXTS,
  "Hosts that it reaches in a sandbox: `example.com`, `*.example.com`, `localhost:5432`; absent: none.",
);

/** What a command's test report decides. */
const PER_TEST = {
  expect: may(
    choice("no_worse"),
    "Absent: exit code 0. Then every test that passed at the alignment still passes and is still there; those that failed do not block.",
  ),
  must_pass: may(TEXTS, "Tests that must pass: names or the last parts of them; `*` is any text."),
  allow_removed: may(TEXTS, "Tests that may vanish or be skipped, named in the same way."),
  allow_changed: may(
    TEXTS,
    "Files of tests, and of how they are run, that the work may change: without it the check passes with them as agreed, too; `*` is any text.",
  ),
  report: may(FILLED, "Format of its test report, or the file or glob that it writes; absent: known by its form."),
};

const RUBRIC = list(
  record({
    criterion: need(FILLED, "What is scored, 1 to 5."),
    description: may(TEXT, "What the criterion means."),
    weight: may({ kind: "number", min: 0 }, "Its share; weights are normalised by their sum (absent: 1)."),
    levels: may({ kind: "table", of: TEXT, name: "score", as: "object" }, "What a score means, by score."),
  }),
);

const QUALITY = record({
  type: need(choice("quality"), "Kind of check."),
  rubric: may({ ...RUBRIC, filled: true }, "Criteria with weights that a judge scores."),
  criteria: may(FILLED, "The simple form: one criterion in words."),
  pass_threshold: need({ kind: "number", min: 1, max: 5 }, "Passes when the weighted average reaches it (1 to 5)."),
  scope: may(TEXT, "Glob of the files to judge."),
  baseline: BASELINE,
});

function fieldsOfType(type: CheckType): RecordType {
  if (type === "quality") return QUALITY;
  const { way, value } = checkTypeRow(type);
  return record({
    type: need(choice(type), "Kind of check."),
    value: need(FILLED, value),
    ...(way === "command" ? { timeout: TIMEOUT, network: NETWORK } : {}),
    baseline: BASELINE,
    ...(type === "command" ? PER_TEST : {}),
  });
}

export const CHECK: TaggedType = {
  kind: "tagged",
  tag: "type",
  of: Object.fromEntries(CHECK_TYPE_NAMES.map((type) => [type, fieldsOfType(type)])),
};

const CHECK_LIST: ListType = {
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
    group: may(CHECK_LIST, "Items that must all pass."),
    any_of: may(CHECK_LIST, "Items of which one must pass."),
  },
};

export const BASE_CASE: KeyedType = {
  kind: "keyed",
  key: "checklist",
  present: record({ checklist: need(CHECK_LIST, "Items that must all pass.") }),
  absent: CHECK,
};
