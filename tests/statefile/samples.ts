/** Texts and states that several tests of the room share. */
import * as fc from "fast-check";
import {
  type Atom,
  type BaseCase,
  type Binding,
  type Check,
  type ChecklistItem,
  type Control,
  type Correction,
  type OrGroup,
  type State,
  type TrailEntry,
} from "../../src/core/state.ts";
import { parseState, type StateDocument } from "../../src/statefile/parse.ts";

/** The document, or a failure that shows why there is none. */
export function documentOf(text: string): StateDocument {
  const result = parseState(text);
  if (!result.ok) throw new Error(`${JSON.stringify(result.problems, null, 1)}\n${text}`);
  return result.document;
}

/** A small valid file; each section may be replaced. */
export function fileWith(sections: Readonly<Record<string, string>> = {}): string {
  const all = {
    objective: OBJECTIVE,
    control: CONTROL,
    atoms: ATOMS,
    decompositions: "decompositions: []",
    or_groups: "or_groups: {}",
    bindings: "bindings: {}",
    trail: "trail: []",
    corrections: "corrections: []",
    ...sections,
  };
  return `---\n${Object.values(all)
    .filter((section) => section !== "")
    .join("\n")}\n---\n\n# Original Prompt\n\nDo it.\n`;
}

export const OBJECTIVE = `objective:
  goal: "Implement authentication feature"
  base_case:
    type: command
    value: "npm test"
  background_intent: "Enable existing users to log in"
  deliverables: "Login API"
  definition_of_done: "All auth tests pass"
  constraints:
    max_iterations: 20
    max_parallel_agents: 3
    max_stall_count: 3`;

export const CONTROL = `control:
  status: running                           # pending | running | stopped | completed
  iteration: 5
  stall_count: 0
  prev_pending_count: 3                     # Previous pending Atom count
  stop_requested: false
  stop_reason: null
  redirect_requested: false`;

export const ATOMS = `atoms:
  - id: A1
    description: "User model definition"
    status: resolved                        # pending | in_progress | resolved
    depends_on: []

  - id: A2
    description: "Auth logic implementation"
    status: pending
    depends_on: [A1]`;

// ── arbitraries ─────────────────────────────────────────────────────────────

/** Text that is hard to write in YAML. */
const awkward: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    ...(
      "¦ ¦yes¦no¦null¦~¦true¦1e3¦0x1F¦-1¦.inf¦---¦...¦- a¦a: b¦a #b¦#¦'¦\"¦\\¦\\n¦a\nb¦a\r\nb\n¦\t¦\u2028¦" +
      "\u0085¦\ufeff¦🎉 é 漢¦[a]¦{a: 1}¦*a¦&a¦!t¦|¦>¦%¦@¦`¦ x ¦\u0000¦\u001b[0m¦<<¦2025-01-15"
    ).split("¦"),
  ),
  fc.string({ unit: "grapheme", maxLength: 20 }),
  fc.string({ unit: fc.constantFrom(..."ab:#-'\"\\ \n\t,[]{}&*!|>%@`?~\r".split("")), maxLength: 12 }),
);

const count = fc.integer({ min: 0, max: 50 });
const glob = fc.oneof(fc.constantFrom("src/**/*.ts", "a.ts", "docs/*.md"), awkward);
const time = fc.constantFrom("2025-01-15T10:00:00Z", "2025-01-15T10:00:00.123Z", "2026-11-21");
const optional = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(value, { nil: undefined, freq: 3 });

/** The value without its undefined keys, which the state's types do not know. */
function tidy<T>(value: T): T {
  if (Array.isArray(value)) return value.map(tidy) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .map(([key, item]) => [key, tidy(item)]),
  ) as T;
}

const filled = awkward.filter((text) => text !== "");
const levels = fc.dictionary(fc.constantFrom("1", "2", "3", "4", "5"), awkward, { noNullPrototype: true });
const check: fc.Arbitrary<Check> = fc
  .oneof(
    fc.record({
      type: fc.constantFrom("command", "not_command"),
      value: filled,
      timeout: optional(fc.constantFrom(1, 0.5, 600)),
      baseline: optional(fc.constant("pass")),
    }),
    fc.record({
      type: fc.constantFrom("file", "not_file", "assertion"),
      value: filled,
      baseline: optional(fc.constant("pass")),
    }),
    fc.record({
      type: fc.constant("quality"),
      criteria: filled,
      pass_threshold: fc.constantFrom(1, 3, 3.5, 5),
      scope: optional(glob),
    }),
    fc.record({
      type: fc.constant("quality"),
      rubric: fc.array(
        fc.record({
          criterion: filled,
          description: optional(awkward),
          weight: optional(fc.constantFrom(0.4, 1, 2)),
          levels: optional(levels),
        }),
        { minLength: 1, maxLength: 2 },
      ),
      pass_threshold: fc.constantFrom(2, 3.7),
    }),
  )
  .map((value) => tidy(value) as Check);

const { item } = fc.letrec<{ item: ChecklistItem; items: ChecklistItem[] }>((tie) => ({
  item: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    fc.record({ item: awkward, check }),
    fc.record({ item: awkward, group: tie("items") }),
    fc.record({ item: awkward, any_of: tie("items") }),
  ) as fc.Arbitrary<ChecklistItem>,
  items: fc.array(tie("item"), { minLength: 1, maxLength: 2 }),
}));

const baseCase: fc.Arbitrary<BaseCase> = fc.oneof(
  check,
  fc.record({ checklist: fc.array(item, { minLength: 1, maxLength: 3 }) }),
);

