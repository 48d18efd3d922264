/** The mechanical checks of a base case: command, not_command, file, not_file (SPEC section 6). */
import type { LeafResult } from "../../core/verdict.ts";
import type { Checker } from "../../loop/ports.ts";
import { checkCommand } from "./command-check.ts";
import { findMatches } from "./find-matches.ts";

export interface CheckerOptions {
  /** The whole environment of commands; default: this process's. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Limit of a command that names none, in milliseconds; default 120 000. */
  readonly default_timeout_ms?: number;
  /** Bytes of a command's output kept as evidence; default 8 KiB. */
  readonly output_bytes?: number;
  /** Matches named in the evidence of a file check; default 20. All are counted. */
  readonly max_matches?: number;
  /** Folders of loops, relative to the project, which globs pass over; default: those in `.claude`. */
  readonly own_folders?: readonly string[];
}

export function createChecker(options: CheckerOptions = {}): Checker {
  return {
    async run(leaf, dir, signal) {
      const { check } = leaf;
      if (signal.aborted) return STOPPED;
      if (check.type === "command" || check.type === "not_command") {
        const { env, default_timeout_ms = 120_000, output_bytes = 8 * 1024 } = options;
        return await checkCommand(check, { dir, signal, default_timeout_ms, output_bytes, ...(env && { env }) });
      }
      if (check.type === "file" || check.type === "not_file")
        return await checkFile(check.type, check.value, dir, signal, options);
      return { passed: null, evidence: { kind: "undecided", reason: `${check.type} needs a judge` } };
    },
  };
}

const STOPPED: LeafResult = { passed: null, evidence: { kind: "undecided", reason: "stopped before this check" } };

/** Of AoT loops and of phase loops: their reports and states are nobody's work. */
const OWN_FOLDERS = [".claude/aot-loop", ".claude/loops", ".claude/worktrees/aot-loop", ".claude/worktrees/loops"];

async function checkFile(
  type: "file" | "not_file",
  pattern: string,
  dir: string,
  signal: AbortSignal,
  options: CheckerOptions,
): Promise<LeafResult> {
  const { max_matches = 20, own_folders = OWN_FOLDERS } = options;
  const found = await findMatches(pattern, { dir, signal, max_matches, own_folders });
  if (signal.aborted) return STOPPED;
  if (!found.ok) return { passed: false, evidence: { kind: "error", message: found.problem } };
  const { matches, total } = found;
  return {
    passed: total > 0 === (type === "file"),
    evidence: { kind: "file", pattern, matches, total },
  };
}
