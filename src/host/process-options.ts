/** What a program is run with as a process group, and what came of it (process.ts). */
import type { Writable } from "node:stream";

export interface GroupOptions {
  /** A program, or with `shell` a command line. */
  readonly command: string;
  /** Not used with `shell`. */
  readonly args?: readonly string[];
  /** Run `command` by the platform's shell (`/bin/sh -c`, `cmd /d /s /c`). */
  readonly shell?: boolean;
  readonly cwd: string;
  /** The whole environment; default: this process's. A name whose value is undefined is left out, and so is what opens the engine. `AOT_GROUP` is added. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Written to stdin, which is then closed; absent: stdin is empty. */
  readonly input?: string;
  /** Instead of `input`: given the open stdin once the program runs, for a conversation; whoever takes it ends it. Must not throw. */
  readonly converse?: (stdin: Writable) => void;
  /** Absolute limit in milliseconds. */
  readonly timeout_ms?: number;
  /** Limit without any output, in milliseconds. */
  readonly idle_timeout_ms?: number;
  readonly signal?: AbortSignal;
  /** Bytes of the tails kept of stdout, stderr and both interleaved; default 64 KiB each. */
  readonly keep_bytes?: number;
  /** Raw output is also appended here; its folder is made. */
  readonly log_file?: string;
  /** At most this many bytes of it, the first ones, and in all calls that name the file four times as many; default 16 MiB. */
  readonly log_bytes?: number;
  /** How the log is opened, for appending; default: as a file of the loop's own (own-file.ts). */
  readonly open_log?: (path: string) => number;
  /** Every chunk of stdout as it comes. Must not throw. */
  readonly onStdout?: (chunk: Buffer) => void;
  /** Every chunk of stderr. Must not throw. */
  readonly onStderr?: (chunk: Buffer) => void;
  /** Milliseconds between SIGTERM and SIGKILL; default 2000. */
  readonly grace_ms?: number;
}

export interface GroupResult extends Captured {
  /** null: ended by a signal, or not started. */
  readonly exit_code: number | null;
  readonly signal: string | null;
  /** The program could not be started: what, why and what to do. */
  readonly start_error?: string;
  readonly timed_out: false | "absolute" | "idle";
  readonly aborted: boolean;
  readonly duration_ms: number;
}

/** What was kept of what it printed. */
export interface Captured {
  /** Last `keep_bytes` as UTF-8. */
  readonly stdout: string;
  readonly stderr: string;
  /** Both, in the order they were read. */
  readonly output: string;
  /** Bytes of `output` that were read but not kept. */
  readonly dropped_bytes: number;
  /** The log is incomplete, and why. */
  readonly log_error?: string;
}
