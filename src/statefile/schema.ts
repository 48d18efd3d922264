/**
 * The state file's fields: the one place that says what each is called, what it may hold, whether it must be there,
 * and what is used for it when it is not (SPEC section 2). Validation (`shape.ts`), writing (`render.ts`,
 * `print.ts`), the published JSON Schema and the documentation's table are read off it.
 */
import { CORRECTION_TYPES, OUTCOMES } from "../core/state.ts";
import { BASE_CASE } from "./check-schema.ts";
import {
  AT_LEAST_ONE,
  BOOL,
  choice,
  COUNT,
  type Field,
  type KeyedType,
  LASTING,
  list,
  may,
  need,
  record,
  TEXT,
  TEXTS,
  TIME,
  type Type,
  WORD,
  WORDS,
} from "./field-types.ts";

const CONSTRAINTS = record({
  max_iterations: { ...need(AT_LEAST_ONE, "Iterations the loop may open."), default: 20 },
  max_parallel_agents: { ...need(AT_LEAST_ONE, "Agents that may work at a time."), default: 3 },
  max_stall_count: { ...need(AT_LEAST_ONE, "Iterations in a row without progress before the loop stops."), default: 3 },
  max_cost_usd: may({ kind: "number", min: 0 }, "Cost in USD before the loop stops; absent: no limit."),
  max_duration: may(LASTING, "Working time before the loop stops; absent: no limit."),
  max_attempts_per_atom: may(AT_LEAST_ONE, "Attempts one atom may take; absent: no limit."),
});

export const LIMITS: ReadonlyMap<string, Type> = new Map(
  Object.entries(CONSTRAINTS.fields).map(([name, { type }]) => [name, type]),
);

export const OBJECTIVE = record({
  goal: need(TEXT, "The purpose in a sentence."),
  base_case: { ...need(BASE_CASE, "Completion criteria: one check, or a checklist."), whole: true },
  background_intent: need(TEXT, "Why it is wanted."),
  deliverables: need(TEXT, "What is handed over."),
  definition_of_done: need(TEXT, "The completion criteria in words."),
  constraints: { ...need(CONSTRAINTS, "The loop's limits."), default: {} },
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
  aligned_tests: may(TEXT, "Digest of the record of its tests then; a record that differs is lost."),
});

export const CONTROL = record({
  status: need(choice("pending", "running", "stopped", "completed"), "Status of the loop."),
  iteration: need(COUNT, "Iterations opened so far."),
  stall_count: need(COUNT, "Iterations in a row without progress."),
  prev_pending_count: need(
    { kind: "int", min: -1 },
    "The measure M at the last judged iteration; -1 before the first.",
  ),
  low_water: may(COUNT, "The lowest M judged so far, moved along by work that is credited."),
  fewest_failing: may(COUNT, "The fewest failing leaves of any verdict so far."),
  replans: may(COUNT, "How often a failed base case was planned for."),
  asked: may(WORDS, "Atoms about which the planner was asked."),
  stop_requested: need(BOOL, "A person asked the loop to stop."),
  stop_reason: { ...may(TEXT, "Why the loop stopped, in words."), default: null, nullable: true },
  redirect_requested: need(BOOL, "A redirect waits to be applied."),
  outcome: {
    ...may(choice(...OUTCOMES), "Why the loop halted, for machines."),
    nullable: true,
  },
  session_id: { ...may(TEXT, "The session that owns the in-session loop."), nullable: true },
  engine: {
    ...may(
      TEXT,
      "The engine that works the loop, and its name there: this file is a view, and only the engine changes it.",
    ),
    nullable: true,
  },
});

/** What an atom may say of itself. */
export const MARKS = {
  probe: may(BOOL, "Unknown territory: a probe goes first."),
  touches: may(TEXTS, "Globs of the files it expects to change."),
  criteria: may({ ...TEXT, orCheck: true }, "Its own done, which a worker is asked for: a sentence, or a check."),
};

export const ATOM = record({
  id: need(WORD, "Unique name: A1, A2, ..."),
  description: need(TEXT, "What is to be done."),
  status: need(choice("pending", "in_progress", "resolved"), "Status of the atom."),
  depends_on: need(WORDS, "Atoms that must be met first."),
  or_group: may(WORD, "The OR group this atom is a choice of."),
  ...MARKS,
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
  type: need(choice(...CORRECTION_TYPES), "What was changed."),
  description: need(TEXT, "The change in a sentence."),
  trail_cleared: need(BOOL, "Whether the trail was cleared."),
  confirmed: may(
    record({
      item: need(TEXT, "The item that a person confirmed."),
      iteration: need(COUNT, "It holds while no later iteration is opened."),
    }),
    "A person's word on an item.",
  ),
  changes: may(
    list(
      record({
        field: need(TEXT, "What was changed."),
        old: may(TEXT, "Its value before; absent: it was added."),
        new: may(TEXT, "Its value since; absent: it was removed."),
      }),
    ),
    "Old and new value of each field.",
  ),
});

const section = (type: Type, doc: string, missing: unknown, expected: boolean): Field => ({
  ...may(type, doc),
  default: missing,
  ...(expected ? { expected: true as const } : {}),
});

/** The sections, in the order in which they are written. */
export const STATE = record({
  objective: need(OBJECTIVE, "Goal, completion criteria and limits."),
  control: need(CONTROL, "Status of the loop."),
  atoms: need({ ...list(ATOM), key: "id" }, "The work graph; at least one atom."),
  decompositions: section({ ...list(DECOMPOSITION), key: "parent" }, "Which atoms were split into which.", [], false),
  or_groups: section(
    { kind: "table", of: OR_GROUP, name: "group", as: "pairs", ordered: true },
    "Alternatives, by name.",
    [],
    false,
  ),
  bindings: section(
    { kind: "table", of: BINDING, name: "atom", as: "pairs" },
    "What replaces each resolved atom, by atom id.",
    [],
    true,
  ),
  trail: section(list(TRAIL_ENTRY), "History of OR selections.", [], true),
  corrections: section(list(CORRECTION), "History of redirects.", [], true),
});
