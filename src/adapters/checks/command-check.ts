/** The checks that run a command (SPEC section 6). */
import { createHash } from "node:crypto";
import { closeSync, writeSync } from "node:fs";
import { constants } from "node:os";
import { basename, join } from "node:path";
import { isNotLoaded } from "../../verdict/canary.ts";
import { checkTypeRow, COMMAND_SECONDS } from "../../core/check-types.ts";
import { formatDuration } from "../../core/fuel.ts";
import {
  judgeAgreed,
  judgeTests,
  noticesCanary,
  testsKey,
  type Before,
  type CommandCheck,
  type TestReport,
  type TestRun,
} from "../../core/test-report.ts";
import type { LeafResult, MechanicalCheck } from "../../core/verdict.ts";
import { isoNow } from "../../host/clock.ts";
import { openToAppend } from "../../host/own-file.ts";
import type { GroupResult } from "../../host/process.ts";
import type { Confinement } from "../../loop/confinement.ts";
import type { Rerun } from "../../verdict/agreed-files.ts";
import { runInPlace } from "../../loop/run-in-place.ts";
import { reportSource } from "./reports/find-report.ts";

export interface CommandOptions {
  /** Where commands run; default: in their folder, with all rights. */
  readonly place?: Confinement;
  /** The whole environment of commands; default: this process's. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Limit of a command that names none, in milliseconds; default 120 000. */
  readonly default_timeout_ms?: number;
  /** Bytes of a command's output kept as evidence; default 8 KiB. */
  readonly output_bytes?: number;
  /** Folder in which all that a command prints is kept, one file for each command. */
  readonly logs?: string;
  /** The last whole run of each check in the folder where it was run last. */
  readonly seen?: SeenTests;
  /** Absent: for the first time. */
  readonly how?: Rerun;
  /** What the tests of a check were at the alignment; absent: it is unknown. */
  readonly testsBefore?: (check: CommandCheck) => Before;
  /** Called with what each run of a check said of its tests. */
  readonly onTests?: (check: CommandCheck, run: TestRun) => void;
}

/** The report of the last whole run, by `testsKey`. */
export type SeenTests = Map<string, TestReport>;

/** Runs the command line by the platform's shell. Undecided only when `signal` aborts. */
export async function checkCommand(
  check: MechanicalCheck,
  dir: string,
  signal: AbortSignal,
  { seen, how, testsBefore, onTests, ...given }: CommandOptions,
): Promise<LeafResult> {
  const options = how === "again" ? unremembered(given) : given;
  const perTest = check.type === "command" ? check : null;
  const before = perTest === null ? "unknown" : (testsBefore?.(perTest) ?? "unknown");
  const ran = await runCommand(check, dir, signal, options);
  const { run, report } = ran;
  const failed = whyNotEnded(run);
  if (failed !== null) return failed;
  const { negated = false } = checkTypeRow(check.type);
  const unable = couldNotRun(run) ?? (negated ? whyNoAnswer(check.value, run.exit_code) : null);
  if (perTest === null || report === null) {
    const passed = unable === null && (run.exit_code === 0) !== negated;
    return { passed, evidence: evidenceOf(check.value, ran, unable) };
  }
  const ended: TestRun = { exit_code: run.exit_code, report };
  if (how === "canary") {
    const isRed = unable === null && noticesCanary(perTest, ended, seen?.get(testsKey(perTest)));
    const isUnread = run.exit_code !== 0 && (!isRed || isNotLoaded(run.output));
    const passed = unable === null && !isRed && !isUnread;
    return {
      passed,
      evidence: evidenceOf(check.value, ran, isUnread ? (unable ?? "its tests could not be loaded") : unable),
    };
  }
  const isAgreed = how === "as_agreed";
  if (unable === null && !isAgreed) onTests?.(perTest, ended);
  if (typeof report !== "string" && !isAgreed) seen?.set(testsKey(perTest), report);
  const judged = (isAgreed ? judgeAgreed : judgeTests)(perTest, ended, before);
  const evidence = evidenceOf(check.value, ran, unable ?? judged.note ?? null);
  return {
    passed: unable === null && judged.passed,
    evidence: judged.tests === undefined ? evidence : { ...evidence, tests: judged.tests },
  };
}

