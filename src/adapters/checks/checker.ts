/** The mechanical checks of a base case (SPEC section 6): one row for each way in which they are decided. */
import { CHECK_TYPES, checkTypeRow, type Way } from "../../core/check-types.ts";
import type { Check } from "../../core/state.ts";
import { isMechanical, type LeafResult, type MechanicalCheck } from "../../core/verdict.ts";
import type { Checker } from "../../loop/ports.ts";
import { commandWarnings, pathWarnings } from "./check-warnings.ts";
import { checkCommand, type CommandOptions, type SeenTests } from "./command-check.ts";
import { findMatches } from "./find-matches.ts";
import { STOPPED, checkText, textWarnings } from "./text-check.ts";

export interface CheckerOptions extends CommandOptions {
  /** Matches named in the evidence; default 20. All are counted. */
  readonly max_matches?: number;
  /** Folders of loops, relative to the project, which globs pass over; default: those in `.claude`. */
  readonly own_folders?: readonly string[];
}

interface WayRow {
  /** Never rejects; null only when `signal` aborts. */
  run(check: MechanicalCheck, dir: string, signal: AbortSignal, options: CheckerOptions): Promise<LeafResult>;
  warnings(check: MechanicalCheck, dir: string): readonly string[];
}

const WAYS: Readonly<Record<Exclude<Way, "judge">, WayRow>> = {
  command: { run: checkCommand, warnings: commandWarnings },
  path: { run: checkPath, warnings: pathWarnings },
  text: {
    run: (check, dir, signal, { max_matches = MOST_MATCHES, own_folders = OWN_FOLDERS }) =>
      checkText(check, dir, signal, { max_matches, own_folders }),
    warnings: textWarnings,
  },
};

export function createChecker(options: CheckerOptions = {}): Checker {
  const seen: SeenTests = new Map();
  return {
    async run({ check }, dir, signal, how) {
      if (signal.aborted) return STOPPED;
      if (!isMechanical(check))
        return { passed: null, evidence: { kind: "undecided", reason: `${check.type} needs a judge` } };
      const meant = asMeant(check);
      return await WAYS[CHECK_TYPES[meant.type].way].run(meant, dir, signal, { seen, ...options, ...(how && { how }) });
    },
  };
}

/** What is suspicious about a check before it is run: sentences, each with what to do. @param dir the project's folder */
export function checkWarnings(check: Check, dir: string): readonly string[] {
  if (!isMechanical(check)) return [];
  const meant = asMeant(check);
  return WAYS[CHECK_TYPES[meant.type].way].warnings(meant, dir);
}

/** SPEC section 14: of a file `exists: PATH` is its path, `contains: TEXT in PATH` a look into it. */
function asMeant(check: MechanicalCheck): MechanicalCheck {
  const { way, negated = false } = checkTypeRow(check.type);
  const [, word, value] = /^\s*(exists|contains):\s+([^]*)$/.exec(check.value) ?? [];
  if (way !== "path" || value === undefined) return check;
  return word === "exists" ? { ...check, value } : { type: negated ? "not_contains" : "contains", value };
}

const MOST_MATCHES = 20;
/** Of AoT loops and of phase loops: their reports and states are nobody's work. */
const OWN_FOLDERS = [".claude/aot-loop", ".claude/loops", ".claude/worktrees/aot-loop", ".claude/worktrees/loops"];

async function checkPath(
  { type, value: pattern }: MechanicalCheck,
  dir: string,
  signal: AbortSignal,
  { max_matches = MOST_MATCHES, own_folders = OWN_FOLDERS }: CheckerOptions,
): Promise<LeafResult> {
  const found = await findMatches(pattern, { dir, signal, max_matches, own_folders });
  if (signal.aborted) return STOPPED;
  if (!found.ok) return { passed: false, evidence: { kind: "error", message: found.problem } };
  const { matches, total } = found;
  const passed = total > 0 !== (checkTypeRow(type).negated ?? false);
  return { passed, evidence: { kind: "file", pattern, matches, total } };
}
