/**
 * The state file's fields: the one place that says what each is called, what it may hold, whether it must be there,
 * and what stands in for it when it is not (SPEC section 2). Validation (`shape.ts`), writing (`render.ts`,
 * `print.ts`), the JSON Schema (`json-schema.ts`) and the documentation's table (`field-table.ts`) are read off it.
 */

/** `word`: a name or id, written bare where that is safe. `text`: always written in double quotes. */
export interface TextType {
  readonly kind: "text" | "word";
  /** The empty string is refused. */
  readonly filled?: true;
  readonly pattern?: RegExp;
  /** What the pattern asks for, in words. */
  readonly format?: string;
}
export interface ChoiceType {
  readonly kind: "choice";
  readonly of: readonly string[];
}
export interface NumberType {
  readonly kind: "int" | "number";
  readonly min?: number;
  readonly max?: number;
  readonly above?: number;
}
export interface BoolType {
  readonly kind: "bool";
}
export interface ListType {
  readonly kind: "list";
  readonly of: Type;
  readonly filled?: true;
}
/** Keys of the writer's choice. `pairs` keep the order of the file; `object` is for keys that are numbers. */
export interface TableType {
  readonly kind: "table";
  readonly of: Type;
  /** What a key is, for the documentation. */
  readonly name: string;
  readonly as: "pairs" | "object";
}
export interface RecordType {
  readonly kind: "record";
  readonly fields: Fields;
}
/** The value under `tag` says which record this is. */
export interface TaggedType {
  readonly kind: "tagged";
  readonly tag: string;
  readonly of: Readonly<Record<string, RecordType>>;
}
/** With `key`: `present`, without: `absent`. */
export interface KeyedType {
  readonly kind: "keyed";
  readonly key: string;
  readonly present: RecordType;
  readonly absent: RecordType | TaggedType;
}
/** `fields`, and exactly one of `alternatives`. */
export interface ExclusiveType {
  readonly kind: "exclusive";
  readonly fields: Fields;
  readonly alternatives: Fields;
}
export type ObjectType = RecordType | TaggedType | KeyedType | ExclusiveType;
export type Type = TextType | ChoiceType | NumberType | BoolType | ListType | TableType | ObjectType;

export interface Field {
  readonly type: Type;
  /** One sentence for the documentation. */
  readonly doc: string;
  readonly required?: true;
  /** Stands in when the key is absent or null. */
  readonly default?: unknown;
  /** The default stands in, and a warning says so. */
  readonly expected?: true;
  /** Null is a value of its own; elsewhere a null means that the key is absent. */
  readonly nullable?: true;
  /** A change replaces the value as a whole instead of going into it. */
  readonly whole?: true;
}
export type Fields = Readonly<Record<string, Field>>;

const TEXT: TextType = { kind: "text" };
const FILLED: TextType = { kind: "text", filled: true };
const WORD: TextType = { kind: "word", filled: true };
const BOOL: BoolType = { kind: "bool" };
const WORDS: ListType = { kind: "list", of: WORD };
const TEXTS: ListType = { kind: "list", of: TEXT };
const COUNT: NumberType = { kind: "int", min: 0 };
const AT_LEAST_ONE: NumberType = { kind: "int", min: 1 };
const TIME: TextType = {
  kind: "text",
  pattern: /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/,
  format: 'an ISO 8601 time such as "2025-01-15T10:00:00Z"',
};
const DURATION: TextType = {
  kind: "text",
  pattern: /^(?=\d)(?:\d+d)?(?:\d+h)?(?:\d+m)?(?:\d+s)?$/,
  format: 'a duration such as "90m", "2h" or "1h30m"',
};

const choice = (...of: string[]): ChoiceType => ({ kind: "choice", of });
const record = (fields: Fields): RecordType => ({ kind: "record", fields });
const list = (of: Type): ListType => ({ kind: "list", of });
const need = (type: Type, doc: string): Field => ({ type, doc, required: true });
const may = (type: Type, doc: string): Field => ({ type, doc });

// ── base case ───────────────────────────────────────────────────────────────

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

const BASE_CASE: KeyedType = {
  kind: "keyed",
  key: "checklist",
  present: record({ checklist: need(ITEMS, "Items that must all pass.") }),
  absent: CHECK,
};

// ── sections ────────────────────────────────────────────────────────────────

const CONSTRAINTS = record({
  max_iterations: { ...need(AT_LEAST_ONE, "Iterations the loop may open."), default: 20 },
  max_parallel_agents: { ...need(AT_LEAST_ONE, "Agents that may work at a time."), default: 3 },
  max_stall_count: { ...need(AT_LEAST_ONE, "Iterations in a row without progress before the loop stops."), default: 3 },
  max_cost_usd: may({ kind: "number", min: 0 }, "Cost in USD before the loop stops; absent: no limit."),
  max_duration: may(DURATION, "Working time before the loop stops; absent: no limit."),
  max_attempts_per_atom: may(AT_LEAST_ONE, "Attempts one atom may take; absent: no limit."),
});

