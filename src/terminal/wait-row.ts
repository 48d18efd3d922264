/** What is waited for while checks are run: a row of a terminal, lines elsewhere. */
import { interruptible } from "../command/interrupt.ts";
import type { Io } from "../command/io.ts";
import { createLiveRegion } from "./live-region.ts";
import { painterFor } from "./paint.ts";
import { isScreen, screenOf } from "./screen.ts";
import { oneLine } from "./verdict-text.ts";
import { seconds } from "./work-note.ts";

/** What is over by then is not worth a word. */
const TICK_MS = 1_000;

/**
 * As `interruptible`, with what it is at on stderr, once that takes a second.
 * @param work is given what says what it is at
 * @throws Interrupted
 */
export async function whileWaiting<T>(
  io: Io,
  work: (signal: AbortSignal, tell: (what: string) => void) => Promise<T>,
): Promise<T> {
  const row = (await isScreen(io, 2)) ? await beginRow(io) : beginLines(io);
  try {
    return await interruptible(io, (signal) => work(signal, (what) => row.tell(what)));
  } finally {
    row.end();
  }
}

interface WaitRow {
  tell(what: string): void;
  end(): void;
}

function beginLines(io: Io): WaitRow {
  let timer: NodeJS.Timeout | undefined;
  return {
    tell: (what) => {
      clearTimeout(timer);
      timer = setTimeout(() => io.err(`${oneLine(what)}\n`), TICK_MS);
    },
    end: () => clearTimeout(timer),
  };
}

async function beginRow(io: Io): Promise<WaitRow> {
  const paint = await painterFor(io, 2);
  const region = createLiveRegion(io.err);
  const began = performance.now();
  let at = "";
  const draw = (): void => {
    const since = seconds(performance.now() - began);
    region.draw("", [paint("dim", `${since.padStart(4)}  ${oneLine(at)}`)], screenOf(process.stderr));
  };
  const timer = setInterval(draw, TICK_MS);
  return {
    tell: (what) => void (at = what),
    end: () => {
      clearInterval(timer);
      region.clear(screenOf(process.stderr));
    },
  };
}
