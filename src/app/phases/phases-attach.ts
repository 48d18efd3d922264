/**
 * Looking on while another process works a phase loop: the lines of its newest run, and those of the loops that work its
 * phases, in the order in which they happened (SPEC sections 8 and 11). Changes nothing.
 */
import type { JournalObject } from "../../adapters/store/journal.ts";
import { runnerOf } from "../../adapters/store/run-lock.ts";
import { isAlive } from "../../host/liveness.ts";
import { journalOf, openTail, pause, type Tail } from "../loop-log.ts";
import { attachEndOf, haltIn, sinceStart, type AttachEnd, type RunSeen } from "../run/attach.ts";
import { workFile } from "./phase-work.ts";

export interface PhasesLook {
  /** A line of the phase loop itself. */
  phases(line: JournalObject): void;
  /** A line of a loop that works a phase. */
  work(line: JournalObject): void;
}

const LOOK_EVERY_MS = 150;

export async function attachPhases(stateFile: string, look: PhasesLook, signal: AbortSignal): Promise<AttachEnd> {
  const path = journalOf(stateFile);
  const seen = createPhasesReader();
  const file = followFile(path);
  let work: FollowedFile | null = null;
  const drain = (): void => work?.read().forEach(look.work);
  const show = (lines: readonly JournalObject[]): void => {
    for (const line of lines) {
      // A loop's lines come before whatever its phase loop says next.
      drain();
      seen.read(line);
      look.phases(line);
      if (!isWorked(line)) continue;
      work?.close();
      work = followFile(journalOf(workFile(stateFile, String(line["file"]))), String(line["time"]));
    }
    drain();
  };
  const isAtWork = (): boolean => runnerOf(stateFile) !== null || seen.isStaying();
  try {
    show(sinceStart(path, file.read(), isStart));
    while (!signal.aborted && !seen.isOver()) {
      // Asked before the last lines are read: whoever is gone then writes none.
      const gone = !isAtWork();
      show(file.read());
      if (gone && !seen.isStaying()) break;
      await pause(LOOK_EVERY_MS, signal);
    }
  } finally {
    file.close();
    (work as FollowedFile | null)?.close();
  }
  if (signal.aborted && !seen.isOver() && isAtWork()) return { kind: "left", run: seen.run() };
  return await attachEndOf(stateFile, seen, signal);
}

function isStart(line: JournalObject): boolean {
  return line["event"] === "phases_run";
}

function isWorked(line: JournalObject): boolean {
  return line["event"] === "phase_worked" && typeof line["file"] === "string";
}

interface PhasesReader extends Required<RunSeen> {
  read(line: JournalObject): void;
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

function breakOffIn({ exit_code, message }: JournalObject): { readonly exit_code: number; readonly message: string } {
  return { exit_code: typeof exit_code === "number" ? exit_code : 1, message: String(message ?? "") };
}

interface FollowedFile {
  /** What came since the last time. */
  read(): JournalObject[];
  close(): void;
}

/** A journal as it grows, also where it is set aside or is not there yet. @param from ISO 8601: nothing that is older */
function followFile(path: string, from = ""): FollowedFile {
  let tail: Tail | null = null;
  return {
    read() {
      tail ??= openTail(path, "start");
      const lines = tail?.read() ?? [];
      if (tail !== null && !tail.isCurrent()) {
        lines.push(...tail.read());
        tail.close();
        tail = null;
      }
      return lines.filter((line) => String(line["time"]) >= from);
    },
    close: () => tail?.close(),
  };
}
