/**
 * What outlives a run: the text of the state file and the bytes of the journal, in memory, with the contract of
 * `adapters/store/` (STORE-JOURNAL-1, STORE-JOURNAL-2, LOOP-STORE-1). The texts are printed and read by the real
 * printer and the real readers.
 */
import { Buffer } from "node:buffer";
import { createLineReader } from "../../src/adapters/store/journal-reader.ts";
import { checkInvariants } from "../../src/core/invariants.ts";
import type { AnyLine, JournalLine } from "../../src/core/journal-line.ts";
import { createRecall, type Recollection } from "../../src/core/journal.ts";
import { accepted, describeProblems, refused, type Result } from "../../src/core/problem.ts";
import type { State } from "../../src/core/state.ts";
import type { Foreign, Store } from "../../src/loop/ports.ts";
import { createStateText } from "../../src/statefile/create.ts";
import type { StateDocument } from "../../src/statefile/parse.ts";
import { parseState } from "../../src/statefile/parse.ts";
import { printState } from "../../src/statefile/print.ts";
import { fieldsOf } from "../support/lines.ts";

/** Where a process can die while it writes. `torn`: in the middle of a line. */
export type DeathPoint =
  | "before append"
  | "torn append"
  | "after append"
  | "before save"
  | "before mark"
  | "after save";

/** What somebody looks at while a run writes. */
export interface DiskWatch {
  /** Lines that are durable from now on. */
  appended(lines: readonly JournalLine[]): void;
  saved(state: State): void;
  /** Throws if the process dies here. */
  point(point: DeathPoint): void;
  /** Writing takes a while. */
  wrote(): void;
  /** The disk is full. */
  isFull(): boolean;
}

export interface Disk {
  state(): State;
  text(): string;
  lines(): readonly AnyLine[];
  /** The store of one run, from what is in the file now. */
  store(run: string, watch: DiskWatch, now: () => string): Store;
  append(lines: readonly object[]): void;
  /** What a person's operation makes of the file; refused: why. */
  edit(change: (state: State) => Result<State>): Result<State>;
}

export function createDisk(state: State): Disk {
  let text = createStateText(state, "the work");
  let journal = "";
  let linesTo = 0;
  const linesRead: AnyLine[] = [];
  /** The last text that was read: reading is a function. */
  let known: { readonly text: string; readonly document: StateDocument } | null = null;

  const read = (): StateDocument => {
    if (known?.text === text) return known.document;
    const parsed = parseState(text);
    if (!parsed.ok) throw new Error(`the state file cannot be read any more: ${describeProblems(parsed.problems)}`);
    known = { text, document: parsed.document };
    return parsed.document;
  };
  const append = (lines: readonly object[], keep = 1): readonly object[] => {
    // STORE-JOURNAL-2: a torn line is ended before the next one begins.
    const guard = journal === "" || journal.endsWith("\n") ? "" : "\n";
    const whole = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    const written = whole.slice(0, Math.floor(whole.length * keep));
    journal += guard + written;
    return lines.slice(0, written.split("\n").length - 1);
  };
  const write = (document: StateDocument, next: State): Result<StateDocument> => {
    const printed = printState(document, next);
    if (!printed.ok) return printed;
    const parsed = parseState(printed.value);
    return parsed.ok ? accepted(parsed.document) : parsed;
  };

  return {
    state: () => read().state,
    text: () => text,
    lines: () => {
      // Whole lines stay as they are (STORE-JOURNAL-3): they are read once.
      const whole = journal.lastIndexOf("\n") + 1;
      linesRead.push(...entriesIn(journal.slice(linesTo, whole)));
      linesTo = whole;
      return [...linesRead, ...entriesIn(journal.slice(whole))];
    },
    append: (lines) => void append(lines),
    edit: (change) => {
      const document = read();
      const next = change(document.state);
      if (!next.ok) return next;
      const problems = checkInvariants(next.value);
      if (problems.length > 0) return { ok: false, problems };
      const written = write(document, next.value);
      if (!written.ok) return written;
      ({ text } = written.value);
      return next;
    },
    store: (run, watch, now) => {
      let document = read();
      /** LOOP-STORE-1. */
      const takeUp = (): Foreign => {
        if (text === document.text) return {};
        const theirs = read();
        const ours = document.state;
        document = theirs;
        const { control } = theirs.state;
        const stop = control.stop_requested && !ours.control.stop_requested ? { stop: control.stop_reason ?? "" } : {};
        return meaningOf(ours) === meaningOf(theirs.state) ? stop : { ...stop, note: "somebody wrote; it is kept" };
      };
      return {
        append: (lines) => {
          if (watch.isFull()) return refused("no space left", "free some");
          watch.point("before append");
          try {
            watch.point("torn append");
          } catch (death) {
            watch.appended(append(lines, 0.5) as readonly JournalLine[]);
            throw death;
          }
          append(lines);
          watch.appended(lines);
          watch.point("after append");
          return accepted(null);
        },
        save: (state) => {
          if (watch.isFull()) return refused("no space left", "free some");
          watch.point("before save");
          const foreign = takeUp();
          const written = write(document, state);
          if (!written.ok) return written;
          document = written.value;
          ({ text } = document);
          known = { text, document };
          watch.saved(state);
          watch.point("before mark");
          append([{ time: now(), run, iteration: state.control.iteration, event: "state_saved" }]);
          watch.point("after save");
          watch.wrote();
          return accepted(foreign);
        },
        look: takeUp,
      };
    },
  };
}

function entriesIn(text: string): readonly AnyLine[] {
  const reader = createLineReader("journal");
  const lines = [...reader.push(Buffer.from(text)), ...reader.end()];
  return lines.flatMap((line) => (line.kind === "entry" ? [line.value] : []));
}

function meaningOf(state: State): string {
  return shown({ ...state, control: { ...state.control, stop_requested: false, stop_reason: null } });
}

/** What the journal tells the next run. */
export function recallOf(disk: Disk): Recollection {
  const recall = createRecall();
  for (const line of disk.lines()) recall.read(line);
  return recall.now();
}

/** A state as a text: what is equal in meaning is equal in text. */
export function shown(state: State): string {
  return JSON.stringify({ ...state, atoms: state.atoms, or_groups: state.or_groups });
}

/** The journal in short, for a failure's message. */
export function storyOf(disk: Disk): string {
  const short = (line: AnyLine): string => {
    const { event, time: _time, run, iteration: _iteration, usage: _usage, ...rest } = fieldsOf(line);
    const more = Object.entries(rest).map(([key, value]) => `${key}=${JSON.stringify(value)}`.slice(0, 60));
    return `${String(run)} ${String(event)} ${more.join(" ")}`;
  };
  return disk.lines().map(short).join("\n");
}