type RunOptions = Pick<CommandOptions, "place" | "env" | "default_timeout_ms" | "output_bytes" | "logs">;

/** Go, Turborepo and Nx run nothing again that passed on the same files, and say that it passed. Other commands of Go do without the flag. */
function unremembered({ env = process.env, ...options }: RunOptions): RunOptions {
  const GOFLAGS = [env["GOFLAGS"] ?? [], "-count=1"].flat().join(" ");
  return { ...options, env: { ...env, GOFLAGS, TURBO_FORCE: "true", NX_SKIP_NX_CACHE: "true" } };
}

interface Ran {
  readonly run: GroupResult;
  readonly report: TestReport | string | null;
  readonly log?: string;
}

async function runCommand(
  check: MechanicalCheck,
  dir: string,
  signal: AbortSignal,
  { place, env = process.env, default_timeout_ms = COMMAND_SECONDS * 1_000, output_bytes = 8 * 1024, logs }: RunOptions,
): Promise<Ran> {
  const seconds = "timeout" in check ? check.timeout : undefined;
  const source = check.type === "command" ? await reportSource(check.report, dir, signal) : null;
  const log = logs === undefined ? null : beginLog(logs, check.value);
  const program = {
    command: check.value,
    shell: true,
    cwd: dir,
    timeout_ms: seconds === undefined ? default_timeout_ms : seconds * 1_000,
    signal,
    keep_bytes: output_bytes,
    env,
    ...(log === null ? {} : { log_file: log }),
    ...(source === null
      ? {}
      : { onStdout: source.take.stdout, onStderr: source.take.stderr, onEntered: source.seenAs }),
  };
  const run = await runInPlace(
    program,
    { user: "check", writes: true, ...("network" in check && { hosts: check.network }) },
    place,
  );
  return {
    run,
    report: source === null ? null : await source.read(),
    ...(log === null ? {} : { log: basename(log, ".log") }),
  };
}

/** The log of a check, with a line that says what follows. @returns null: it cannot be written, which fails no check */
function beginLog(logs: string, command: string): string | null {
  const file = join(logs, checkLogName(command));
  try {
    const fd = openToAppend(file);
    writeSync(fd, `\n== ${isoNow()} ${command}\n`);
    closeSync(fd);
    return file;
  } catch {
    return null;
  }
}

/** `check-npm_test-1b2c3d4e.log`: another one for each command. */
function checkLogName(command: string): string {
  const hash = createHash("sha256").update(command).digest("hex").slice(0, 8);
  return `check-${command.replaceAll(/[^\w.-]+/g, "_").slice(0, 40)}-${hash}.log`;
}

function whyNotEnded(run: GroupResult): LeafResult | null {
  if (run.aborted)
    return { passed: null, evidence: { kind: "undecided", reason: "stopped before the command had ended" } };
  if (run.start_error !== undefined) return { passed: false, evidence: { kind: "error", message: run.start_error } };
  return null;
}

type CommandEvidence = Extract<LeafResult["evidence"], { kind: "command" }>;

function evidenceOf(command: string, { run, log }: Ran, unable: string | null): CommandEvidence {
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
  return {
    ...base,
    ...(signal !== null && { signal }),
    ...(unable !== null && { note: unable }),
    ...(log !== undefined && { log }),
  };
}

// Whether a command ran at all (SPEC section 6): a `not_command` whose program is missing, was killed or never
// ended must not pass. What a shell reports as an exit code is read by the shells' convention: 126 not executable,
// 127 not found, 128+n its child died of signal n. A program that itself exits with such a code is taken to
// have died, too: better an honest "false" than a typo that passes. On Windows `cmd` reports 9009, or 1 with
// its "is not recognized" sentence (known in English only), and crashes are codes from 0x80000000 on.

export type Run = Pick<GroupResult, "exit_code" | "signal" | "timed_out" | "start_error" | "stderr"> &
  Partial<Pick<GroupResult, "duration_ms">>;

