/** The mechanical checks of a base case (SPEC section 6): one row for each way in which they are decided. */
import { CHECK_TYPES, checkTypeRow, type Way } from "../../core/check-types.ts";
import type { Check } from "../../core/state.ts";
import { isMechanical, type LeafResult, type MechanicalCheck } from "../../core/verdict.ts";
import type { Checker } from "../../loop/ports.ts";
import { commandWarnings, pathWarnings } from "./check-warnings.ts";
import { checkCommand, type CommandOptions } from "./command-check.ts";
import { findMatches } from "./find-matches.ts";

export interface CheckerOptions extends CommandOptions {
  /** Matches named in the evidence of a file check; default 20. All are counted. */
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
};

export function createChecker(options: CheckerOptions = {}): Checker {
  return {
    async run({ check }, dir, signal) {
      if (signal.aborted) return STOPPED;
      if (!isMechanical(check))
        return { passed: null, evidence: { kind: "undecided", reason: `${check.type} needs a judge` } };
      return await WAYS[CHECK_TYPES[check.type].way].run(check, dir, signal, options);
    },
  };
}

/** What is suspicious about a check before it is run: sentences, each with what to do. @param dir the project's folder */
export function checkWarnings(check: Check, dir: string): readonly string[] {
  return isMechanical(check) ? WAYS[CHECK_TYPES[check.type].way].warnings(check, dir) : [];
}

const STOPPED: LeafResult = { passed: null, evidence: { kind: "undecided", reason: "stopped before this check" } };

/** Of AoT loops and of phase loops: their reports and states are nobody's work. */
const OWN_FOLDERS = [".claude/aot-loop", ".claude/loops", ".claude/worktrees/aot-loop", ".claude/worktrees/loops"];

async function checkPath(
  { type, value: pattern }: MechanicalCheck,
  dir: string,
  signal: AbortSignal,
  { max_matches = 20, own_folders = OWN_FOLDERS }: CheckerOptions,
): Promise<LeafResult> {
  const found = await findMatches(pattern, { dir, signal, max_matches, own_folders });
  if (signal.aborted) return STOPPED;
  if (!found.ok) return { passed: false, evidence: { kind: "error", message: found.problem } };
  const { matches, total } = found;
  const passed = total > 0 !== (checkTypeRow(type).negated ?? false);
  return { passed, evidence: { kind: "file", pattern, matches, total } };
}
