/**
 * What a page is told of a loop that an engine works (SPEC sections 10 and 13), in the messages of any other loop.
 *
 * H1 the engine is only asked for views and journal lines, each line once, and nothing while nobody looks on;
 * H2 an engine that is away is said to be; what was known stays, and it is asked again by itself, ever more rarely.
 */
import type { Engine, LoopView } from "../../loop/engine.ts";
import { asking } from "../engine/engine-client.ts";
import type { Feed } from "./dashboard-feed.ts";
import type { FeedMessage, HostedMessage } from "./dashboard-messages.ts";
import { createShelf } from "./dashboard-shelf.ts";
import { changeBetween, wireOf, type WireState } from "./dashboard-state.ts";

const LOOK_EVERY_MS = 500;
const LONGEST_PAUSE_MS = 5_000;

export function createHostedFeed(engine: Engine, loop: string, every_ms = LOOK_EVERY_MS): Feed {
  const listeners = new Set<(message: FeedMessage) => void>();
  const tale = createHostedTale(engine, loop);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let looking = false;
  const rounds = async (): Promise<void> => {
    for (let pause = every_ms; listeners.size > 0;) {
      const { messages, away } = await tale.look();
      for (const message of messages) for (const listener of listeners) listener(message);
      pause = away ? Math.min(pause * 1.5, LONGEST_PAUSE_MS) : every_ms;
      await new Promise<void>((resolve) => (timer = setTimeout(resolve, pause)));
    }
  };
  return {
    subscribe(listener) {
      for (const message of tale.stands()) listener(message);
      listeners.add(listener);
      if (!looking) {
        looking = true;
        void rounds().finally(() => (looking = false));
      }
      return () => void listeners.delete(listener);
    },
    close: () => {
      listeners.clear();
      clearTimeout(timer);
    },
  };
}

interface HostedTale {
  look(): Promise<{ readonly messages: readonly FeedMessage[]; readonly away: boolean }>;
  stands(): readonly FeedMessage[];
}

function createHostedTale(engine: Engine, loop: string): HostedTale {
  const shelf = createShelf();
  let seen = 0;
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
  const tellLines = async (upTo: number, messages: FeedMessage[]): Promise<void> => {
    while (seen < upTo) {
      const lines = await engine.journal(loop, seen);
      if (lines.length === 0) break;
      seen += lines.length;
      messages.push(...shelf.take(lines.map((line) => ({ ...line }))));
    }
  };
  /** @param messages gets what is to be told, whatever becomes of the rest of the answer: it is not told again */
  const ask = async (messages: FeedMessage[]): Promise<void> => {
    const view = await engine.view(loop);
    if (view === null) return void messages.push(...withProblem(`${engine.name} has no loop ${loop}`));
    const { working, reruns, refused } = view;
    const told = withHosted({ kind: "hosted", engine: engine.name, working, reruns, refused, away: null });
    messages.push(...withProblem(null), ...withState(view), ...told);
    await tellLines(view.lines, messages);
  };
  return {
    look: async () => {
      const messages: FeedMessage[] = [];
      const asked = await asking(() => ask(messages));
      if (asked.ok) return { messages, away: false };
      // H2
      const away = asked.problems.map(({ message }) => message).join("; ");
      return { messages: [...messages, ...withHosted({ ...hosted, away })], away: true };
    },
    stands: () => [problem, ...(state === null ? [] : [{ kind: "state", state } as const]), hosted, ...shelf.stands()],
  };
}
