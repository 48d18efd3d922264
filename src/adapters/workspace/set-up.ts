/** The commands that make a fresh slot usable: installing, generating, linking (SPEC section 7). */
import type { GroupResult } from "../../host/process.ts";
import type { Confinement } from "../../loop/confinement.ts";
import { runInPlace } from "../../loop/run-in-place.ts";

export interface SetUp {
  /** Run one after another by the platform's shell; the first that fails ends it. */
  readonly commands: readonly string[];
  /** Limit of each, in milliseconds. */
  readonly timeout_ms: number;
  /** What confines them: they run what attempts wrote (a package's install script). Absent: they have all rights. */
  readonly place?: Confinement | undefined;
}

export interface SetUpPlace {
  readonly dir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log_file: string;
  readonly signal?: AbortSignal | undefined;
}

/** What needs packages and brings none, as far as the command tells. */
const BUILDS = /^(?:npm|pnpm|yarn|bun) run [\w:.-]+$/;
/** Of the output, in the reason. */
const TAIL_BYTES = 2_000;

/** @returns why the folder is not usable; null: it is, or nobody waits for it any more. */
export async function runSetUp({ commands, timeout_ms, place }: SetUp, at: SetUpPlace): Promise<string | null> {
  const { dir, env, log_file, signal } = at;
  for (const command of commands) {
    const program = {
      command,
      shell: true,
      cwd: dir,
      env,
      timeout_ms,
      log_file,
      keep_bytes: TAIL_BYTES,
      ...(signal === undefined ? {} : { signal }),
    };
    const use = { user: "set_up", writes: true, installs: !BUILDS.test(command) } as const;
    const run = await runInPlace(program, use, place);
    if (run.aborted) return null;
    const wrong = whatWentWrong(run, timeout_ms);
    if (wrong !== null) return `the set-up command \`${command}\` ${wrong}`;
  }
  return null;
}

function whatWentWrong(run: GroupResult, timeout_ms: number): string | null {
  if (run.start_error !== undefined) return `could not be started: ${run.start_error}`;
  const tail = run.output.trim() === "" ? "" : `: ${run.output.trim()}`;
  if (run.timed_out !== false) return `was ended after ${timeout_ms / 1_000} s, its time limit${tail}`;
  if (run.exit_code === 0) return null;
  return run.exit_code === null
    ? `was ended by ${run.signal ?? "a signal"}${tail}`
    : `ended with exit code ${run.exit_code}${tail}`;
}
