/**
 * What a page gets of one loop, read from the files that its run writes (SPEC sections 8 and 10).
 *
 * FEED-1 nothing is written, locked or asked: a run does not notice who watches;
 * FEED-2 memory is bounded, and with it what a page is sent at once (`shelf.ts`);
 * FEED-3 nobody watching, nothing is read.
 */
import type { State } from "../core/state.ts";
import { stampAt } from "../adapters/store/file-bytes.ts";
import { runnerOf } from "../adapters/store/run-lock.ts";
import { readStateFile } from "../adapters/store/state-file.ts";
import { describeProblems } from "../core/problem.ts";
import type { FeedMessage } from "./messages.ts";
import { createShelf } from "./shelf.ts";
import { changeBetween, wireOf } from "./state.ts";
import { follow, journalFiles } from "../history/follow.ts";
import { journalOf } from "../history/loop-log.ts";

export interface Feed {
  /** Tells its state, then whatever changes; the answer ends it. */
  subscribe(tell: (message: FeedMessage) => void): () => void;
  close(): void;
}

const RUNNER_EVERY_MS = 1_000;

/** FEED-3: it looks while somebody listens. */
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
  /** Everything that was reported so far, as it is now. */
  stands(): readonly FeedMessage[];
  end(): void;
}

function look(stateFile: string, tell: (message: FeedMessage) => void): Looking {
  const shelf = createShelf();
  const file = createStateWatch(stateFile);
  const over = new AbortController();
  let runner: FeedMessage = runnerMessage(stateFile);
  let asked = performance.now();
  const readRunner = (): void => {
    if (performance.now() - asked <= RUNNER_EVERY_MS) return;
    asked = performance.now();
    const now = runnerMessage(stateFile);
    if (JSON.stringify(now) !== JSON.stringify(runner)) tell(now);
    runner = now;
  };
  const rounds = async (): Promise<void> => {
    for await (const { lines, caught_up } of follow(journalFiles(journalOf(stateFile)), over.signal)) {
      // Kept and reported without a pause between: who comes in between would be reported twice.
      for (const message of shelf.take(lines, caught_up)) tell(message);
      if (!caught_up) continue;
      for (const message of await file.read()) if (!over.signal.aborted) tell(message);
      readRunner();
    }
  };
  void rounds();
  return {
    stands: () => [...file.stands(), ...shelf.stands(), runner],
    end: () => over.abort(),
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
  let seen: string | null | undefined;
  let state: State | null = null;
  let problem: string | null = null;
  return {
    async read() {
      const stamp = stampAt(stateFile);
      if (stamp === seen) return [];
      seen = stamp;
      const read = await readStateFile(stateFile);
      const why = read.ok ? null : describeProblems(read.problems);
      const reported: FeedMessage[] = why === problem ? [] : [{ kind: "problem", message: why }];
      problem = why;
      if (!read.ok) return reported;
      const before = state;
      state = wireOf(read.value.state);
      const change = before === null ? null : changeBetween(before, state);
      return [...reported, change === null ? { kind: "state", state } : { kind: "change", change }];
    },
    stands: () => [
      { kind: "problem", message: problem },
      ...(state === null ? [] : [{ kind: "state", state } as const]),
    ],
  };
}
