/** The checks that run a command (SPEC section 6). */
import { checkTypeRow, COMMAND_SECONDS } from "../../core/check-types.ts";
import type { LeafResult, MechanicalCheck } from "../../core/verdict.ts";
import { runGroup, type GroupResult } from "../../host/process.ts";
import { couldNotRun } from "./could-not-run.ts";

export interface CommandOptions {
  /** The whole environment of commands; default: this process's. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Limit of a command that names none, in milliseconds; default 120 000. */
  readonly default_timeout_ms?: number;
  /** Bytes of a command's output kept as evidence; default 8 KiB. */
  readonly output_bytes?: number;
}

/** Runs the command line by the platform's shell. Undecided only when `signal` aborts. */
export async function checkCommand(
  check: MechanicalCheck,
  dir: string,
  signal: AbortSignal,
  { env, default_timeout_ms = COMMAND_SECONDS * 1_000, output_bytes = 8 * 1024 }: CommandOptions,
): Promise<LeafResult> {
  const seconds = "timeout" in check ? check.timeout : undefined;
  const run = await runGroup({
    command: check.value,
    shell: true,
    cwd: dir,
    timeout_ms: seconds === undefined ? default_timeout_ms : seconds * 1_000,
    signal,
    keep_bytes: output_bytes,
    ...(env && { env }),
  });
  if (run.aborted)
    return { passed: null, evidence: { kind: "undecided", reason: "stopped before the command had ended" } };
  if (run.start_error !== undefined) return { passed: false, evidence: { kind: "error", message: run.start_error } };
  const unable = couldNotRun(run);
  const passed = unable === null && (run.exit_code === 0) !== (checkTypeRow(check.type).negated ?? false);
  return { passed, evidence: evidenceOf(check.value, run, unable) };
}

function evidenceOf(command: string, run: GroupResult, unable: string | null): LeafResult["evidence"] {
  const { exit_code, signal, duration_ms, output, dropped_bytes } = run;
  const base = {
    kind: "command",
    command,
    exit_code,
    timed_out: run.timed_out !== false,
    duration_ms,
    output,
    dropped_bytes,
  } as const;
  return { ...base, ...(signal !== null && { signal }), ...(unable !== null && { note: unable }) };
}