export const OBJECTIVE = record({
  goal: need(TEXT, "The purpose in a sentence."),
  base_case: { ...need(BASE_CASE, "Completion criteria: one check, or a checklist."), whole: true },
  background_intent: need(TEXT, "Why it is wanted."),
  deliverables: need(TEXT, "What is handed over."),
  definition_of_done: need(TEXT, "The completion criteria in words."),
  constraints: { ...need(CONSTRAINTS, "The loop's fuel."), default: {} },
  clarifications: may(
    list(record({ question: need(TEXT, "What was unclear."), resolution: need(TEXT, "What was settled.") })),
    "Questions that alignment settled.",
  ),
  scope: may(
    record({ in_scope: may(TEXTS, "What belongs to the goal."), out_of_scope: may(TEXTS, "What does not.") }),
    "The goal's limits.",
  ),
  protected: may(TEXTS, "Globs of the files that decide the verdict; attempts must not change them."),
  aligned_commit: may(TEXT, "Commit at which the goal was aligned; protected files are compared with it."),
});

export const CONTROL = record({
  status: need(choice("pending", "running", "stopped", "completed"), "Where the loop stands."),
  iteration: need(COUNT, "Iterations opened so far."),
  stall_count: need(COUNT, "Iterations in a row without progress."),
  prev_pending_count: need(
    { kind: "int", min: -1 },
    "The measure M at the last judged iteration; -1 before the first.",
  ),
  stop_requested: need(BOOL, "A person asked the loop to stop."),
  stop_reason: { ...may(TEXT, "Why the loop stopped, in words."), default: null, nullable: true },
  redirect_requested: need(BOOL, "A redirect waits to be applied."),
  outcome: {
    ...may(
      choice(
        "verified",
        "stop_requested",
        "stalled",
        "max_iterations",
        "budget",
        "or_group_exhausted",
        "deadlock",
        "needs_confirmation",
        "agent_unavailable",
        "tampered",
      ),
      "Why the loop halted, for machines.",
    ),
    nullable: true,
  },
  session_id: { ...may(TEXT, "The session that owns the in-session loop."), nullable: true },
});

export const ATOM = record({
  id: need(WORD, "Unique name: A1, A2, ..."),
  description: need(TEXT, "What is to be done."),
  status: need(choice("pending", "in_progress", "resolved"), "Where the atom stands."),
  depends_on: need(WORDS, "Atoms that must be met first."),
  or_group: may(WORD, "The OR group this atom is a choice of."),
  probe: may(BOOL, "Unknown territory: a probe goes first."),
  touches: may(TEXTS, "Globs of the files it expects to change."),
});

export const BINDING = record({
  summary: need(TEXT, "What resolving the atom gave."),
  artifacts: need(TEXTS, "Files created or changed."),
});

export const DECOMPOSITION = record({
  parent: need(WORD, "The atom that was split."),
  children: need(WORDS, "The atoms it was split into."),
  reason: need(TEXT, "Why."),
});

export const OR_GROUP = record({
  choices: need(WORDS, "The alternatives, in the order they are tried."),
  selected: need(WORD, "The alternative in force."),
  failed: { ...need(WORDS, "Alternatives given up."), default: [], expected: true },
  speculative: may(BOOL, "Race the choices instead of trying one after the other."),
});

const TRAIL_ENTRY: KeyedType = {
  kind: "keyed",
  key: "type",
  present: record({
    type: need(choice("user_correction"), "A person changed the graph."),
    reason: need(TEXT, "Why."),
    timestamp: need(TIME, "When (ISO 8601)."),
  }),
  absent: record({
    or_group: need(WORD, "The OR group."),
    selected: need(WORD, "The choice that was selected."),
    reason: need(TEXT, "Why."),
    timestamp: need(TIME, "When (ISO 8601)."),
  }),
};

const CORRECTION = record({
  timestamp: need(TIME, "When (ISO 8601)."),
  type: need(
    choice("objective_change", "dag_adjustment", "constraint_change", "bindings_override"),
    "What was changed.",
  ),
  description: need(TEXT, "The change in a sentence."),
  trail_cleared: need(BOOL, "Whether the trail was cleared."),
});

const section = (type: Type, doc: string, missing: unknown, expected: boolean): Field => ({
  ...may(type, doc),
  default: missing,
  ...(expected ? { expected: true as const } : {}),
});

/** The sections, in the order in which they are written. */
export const STATE = record({
  objective: need(OBJECTIVE, "Goal, completion criteria and limits."),
  control: need(CONTROL, "Where the loop stands."),
  atoms: need(list(ATOM), "The work graph; at least one atom."),
  decompositions: section(list(DECOMPOSITION), "Which atoms were split into which.", [], false),
  or_groups: section({ kind: "table", of: OR_GROUP, name: "group", as: "pairs" }, "Alternatives, by name.", [], false),
  bindings: section(
    { kind: "table", of: BINDING, name: "atom", as: "pairs" },
    "What replaces each resolved atom, by atom id.",
    [],
    true,
  ),
  trail: section(list(TRAIL_ENTRY), "History of OR selections.", [], true),
  corrections: section(list(CORRECTION), "History of redirects.", [], true),
});

/** The fields that an object with these keys has; `textAt` gives the text under a key, if there is one. */
export function fieldsOf(
  type: ObjectType,
  textAt: (key: string) => string | undefined,
  has: (key: string) => boolean,
): Fields | undefined {
  if (type.kind === "record") return type.fields;
  if (type.kind === "keyed") return fieldsOf(has(type.key) ? type.present : type.absent, textAt, has);
  if (type.kind === "exclusive") return { ...type.fields, ...type.alternatives };
  const tag = textAt(type.tag);
  return tag !== undefined && Object.hasOwn(type.of, tag) ? type.of[tag]?.fields : undefined;
}
