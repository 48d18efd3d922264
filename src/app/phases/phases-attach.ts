/**
 * Looking on while another process works a phase loop: the lines of its newest run, and those of the loops that work its
 * phases, in the order in which they happened (SPEC sections 8 and 11). Changes nothing.
 */
import type { AnyLine } from "../../core/journal-line.ts";
import { entriesOf, openJournalReader, type JournalReader } from "../../adapters/store/journal-reader.ts";
import { runnerOf } from "../../adapters/store/run-lock.ts";
import { isAlive } from "../../host/liveness.ts";
import { follow, fromNewest, journalFiles } from "../follow.ts";
import { journalOf } from "../loop-log.ts";
import { attachEndOf, haltIn, type AttachEnd, type RunSeen } from "../run/attach.ts";
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
        // A loop's lines come before whatever its phase loop says next.
        work.read();
        seen.read(line);
        look.phases(line);
        work.next(line);
      }
      work.read();
      if (seen.isOver()) break;
    }
  } finally {
    work.close();
  }
  if (signal.aborted && !seen.isOver() && !isAlone()) return { kind: "left", run: seen.run() };
  return await attachEndOf(stateFile, seen, signal);
}

function isStart(line: AnyLine): boolean {
  return line["event"] === "phases_run";
}

interface PhasesReader extends Required<RunSeen> {
  read(line: AnyLine): void;
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
      if (isStart(line)) {
        [run, startedAt] = [String(line["run"]), String(line["time"])];
        [halt, breakOff, over, staying] = [null, null, false, null];
      }
      if (line["run"] !== run || line["event"] !== "phases_halted") return;
      staying = whoStays(line["stays"]);
      over = staying === null;
      halt = over ? haltIn(line) : null;
      breakOff = over && halt === null ? breakOffIn(line) : null;
    },
    run: () => run,
    startedAt: () => startedAt,
    halt: () => halt,
    breakOff: () => breakOff,
    isOver: () => over,
    isStaying: () => staying !== null && isAlive(staying),
  };
}

/** An identity, see `liveness.ts`; an older journal tells the bare pid. */
function whoStays(value: unknown): string | null {
  if (typeof value === "number") return `${value}/`;
  return typeof value === "string" ? value : null;
}

function breakOffIn({ exit_code, message }: AnyLine): { readonly exit_code: number; readonly message: string } {
  return { exit_code: typeof exit_code === "number" ? exit_code : 1, message: String(message ?? "") };
}

/** Reads on in the journal of the loop that works the phase. */
function createWorkReader(
  stateFile: string,
  each: (line: AnyLine) => void,
): { read(): void; next(line: AnyLine): void; close(): void } {
  let reader: JournalReader | null = null;
  let from = "";
  return {
    read() {
      for (const line of entriesOf(reader?.read(true) ?? [])) if (String(line["time"]) >= from) each(line);
    },
    next(line) {
      if (line["event"] !== "phase_worked" || typeof line["file"] !== "string") return;
      reader?.close();
      reader = openJournalReader(journalOf(workFile(stateFile, line["file"])));
      from = String(line["time"]);
    },
    close: () => reader?.close(),
  };
}
