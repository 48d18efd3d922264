/**
 * The state contract as types (SPEC section 2, seed state-schema 3, 4 and 8).
 *
 * Keys are spelt as in the state file, so that the file, the JSON output and these types are one
 * vocabulary. Everything is immutable. Two things are laid out differently from the file, because
 * the reducer changes them at every event: an atom carries its own binding, and atoms and OR groups
 * are vectors. `statefile/` translates; the order of atoms and groups is the file's.
 */
import type { TypeOf, Way } from "./check-types.ts";
import type { Outcome } from "./outcome.ts";

export type ControlStatus = "pending" | "running" | "stopped" | "completed";
export type AtomStatus = "pending" | "in_progress" | "resolved";

export { EXIT_CODES, OUTCOMES, type Outcome } from "./outcome.ts";

export interface Binding {
  readonly summary: string;
  readonly artifacts: readonly string[];
}

export interface Atom {
  readonly id: string;
  readonly description: string;
  readonly status: AtomStatus;
  readonly depends_on: readonly string[];
  /** Name of the OR group this atom is a choice of. */
  readonly or_group?: string;
  /** Unknown territory: a probe goes first. */
  readonly probe?: boolean;
  /** Globs of the files it expects to change; two atoms whose globs overlap do not run side by side. */
  readonly touches?: readonly string[];
  /** Its own done: a sentence, or a check in its words (`command: npm test`). */
  readonly criteria?: string;
  /** What replaces the atom once it is resolved (`bindings.<id>` in the file). */
  readonly binding?: Binding;
}

/** What an atom may say of itself beside its place in the graph. */
export type Marks = Pick<Atom, "probe" | "touches" | "criteria">;

/** What is empty is left out. */
export function marksOf({ probe, touches = [], criteria = "" }: Marks): Marks {
  return {
    ...(probe === true ? { probe } : {}),
    ...(touches.length === 0 ? {} : { touches }),
    ...(criteria === "" ? {} : { criteria }),
  };
}

export interface OrGroup {
  readonly name: string;
  readonly choices: readonly string[];
  readonly selected: string;
  readonly failed: readonly string[];
  readonly speculative?: boolean;
}

export interface Decomposition {
  readonly parent: string;
  readonly children: readonly string[];
  readonly reason: string;
}

export interface RubricCriterion {
  readonly criterion: string;
  readonly description?: string;
  readonly weight?: number;
  /** Score (1 to 5) to what it means. */
  readonly levels?: Readonly<Record<string, string>>;
}

export type Check =
  | {
      readonly type: TypeOf<"command">;
      readonly value: string;
      readonly timeout?: number;
      /** Hosts that it reaches where it is confined; absent: none. */
      readonly network?: readonly string[];
      readonly baseline?: "pass";
      /** Absent: exit code 0. Then no test that passed at the alignment may be worse (test-report.ts). */
      readonly expect?: "no_worse";
      /** Tests that have to pass: names, or globs of them. */
      readonly must_pass?: readonly string[];
      /** Tests that may go or be skipped. */
      readonly allow_removed?: readonly string[];
      /** Tests and configuration of tests that the work may change: globs of paths. */
      readonly allow_changed?: readonly string[];
      /** Format of the test report, or the file that the command writes; absent: known by its form in the output. */
      readonly report?: string;
    }
  | { readonly type: TypeOf<Exclude<Way, "command" | "judge">>; readonly value: string; readonly baseline?: "pass" }
  | { readonly type: Exclude<TypeOf<"judge">, "quality">; readonly value: string; readonly baseline?: "pass" }
  | {
      readonly type: "quality";
      readonly rubric?: readonly RubricCriterion[];
      readonly criteria?: string;
      readonly pass_threshold: number;
      readonly scope?: string;
      readonly baseline?: "pass";
    };

/** A node of the checklist: a leaf (`check`), all of its children (`group`) or one of them (`any_of`). */
export type ChecklistItem =
  | { readonly item: string; readonly check: Check }
  | { readonly item: string; readonly group: readonly ChecklistItem[] }
  | { readonly item: string; readonly any_of: readonly ChecklistItem[] };

