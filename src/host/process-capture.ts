/** Reading what a program prints, in bounded memory and with backpressure (SPEC section 6). */
import { createWriteStream, fstatSync, type WriteStream } from "node:fs";
import type { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import { openToAppend } from "./own-file.ts";
import type { Captured, GroupOptions } from "./process-options.ts";
import { createTail, unfinishedSuffix, type Tail } from "./tail.ts";

export interface Capture {
  hurry(): void;
  finish(): Promise<Captured>;
}

const DEFAULT_KEEP_BYTES = 64 * 1024;
const DEFAULT_LOG_BYTES = 16 * 1024 * 1024;
/** A call that is repeated again and again has one log. */
const CALLS_LOGGED = 4;
const CLOSE_WAIT_MS = 5_000;

/**
 * Reads stdout and stderr until they end or `finish` is called.
 * @param onActivity called at every chunk
 * @returns `hurry`: the program has ended, what is left in the pipes is little: stop holding it back;
 * `finish`: stops reading, closes the pipes and the log, and gives what was kept
 */
export function capture(child: ChildProcess, options: GroupOptions, onActivity: () => void): Capture {
  const keep = options.keep_bytes ?? DEFAULT_KEEP_BYTES;
  const [stdout, stderr, output] = [createTail(keep), createTail(keep), createTail(keep)];
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
  const log = options.log_file === undefined ? null : openLog(options.log_file, options, streams);
  const flushes = [
    read(child.stdout, [stdout], output, (chunk) => {
      onActivity();
      log?.write(chunk);
      options.onStdout?.(chunk);
    }),
    read(child.stderr, [stderr], output, (chunk) => {
      onActivity();
      log?.write(chunk);
      options.onStderr?.(chunk);
    }),
  ];
  return {
    hurry: () => log?.unthrottle(),
    async finish() {
      for (const stream of streams) stream.destroy();
      for (const flush of flushes) flush();
      const log_error = await log?.close();
      const kept = {
        stdout: stdout.text(),
        stderr: stderr.text(),
        output: output.text(),
        dropped_bytes: output.dropped,
      };
      return log_error === undefined ? kept : { ...kept, log_error };
    },
  };
}

/** A character that is split over two chunks is held back from the interleaved tail, lest the other stream come between. */
function read(stream: Readable | null, own: readonly Tail[], both: Tail, onChunk: (chunk: Buffer) => void): () => void {
  let held: Buffer = Buffer.alloc(0);
  stream?.on("error", () => {});
  stream?.on("data", (chunk: Buffer) => {
    for (const tail of own) tail.push(chunk);
    const whole = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    const cut = whole.length - unfinishedSuffix(whole);
    both.push(whole.subarray(0, cut));
    held = Buffer.from(whole.subarray(cut));
    onChunk(chunk);
  });
  return () => both.push(held);
}

interface Log {
  write(chunk: Buffer): void;
  /** Buffer what the disk has not taken yet, instead of pausing. */
  unthrottle(): void;
  /** Why the log is incomplete, if it is; a full disk must not break the run. */
  close(): Promise<string | undefined>;
}

/** Appends at most `limit` bytes, to a file of at most CALLS_LOGGED times as many; pauses `sources` while the disk is slower than the program. */
function openLog(path: string, options: GroupOptions, sources: readonly Readable[]): Log {
  const { log_bytes: limit = DEFAULT_LOG_BYTES, open_log: open = openToAppend } = options;
  let left = limit;
  let throttled = true;
  let failure: string | undefined;
  let file: WriteStream | null = null;
  const resume = (): void => sources.forEach((source) => source.resume());
  try {
    const fd = open(path);
    left = Math.min(limit, limit * CALLS_LOGGED - fstatSync(fd).size);
    file = createWriteStream(path, { fd });
    file.on("drain", resume);
    file.on("error", (error) => {
      failure = `cannot write the log ${path}: ${error.message}`;
      resume();
    });
  } catch (error) {
    failure = `cannot open the log ${path}: ${error instanceof Error ? error.message : String(error)}`;
  }
  return {
    write(chunk) {
      if (file === null || failure !== undefined || left <= 0) return;
      const part = chunk.subarray(0, left);
      left -= part.length;
      if (!file.write(part) && throttled) sources.forEach((source) => source.pause());
    },
    unthrottle() {
      throttled = false;
      resume();
    },
    close: () =>
      new Promise((resolve) => {
        if (file === null || failure !== undefined) return resolve(failure);
        // A disk that hangs (a dead network drive) must not hang the run.
        const patience = setTimeout(
          () => resolve(`the log ${path} was not written to its end in ${CLOSE_WAIT_MS} ms`),
          CLOSE_WAIT_MS,
        );
        const done = (): void => {
          clearTimeout(patience);
          resolve(failure);
        };
        file.once("error", done);
        file.end(done);
      }),
  };
}
