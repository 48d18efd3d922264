/**
 * Whether a command ran at all (SPEC section 6): a `not_command` whose program is missing, was killed or never
 * ended must not pass. What a shell reports as an exit code is read by the shells' convention: 126 not executable,
 * 127 not found, 128+n its child died of signal n. A program that itself exits with such a code is taken to
 * have died, too: better an honest "false" than a typo that passes. On Windows `cmd` reports 9009, or 1 with
 * its "is not recognized" sentence (known in English only), and crashes are codes from 0x80000000 on.
 */
import { constants } from "node:os";
import type { GroupResult } from "../../host/process.ts";

export type Run = Pick<GroupResult, "exit_code" | "signal" | "timed_out" | "start_error" | "stderr">;

/** Why the command counts as not run, or null if it ran. */
export function couldNotRun(run: Run, platform: NodeJS.Platform = process.platform): string | null {
  if (run.start_error !== undefined) return run.start_error;
  if (run.timed_out !== false) return "it did not end within its time and was killed";
  if (run.signal !== null) return `it was killed by ${run.signal}`;
  if (run.exit_code === null) return "it has no exit code";
  return platform === "win32" ? unableOnWindows(run.exit_code, run.stderr) : unable(run.exit_code);
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
