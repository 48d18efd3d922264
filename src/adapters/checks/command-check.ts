/** The checks that run a command: `command` and `not_command` (SPEC section 6). */
import type { Check } from "../../core/state.ts";
import type { LeafResult } from "../../core/verdict.ts";
import { runGroup } from "../../host/process.ts";
import type { GroupResult } from "../../host/process.ts";
import { couldNotRun } from "./could-not-run.ts";

export type CommandCheck = Check & { readonly type: "command" | "not_command" };

export interface CommandOptions {
  readonly dir: string;
  readonly signal: AbortSignal;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Limit for checks that name none. */
  readonly default_timeout_ms: number;
  /** Bytes of output kept as evidence. */
  readonly output_bytes: number;
}

/** Runs the command line by the platform's shell. Undecided only when `signal` aborts. */
export async function checkCommand(check: CommandCheck, options: CommandOptions): Promise<LeafResult> {
  const run = await runGroup({
    command: check.value,
    shell: true,
    cwd: options.dir,
    timeout_ms: check.timeout === undefined ? options.default_timeout_ms : check.timeout * 1_000,
    signal: options.signal,
    keep_bytes: options.output_bytes,
    ...(options.env && { env: options.env }),
  });
  if (run.aborted)
    return { passed: null, evidence: { kind: "undecided", reason: "stopped before the command had ended" } };
  if (run.start_error !== undefined) return { passed: false, evidence: { kind: "error", message: run.start_error } };
  const unable = couldNotRun(run);
  const passed =
    check.type === "command" ? run.exit_code === 0 && unable === null : unable === null && run.exit_code !== 0;
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
