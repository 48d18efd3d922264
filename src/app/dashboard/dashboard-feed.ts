/**
 * What a page is told of one loop, read from the files that its run writes (SPEC sections 8 and 10).
 *
 * D1 nothing is written, locked or asked: a run does not notice who looks on;
 * D2 memory is bounded, and with it what a page is sent at once (`dashboard-shelf.ts`);
 * D3 nobody looking on, nothing is read.
 */
import { statSync } from "node:fs";
import { readJournalSync } from "../../adapters/store/journal.ts";
import { runnerOf } from "../../adapters/store/run-lock.ts";
import { readStateFile } from "../../adapters/store/state-file.ts";
import { describeProblems } from "../../core/problem.ts";
import type { Line } from "./dashboard-frames.ts";
import type { FeedMessage } from "./dashboard-messages.ts";
import { createShelf, MOST_LINES } from "./dashboard-shelf.ts";
import { changeBetween, wireOf, type WireState } from "./dashboard-state.ts";
import { journalOf, openTail, type Tail } from "../loop-log.ts";

export interface Feed {
  /** Tells how it stands, then whatever changes; the answer ends it. */
  subscribe(tell: (message: FeedMessage) => void): () => void;
  close(): void;
}

const LOOK_EVERY_MS = 200;
const RUNNER_EVERY_MS = 1_000;

export function createFeed(stateFile: string): Feed {
  const listeners = new Set<(message: FeedMessage) => void>();
  const tell = (message: FeedMessage): void => {
    for (const listener of listeners) listener(message);
  };
  let looking: Looking | null = null;
  const end = (): void => {
    looking?.end();
    looking = null;
  };
  return {
    subscribe(listener) {
      looking ??= look(stateFile, tell);
      for (const message of looking.stands()) listener(message);
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) end();
      };
    },
    close: () => {
      listeners.clear();
      end();
    },
  };
}

interface Looking {
  /** Everything that was told so far, as it stands now. */
  stands(): readonly FeedMessage[];
  end(): void;
}

function look(stateFile: string, tell: (message: FeedMessage) => void): Looking {
  const journal = createTale(stateFile);
  const file = createStateWatch(stateFile);
  let runner: FeedMessage = runnerMessage(stateFile);
  let asked = performance.now();
  let ended = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const once = async (): Promise<void> => {
    const states = await file.read();
    if (ended) return;
    // Read and told without a pause between: who comes in between would be told twice.
    for (const message of [...states, ...journal.read()]) tell(message);
    if (performance.now() - asked > RUNNER_EVERY_MS) {
      asked = performance.now();
      const now = runnerMessage(stateFile);
      if (JSON.stringify(now) !== JSON.stringify(runner)) tell(now);
      runner = now;
    }
    timer = setTimeout(() => void once(), LOOK_EVERY_MS);
  };
  journal.read();
  void once();
  return {
    stands: () => [...file.stands(), ...journal.stands(), runner],
    end: () => {
      ended = true;
      clearTimeout(timer);
      journal.close();
    },
  };
}

function runnerMessage(stateFile: string): FeedMessage {
  const holder = runnerOf(stateFile);
  return { kind: "runner", pid: holder?.pid ?? null, since: holder?.since ?? null };
}

// ── the state file ──────────────────────────────────────────────────────────

function createStateWatch(stateFile: string): {
  read(): Promise<readonly FeedMessage[]>;
  stands(): readonly FeedMessage[];
} {
  let seen = "";
  let state: WireState | null = null;
  let problem: string | null = null;
  return {
    async read() {
      const mark = markOf(stateFile);
      if (mark === seen) return [];
      seen = mark;
      const read = await readStateFile(stateFile);
      const why = read.ok ? null : describeProblems(read.problems);
      const told: FeedMessage[] = why === problem ? [] : [{ kind: "problem", message: why }];
      problem = why;
      if (!read.ok) return told;
      const before = state;
      state = wireOf(read.value.state);
      const change = before === null ? null : changeBetween(before, state);
      return [...told, change === null ? { kind: "state", state } : { kind: "change", change }];
    },
    stands: () => [
      { kind: "problem", message: problem },
      ...(state === null ? [] : [{ kind: "state", state } as const]),
    ],
  };
}

function markOf(path: string): string {
  try {
    const { mtimeMs, size, ino } = statSync(path);
    return `${mtimeMs} ${size} ${ino}`;
  } catch {
    return "none";
  }
}

// ── the journal ─────────────────────────────────────────────────────────────

function createTale(stateFile: string): {
  read(): readonly FeedMessage[];
  stands(): readonly FeedMessage[];
  close(): void;
} {
  const path = journalOf(stateFile);
  const shelf = createShelf();
  let begun = false;
  let tail: Tail | null = null;

  const current = (): readonly Line[] => {
    tail ??= openTail(path, "start");
    if (tail === null) return [];
    const lines = tail.read();
    if (tail.isCurrent()) return lines;
    // Set aside: what came last is still in it.
    const rest = tail.read();
    tail.close();
    tail = null;
    return [...lines, ...rest];
  };
  return {
    read: () => {
      const before = begun ? [] : olderLines(path);
      begun = true;
      return shelf.take([...before, ...current()]);
    },
    stands: () => shelf.stands(),
    close: () => tail?.close(),
  };
}

/** What the older files of the journal hold. */
function olderLines(path: string): readonly Line[] {
  let lines: Line[] = [];
  for (const line of readJournalSync(path)) {
    if (line.file === path) break;
    if (line.kind === "entry") lines.push(line.value);
    if (lines.length > 2 * MOST_LINES) lines = lines.slice(-MOST_LINES);
  }
  return lines;
}