/** Why the command counts as not run, or null if it ran. */
export function couldNotRun(run: Run, platform: NodeJS.Platform = process.platform): string | null {
  if (run.start_error !== undefined) return run.start_error;
  if (run.timed_out !== false) return didNotEnd(run.duration_ms ?? 0);
  if (run.signal !== null) return `it was killed by ${run.signal}`;
  if (run.exit_code === null) return "it has no exit code";
  const nothing = run.exit_code === 0 ? undefined : NOTHING_TO_RUN.find(([said]) => said.test(run.stderr));
  if (nothing !== undefined) return `exit code ${run.exit_code}: ${nothing[1]}`;
  return platform === "win32" ? unableOnWindows(run.exit_code, run.stderr) : unable(run.exit_code);
}

/** With a limit to try, in whole minutes. */
function didNotEnd(ms: number): string {
  const minutes = Math.max(1, Math.ceil((ms * 5) / 60_000));
  return `it did not end within its time (${formatDuration(ms)}) and was killed; if it takes longer, give it more: --check-timeout ${minutes}m of \`aot align\`, or timeout: ${minutes * 60} (seconds) in the check`;
}

/** Programs that say "no" with 1, and with 2 that they could not look. */
const SEARCHES =
  /(?:^|[;&|(]|\b(?:xargs|sudo|env|time)\b[^;&|]*?)\s*!?\s*(?:\S*\/)?((?:[ef]|z|r)?grep|rg|ack|ag|diff|cmp|test|\[)(?=\s|$)/;

/**
 * Why the exit code of a command that is to say "no" is no answer; null: it is one. From 128 on a program says that it died
 * or could not do what it was asked (git's "fatal:" is 128, its usage 129).
 */
function whyNoAnswer(command: string, code: number | null): string | null {
  if (code === null || code < 2) return null;
  if (code >= 128) return `exit code ${code}: a fatal error is no "no"; see what it printed`;
  const search = code === 2 ? SEARCHES.exec(command)?.[1] : undefined;
  return search === undefined ? null : `exit code 2: ${search} says so when it could not look; see what it printed`;
}

const IF_WORK = "if it is part of the work to make it, align with --force";
const NO_PACKAGE = `there is no package.json here; ${IF_WORK}`;
const NO_SCRIPT = `package.json has no such script; ${IF_WORK}`;

/** What package managers say when they ran, and found nothing that they could run. */
const NOTHING_TO_RUN: readonly (readonly [RegExp, string])[] = [
  [/npm (?:error|ERR!)(?: enoent)? Could not read package\.json/, NO_PACKAGE],
  [/npm (?:error|ERR!) Missing script:/, NO_SCRIPT],
  [/ERR_PNPM_NO_IMPORTER_MANIFEST_FOUND|Couldn't find a package\.json/, NO_PACKAGE],
  [/ERR_PNPM_NO_SCRIPT\b|error: Script not found "/, NO_SCRIPT],
];

/** Whether a command that could not be run had begun, and died: its crash may be what the work is about. */
export function isCrash({
  exit_code,
  signal,
}: {
  readonly exit_code: number | null;
  readonly signal?: string;
}): boolean {
  const code = exit_code ?? 0;
  const bySignal = Object.values(constants.signals).some((number) => number + 128 === code);
  return signal !== undefined || bySignal || code >= 0x8000_0000 || code < 0;
}

function unable(code: number): string | null {
  if (code === 126) return "exit code 126: the program is there but cannot be executed; check its permissions";
  if (code === 127) return "exit code 127: there is no such program; check its spelling and that it is installed";
  const signal = Object.entries(constants.signals).find(([, number]) => number === code - 128);
  return signal === undefined ? null : `exit code ${code}: by the shell's convention it was killed by ${signal[0]}`;
}

function unableOnWindows(code: number, stderr: string): string | null {
  const unknown =
    code === 9009 || (code === 1 && stderr.includes("is not recognized as an internal or external command"));
  if (unknown) return `exit code ${code}: there is no such program; check its spelling and that it is installed`;
  return code >= 0x8000_0000 || code < 0 ? `exit code ${code}: it crashed` : null;
}