/** Legacy form is one check; the checklist form is a list of which all must pass. */
export type BaseCase = Check | { readonly checklist: readonly ChecklistItem[] };

export interface Constraints {
  readonly max_iterations: number;
  readonly max_parallel_agents: number;
  readonly max_stall_count: number;
  readonly max_cost_usd?: number;
  /** As in the file: "90m", "2h", "1h30m". */
  readonly max_duration?: string;
  readonly max_attempts_per_atom?: number;
}

export const DEFAULT_CONSTRAINTS: Constraints = { max_iterations: 20, max_parallel_agents: 3, max_stall_count: 3 };

export interface Objective {
  readonly goal: string;
  /** What the person typed. No key of the file: it is the body below `# Original Prompt`. Bounded; absent: there is none. */
  readonly original_prompt?: string;
  readonly base_case: BaseCase;
  readonly background_intent: string;
  readonly deliverables: string;
  readonly definition_of_done: string;
  readonly constraints: Constraints;
  readonly clarifications?: readonly { readonly question: string; readonly resolution: string }[];
  readonly scope?: { readonly in_scope?: readonly string[]; readonly out_of_scope?: readonly string[] };
  /** Globs of the files that decide the verdict. */
  readonly protected?: readonly string[];
  /** Commit at which the goal was aligned; protected files are compared with it. */
  readonly aligned_commit?: string;
  /** Digest of what is recorded of the tests as they were then. */
  readonly aligned_tests?: string;
}

export interface Control {
  readonly status: ControlStatus;
  readonly iteration: number;
  readonly stall_count: number;
  /** `M` at the last judged iteration; -1 before the first. */
  readonly prev_pending_count: number;
  /** The lowest `M` judged so far, moved along by work that is credited; absent: as the one above. */
  readonly low_water?: number;
  /** The fewest failing leaves of any verdict on this base case; absent: there was none. */
  readonly fewest_failing?: number;
  /** How often a failed base case was planned for. */
  readonly replans?: number;
  /** Atoms about which the planner was asked: about each once. */
  readonly asked?: readonly string[];
  readonly stop_requested: boolean;
  readonly stop_reason: string | null;
  readonly redirect_requested: boolean;
  readonly outcome?: Outcome | null;
  readonly session_id?: string | null;
  /** `<engine>/<loop>`: the loop's state lives there, and this is a view of it (SPEC section 13). */
  readonly engine?: string | null;
}

export type TrailEntry =
  | { readonly or_group: string; readonly selected: string; readonly reason: string; readonly timestamp: string }
  | { readonly type: "user_correction"; readonly reason: string; readonly timestamp: string };

export const CORRECTION_TYPES = [
  "objective_change",
  "dag_adjustment",
  "constraint_change",
  "bindings_override",
  "confirmation",
] as const;
export type CorrectionType = (typeof CORRECTION_TYPES)[number];
/** `old` absent: it was added; `new` absent: it was removed. */
export interface FieldChange {
  /** `goal`, `constraints.max_iterations`, `atoms.A3.description`, ... */
  readonly field: string;
  readonly old?: string;
  readonly new?: string;
}

export interface Correction {
  readonly timestamp: string;
  readonly type: CorrectionType;
  readonly description: string;
  readonly trail_cleared: boolean;
  /** A person said that it holds; it counts while no iteration is opened. */
  readonly confirmed?: { readonly item: string; readonly iteration: number };
  /** Absent in what earlier versions wrote. */
  readonly changes?: readonly FieldChange[];
}

/** What required texts of the objective say where nobody stated them. Agents are not given these. */
export const UNSTATED = "Not stated.";
export const ALL_CHECKS = "Every check of the base case passes.";

export interface State {
  readonly objective: Objective;
  readonly control: Control;
  readonly atoms: readonly Atom[];
  readonly decompositions: readonly Decomposition[];
  readonly or_groups: readonly OrGroup[];
  readonly trail: readonly TrailEntry[];
  readonly corrections: readonly Correction[];
}

export const INITIAL_CONTROL: Control = {
  status: "pending",
  iteration: 0,
  stall_count: 0,
  prev_pending_count: -1,
  stop_requested: false,
  stop_reason: null,
  redirect_requested: false,
};
