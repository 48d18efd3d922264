/**
 * What a page gets of a loop that an engine works (SPEC sections 10 and 13), in the messages of any other loop.
 *
 * DASHBOARD-HOSTED-1 the engine is only asked for views and journal lines, each line once, and nothing while nobody
 *    watches;
 * DASHBOARD-HOSTED-2 an engine that is away is said to be; what was known stays, and it is asked again by itself, ever
 *    more rarely.
 */
import type { Engine, LoopView } from "../loop/engine.ts";
import { engineJournal, type EngineBatch } from "./follow.ts";
import { follow } from "../history/follow.ts";
import { shareLook, type Feed } from "../dashboard/feed.ts";
import type { FeedMessage, HostedMessage } from "../dashboard/messages.ts";
import { createShelf } from "../dashboard/shelf.ts";
import { changeBetween, wireOf, type WireState } from "../dashboard/state.ts";

export function createHostedFeed(engine: Engine, loop: string): Feed {
  const source = engineJournal(engine, loop);
  const report = createHostedMessages(engine, loop);
  return shareLook((tell) => {
    const over = new AbortController();
    const rounds = async (): Promise<void> => {
      for await (const batch of follow(source, over.signal)) for (const message of report.take(batch)) tell(message);
    };
    void rounds();
    return { stands: report.stands, end: () => over.abort() };
  });
}

interface HostedMessages {
  /** @returns the messages of what was new */
  take(batch: EngineBatch): readonly FeedMessage[];
  stands(): readonly FeedMessage[];
}

function createHostedMessages(engine: Engine, loop: string): HostedMessages {
  const shelf = createShelf();
  let state: WireState | null = null;
  let hosted: HostedMessage = { kind: "hosted", engine: engine.name, working: [], reruns: 0, refused: [], away: null };
  let problem: FeedMessage = { kind: "problem", message: null };

  const withHosted = (next: HostedMessage): readonly FeedMessage[] => {
    if (JSON.stringify(next) === JSON.stringify(hosted)) return [];
    hosted = next;
    return [next];
  };
  const withProblem = (message: string | null): readonly FeedMessage[] => {
    if (problem.kind === "problem" && problem.message === message) return [];
    problem = { kind: "problem", message };
    return [problem];
  };
  const withState = (view: LoopView): readonly FeedMessage[] => {
    const before = state;
    state = wireOf(view.state);
    if (before !== null && JSON.stringify(before) === JSON.stringify(state)) return [];
    const change = before === null ? null : changeBetween(before, state);
    return [change === null ? { kind: "state", state } : { kind: "change", change }];
  };
  return {
    take: ({ lines, caught_up, view, away }) => {
      // DASHBOARD-HOSTED-2
      if (away !== null) return withHosted({ ...hosted, away: away.message });
      if (view === null) return withProblem(`${engine.name} has no loop ${loop}`);
      const { working, reruns, refused } = view;
      const reported = withHosted({ kind: "hosted", engine: engine.name, working, reruns, refused, away: null });
      return [...withProblem(null), ...withState(view), ...reported, ...shelf.take(lines, caught_up)];
    },
    stands: () => [problem, ...(state === null ? [] : [{ kind: "state", state } as const]), hosted, ...shelf.stands()],
  };
}