const objective = fc
  .record({
    goal: awkward,
    base_case: baseCase,
    background_intent: awkward,
    deliverables: awkward,
    definition_of_done: awkward,
    constraints: fc.record({
      max_iterations: fc.integer({ min: 1, max: 30 }),
      max_parallel_agents: fc.integer({ min: 1, max: 8 }),
      max_stall_count: fc.integer({ min: 1, max: 5 }),
      max_cost_usd: optional(fc.constantFrom(0, 2.5, 10)),
      max_duration: optional(fc.constantFrom("90m", "1h30m")),
      max_attempts_per_atom: optional(fc.constantFrom(1, 3)),
    }),
    clarifications: optional(fc.array(fc.record({ question: awkward, resolution: awkward }), { maxLength: 2 })),
    scope: optional(
      fc.record({
        in_scope: fc.array(awkward, { maxLength: 2 }),
        out_of_scope: optional(fc.array(awkward, { maxLength: 2 })),
      }),
    ),
    protected: optional(fc.array(glob, { maxLength: 3 })),
    aligned_commit: optional(fc.constantFrom("abc123", "0e10", "1234567")),
  })
  // What is in the body of the files that are made of it.
  .map((value) => ({ ...(tidy(value) as State["objective"]), original_prompt: "p" }));

const control: fc.Arbitrary<Control> = fc
  .record({
    status: fc.constantFrom("pending", "running", "stopped", "completed"),
    iteration: count,
    stall_count: count,
    prev_pending_count: fc.integer({ min: -1, max: 9 }),
    stop_requested: fc.boolean(),
    stop_reason: fc.option(awkward),
    redirect_requested: fc.boolean(),
    outcome: optional(fc.option(fc.constantFrom("verified", "stalled", "budget"))),
    session_id: optional(fc.option(awkward)),
    engine: optional(fc.option(awkward)),
  })
  .map((value) => tidy(value) as Control);

const binding: fc.Arbitrary<Binding> = fc.record({ summary: awkward, artifacts: fc.array(glob, { maxLength: 3 }) });
const trailEntry: fc.Arbitrary<TrailEntry> = fc.oneof(
  fc.record({
    or_group: fc.constantFrom("g", "old group"),
    selected: fc.constantFrom("A1", "A2", "gone"),
    reason: awkward,
    timestamp: time,
  }),
  fc.record({ type: fc.constant("user_correction" as const), reason: awkward, timestamp: time }),
);
const correction: fc.Arbitrary<Correction> = fc.record({
  timestamp: time,
  type: fc.constantFrom("objective_change", "dag_adjustment"),
  description: awkward,
  trail_cleared: fc.boolean(),
});

const names = fc.uniqueArray(
  fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom("A1", "A2", "A3", "A4", "A4_alt", "B-1", "C.2") },
    { weight: 1, arbitrary: filled },
  ),
  { minLength: 1, maxLength: 7 },
);

/** A valid state: later atoms depend on earlier ones, choices name their group, bindings belong to resolved atoms. */
export const validState: fc.Arbitrary<State> = fc
  .record({
    objective,
    control,
    names,
    trail: fc.array(trailEntry, { maxLength: 4 }),
    corrections: fc.array(correction, { maxLength: 3 }),
    seed: fc.infiniteStream(fc.nat(1000)),
    texts: fc.infiniteStream(awkward),
    bindings: fc.infiniteStream(binding),
  })
  .map(({ objective: aim, control: reins, names: ids, trail, corrections, seed, texts, bindings }) => {
    const next = (below: number): number => Number(seed.next().value) % below;
    const grouped = ids.length >= 3 && next(2) === 0 ? ids.slice(-2) : [];
    const atoms = ids.map((id, index): Atom => {
      const status = (["pending", "in_progress", "resolved"] as const)[next(3)] ?? "pending";
      const depends = ids
        .slice(0, Math.max(0, Math.min(index, ids.length - grouped.length)))
        .filter(() => next(3) === 0);
      return tidy({
        id,
        description: String(texts.next().value),
        status,
        depends_on: depends,
        or_group: grouped.includes(id) ? "g" : undefined,
        probe: next(5) === 0 ? next(2) === 0 : undefined,
        touches: next(5) === 0 ? [String(texts.next().value), "src/**"].slice(next(3)) : undefined,
        criteria: next(5) === 0 ? String(texts.next().value) : undefined,
        binding: status === "resolved" && next(4) > 0 ? tidy(bindings.next().value as Binding) : undefined,
      }) as Atom;
    });
    const [first, second] = grouped;
    const groups: OrGroup[] =
      first === undefined || second === undefined
        ? []
        : [
            tidy({
              name: "g",
              choices: [first, second],
              selected: second,
              failed: next(2) === 0 ? [first] : [],
              speculative: next(3) === 0 ? true : undefined,
            }) as OrGroup,
          ];
    const splits =
      grouped.length === 0 && ids.length >= 4 && next(2) === 0
        ? [
            {
              parent: ids[ids.length - 1] ?? "",
              children: ids.slice(0, 1 + next(2)),
              reason: String(texts.next().value),
            },
          ]
        : [];
    return {
      objective: aim,
      control: reins,
      atoms,
      decompositions: splits,
      or_groups: groups,
      trail: tidy(trail),
      corrections: tidy(corrections),
    };
  });

export function atomsOf(state: State): readonly Atom[] {
  return state.atoms;
}
