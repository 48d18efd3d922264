/**
 * The terminal as the commands see it. Writing goes straight to the file descriptors: `process.stdout` would cost
 * every short command its start-up, and what is written here is written when the call returns.
 */
import { closeSync, readFileSync, writeSync } from "node:fs";
import { pause } from "../host/clock.ts";

export interface Io {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  out(text: string): void;
  err(text: string): void;
  /** All of standard input as text; absent: it is not for commands here. */
  readonly stdin?: () => string;
  /** Aborted when nobody wants the answer any more; absent: the process's own signals say so (interrupt.ts). */
  readonly gone?: AbortSignal;
  /** Whether a person looks at that descriptor. */
  isTerminal(fd: 0 | 1 | 2): Promise<boolean>;
}

/** Somebody who reads no further (`aot logs | head`) is no error: the process ends as if all was said. */
export class ReaderGone extends Error {}

const EAGAIN_PAUSE_MS = 5;

/** Writes all of it. @throws ReaderGone when nobody reads any more */
function writeAll(fd: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let from = 0; from < bytes.length;) {
    try {
      from += writeSync(fd, bytes, from);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      // A pipe that another program set to non-blocking, and that is full.
      if (code === "EAGAIN") pause(EAGAIN_PAUSE_MS);
      else if (code === "EPIPE" || code === "EOF") throw new ReaderGone();
      else if (code === "EIO") throw withoutTerminal();
      else throw error;
    }
  }
}

let isGone = false;

/**
 * The terminal's window was closed. At its end Node would give it back as it was, fail, and abort the process (exit by
 * SIGABRT, whatever the outcome): what is closed by then it passes over.
 */
function withoutTerminal(): ReaderGone {
  if (!isGone) process.once("exit", closeStandardStreams);
  isGone = true;
  return new ReaderGone();
}

function closeStandardStreams(): void {
  for (const fd of [0, 1, 2]) {
    try {
      closeSync(fd);
    } catch {
      // It was closed before.
    }
  }
}

/** Null: the folder in which it was called is gone. */
export function processIo(): Io | null {
  const cwd = folderHere();
  if (cwd === null) return null;
  return {
    cwd,
    env: process.env,
    out: (text) => writeAll(1, text),
    err: (text) => {
      try {
        writeAll(2, text);
      } catch {
        // Nobody reads the log: what matters goes to stdout and into the exit code.
      }
    },
    stdin: () => readFileSync(0, "utf8"),
    isTerminal: async (fd) => (await import("node:tty")).isatty(fd),
  };
}

function folderHere(): string | null {
  try {
    return process.cwd();
  } catch {
    return null;
  }
}
