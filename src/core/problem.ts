/**
 * Expected failure as a value. A problem says what is wrong, where, what stood there and what would
 * be right; the edge turns it into a sentence (SPEC sections 2 and 9).
 */
export type ProblemCode =
  // the file as text
  | "file_missing"
  | "file_unreadable"
  | "file_too_large"
  | "file_unwritable"
  | "file_locked"
  | "not_text"
  | "no_frontmatter"
  | "yaml_syntax"
  | "json_syntax"
  | "duplicate_key"
  | "merge_conflict"
  | "too_deep"
  // the shape of a value
  | "missing_field"
  | "wrong_type"
  | "unknown_value"
  | "out_of_range"
  | "empty_list"
  | "unknown_check_type"
  | "rubric_without_criteria"
  // how values refer to each other
  | "no_atoms"
  | "duplicate_id"
  | "unknown_atom"
  | "unknown_group"
  | "cycle"
  | "foreign_choice"
  | "selected_not_a_choice"
  | "failed_not_a_choice"
  | "selected_has_failed"
  | "decomposed_twice"
  | "binding_of_unresolved"
  // a phase loop (SPEC section 11)
  | "unknown_phase"
  | "unknown_gate"
  | "phase_rule"
  // a guard rule (SPEC section 12)
  | "pattern_syntax"
  // an operation that the state does not allow
  | "refused";

export interface Problem {
  readonly code: ProblemCode;
  /** One sentence: what is wrong. */
  readonly message: string;
  /** Keys and indices from the root of the frontmatter: ["atoms", 3, "status"]. */
  readonly path?: readonly (string | number)[];
  /** What stood there, quoted and shortened. */
  readonly found?: string;
  /** What would be right, or what to do next. */
  readonly hint?: string;
  /** Place in the state file, 1-based; filled in by `statefile/`. */
  readonly at?: { readonly line: number; readonly column: number };
}

/** Collects a problem; all of its parts are known. */
export type Report = (
  code: ProblemCode,
  path: readonly (string | number)[],
  message: string,
  rest: { readonly found: string; readonly hint: string },
) => void;

/** What a pure operation answers: the new value, or why it is refused. */
export type Result<T> = { readonly ok: true; readonly value: T } | Refused;

export function accepted<T>(value: T): Result<T> {
  return { ok: true, value };
}

export interface Refused {
  readonly ok: false;
  readonly problems: readonly Problem[];
}

export function problem(code: ProblemCode, message: string, hint: string): Refused {
  return { ok: false, problems: [{ code, message, hint }] };
}

export function refused(message: string, hint: string): Refused {
  return problem("refused", message, hint);
}

/** The problems as one sentence each. */
export function describeProblems(problems: readonly Problem[]): string {
  return problems.map((problem) => problem.message).join("; ");
}

const MOST_SAID = 5;

/** The first of them with what stood there and what would be right, for whoever is asked once more. */
export function sayProblems(problems: readonly Problem[]): string {
  const said = problems.slice(0, MOST_SAID).map(({ message, found, hint }) => {
    const stood = found === undefined || message.includes(found) ? "" : `: ${found}`;
    return `${message}${stood}${hint === undefined ? "" : ` (${hint})`}`;
  });
  return said.join("; ");
}
