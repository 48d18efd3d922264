/**
 * The messages about one loop that a page gets, read from the files that the loop's run writes (SPEC sections 8 and 10).
 *
 * FEED-1 reading writes and locks nothing, so a run does not notice who watches;
 * FEED-2 memory is bounded, and so is what a new page is sent (`shelf.ts`);
 * FEED-3 without a subscriber nothing is read.
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
  /** Tells the present state, then each change, until the returned function is called. */
  subscribe(tell: (message: FeedMessage) => void): () => void;
  close(): void;
}

const RUNNER_EVERY_MS = 1_000;

export function createFeed(stateFile: string): Feed {
  const listeners = new Set<(message: FeedMessage) => void>();
  const tell = (message: FeedMessage): void => {
    for (const listener of listeners) listener(message);
  };
  // FEED-3.
  let watch: Watch | null = null;
  const end = (): void => {
    watch?.end();
    watch = null;
  };
  return {
    subscribe(listener) {
      watch ??= startWatch(stateFile, tell);
      for (const message of watch.snapshot()) listener(message);
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

interface Watch {
  /** Messages that bring a new subscriber up to date. */
  snapshot(): readonly FeedMessage[];
  end(): void;
}

function startWatch(stateFile: string, tell: (message: FeedMessage) => void): Watch {
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
      // No `await` between keeping and telling: whoever subscribed there would get these lines twice.
      for (const message of shelf.take(lines, caught_up)) tell(message);
      if (!caught_up) continue;
      for (const message of await file.read()) if (!over.signal.aborted) tell(message);
      readRunner();
    }
  };
  void rounds();
  return {
    snapshot: () => [...file.snapshot(), ...shelf.snapshot(), runner],
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
  snapshot(): readonly FeedMessage[];
} {
  let lastStamp: string | null | undefined;
  let state: State | null = null;
  let problem: string | null = null;
  return {
    async read() {
      const stamp = stampAt(stateFile);
      if (stamp === lastStamp) return [];
      lastStamp = stamp;
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
    snapshot: () => [
      { kind: "problem", message: problem },
      ...(state === null ? [] : [{ kind: "state", state } as const]),
    ],
  };
}
