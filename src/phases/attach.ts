/**
 * Watching while another process works a phase loop: the lines of its newest run, and those of the loops that work its
 * phases, in the order in which they happened (SPEC sections 8 and 11). Changes nothing.
 */
import type { AnyLine } from "../core/journal-line.ts";
import { runnerOf } from "../adapters/store/run-lock.ts";
import { isAlive } from "../host/liveness.ts";
import { follow, fromNewest, journalFiles, type JournalSource } from "../history/follow.ts";
import { journalOf } from "../history/loop-log.ts";
import { attachEndOf, type AttachEnd, type RunSeen } from "../run/attach.ts";
import { phaseLine, type PhaseLine } from "./core/phase-line.ts";
import { workFile } from "./phase-work.ts";

export interface PhasesLook {
  /** A line of the phase loop itself. */
  phases(line: AnyLine): void;
  /** A line of a loop that works a phase. */
  work(line: AnyLine): void;
}

export async function attachPhases(stateFile: string, look: PhasesLook, signal: AbortSignal): Promise<AttachEnd> {
  const seen = createPhasesReader();
  const work = createWorkReader(stateFile, look.work);
  const isAlone = (): boolean => runnerOf(stateFile) === null && !seen.isStaying();
  const batches = follow(journalFiles(journalOf(stateFile)), signal, isAlone);
  try {
    for await (const { lines } of fromNewest(batches, isStart)) {
      for (const line of lines) {
        const reported = phaseLine(line);
        // A loop's lines come before whatever its phase loop says next.
        await work.read();
        if (reported !== null) seen.read(reported);
        look.phases(line);
        if (reported?.event === "phase_worked") work.next(reported);
      }
      await work.read();
      if (seen.isOver()) break;
    }
  } finally {
    work.close();
  }
  if (signal.aborted && !seen.isOver() && !isAlone()) return { kind: "left", run: seen.run() };
  return await attachEndOf(stateFile, seen, signal);
}

function isStart(line: AnyLine): boolean {
  return phaseLine(line)?.event === "phases_run";
}

interface PhasesReader extends Required<RunSeen> {
  read(line: PhaseLine): void;
  isOver(): boolean;
  /** It waits at a gate, and nobody holds the lock. */
  isStaying(): boolean;
}

function createPhasesReader(): PhasesReader {
  let run = "";
  let startedAt = "";
  let halt: ReturnType<RunSeen["halt"]> = null;
  let breakOff: ReturnType<PhasesReader["breakOff"]> = null;
  let over = false;
  let staying: string | null = null;
  return {
    read(line) {
      if (line.event === "phases_run") {
        [run, startedAt] = [line.run, line.time];
        [halt, breakOff, over, staying] = [null, null, false, null];
      }
      if (line.run !== run || line.event !== "phases_halted") return;
      const { stays = null, outcome, message, exit_code = 1 } = line;
      staying = stays;
      over = staying === null;
      halt = over && outcome !== undefined ? { outcome, message } : null;
      breakOff = over && outcome === undefined ? { exit_code, message } : null;
    },
    run: () => run,
    startedAt: () => startedAt,
    halt: () => halt,
    breakOff: () => breakOff,
    isOver: () => over,
    isStaying: () => staying !== null && isAlive(staying),
  };
}

/** Reads on in the journal of the loop that works the phase. */
function createWorkReader(
  stateFile: string,
  each: (line: AnyLine) => void,
): { read(): Promise<void>; next(line: { readonly file: string; readonly time: string }): void; close(): void } {
  let source: JournalSource | null = null;
  let from = "";
  return {
    async read() {
      if (source === null) return;
      for await (const { lines } of source.read(true))
        for (const line of lines) if (String(line.time) >= from) each(line);
    },
    next({ file, time }) {
      source?.close();
      source = journalFiles(journalOf(workFile(stateFile, file)));
      from = time;
    },
    close: () => source?.close(),
  };
}
