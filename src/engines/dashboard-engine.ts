/** An engine on a page: all of its loops and workers, and each loop when it is opened (SPEC sections 10 and 13). */
import { createHash } from "node:crypto";
import type { Engine } from "../loop/engine.ts";
import { systemClock } from "../project/clock.ts";
import { watchEngine, type EngineSnapshot } from "./watch.ts";
import type { Feed } from "../dashboard/feed.ts";
import { createHostedFeed } from "./dashboard-hosted.ts";
import type { ShownLoop } from "../dashboard/loops.ts";
import type { EngineMessage } from "./messages.ts";

export interface EngineHandler {
  /** The engine itself, as it is listed. */
  readonly entry: ShownLoop;
  /** Called with what is known at once, then whatever changes. */
  subscribe(tell: (message: EngineMessage) => void): () => void;
  /** Null: the key is of none of its loops. */
  find(key: string): ShownLoop | null;
  /** @param loop one that `find` answered with */
  feedOf(loop: ShownLoop): Feed;
  close(): void;
}

const LONGEST_GOAL = 300;
const MOST_TASKS = 12;
const MOST_FEEDS = 64;

export function createEngineHandler(engine: Engine): EngineHandler {
  const watch = watchEngine(engine, systemClock.now);
  const key = createHash("sha256").update(engine.name).digest("hex").slice(0, 12);
  const feeds = new Map<string, Feed>();
  const keyOf = (loop: string): string => `${key}.${Buffer.from(loop).toString("base64url")}`;
  return {
    entry: { key, kind: "engine", file: engine.name, name: engine.name.replace(/^\w+:\/\//, "") },
    subscribe(tell) {
      let reported = "";
      return watch.subscribe((snapshot) => {
        const message = messageOf(snapshot, keyOf);
        const { seen_at: _, ...rest } = message;
        const now = JSON.stringify(rest);
        if (now === reported) return;
        reported = now;
        tell(message);
      });
    },
    find(asked) {
      if (!asked.startsWith(`${key}.`)) return null;
      const loop = Buffer.from(asked.slice(key.length + 1), "base64url").toString("utf8");
      if (loop === "" || keyOf(loop) !== asked) return null;
      const owner = { engine: engine.name, loop };
      return { key: asked, kind: "atoms", file: `${engine.name}/${loop}`, name: loop, owner };
    },
    feedOf(loop) {
      const known = feeds.get(loop.key);
      if (known !== undefined) return known;
      const feed = createHostedFeed(engine, loop.name);
      feeds.set(loop.key, feed);
      // Of those that were opened long ago nothing is kept; who still watches gets the rest.
      const [oldest] = feeds.keys();
      if (feeds.size > MOST_FEEDS && oldest !== undefined) feeds.delete(oldest);
      return feed;
    },
    close: () => {
      watch.close();
      for (const feed of feeds.values()) feed.close();
    },
  };
}

function messageOf(snapshot: EngineSnapshot, keyOf: (loop: string) => string): EngineMessage {
  const { engine, loops, left_out, workers, seen_at, problem } = snapshot;
  return {
    kind: "engine",
    engine,
    loops: loops.map((row) => ({
      ...row,
      key: keyOf(row.loop),
      goal: row.goal.slice(0, LONGEST_GOAL),
      working: row.working.slice(0, MOST_TASKS),
      waiting: row.waiting.slice(0, MOST_TASKS),
    })),
    left_out,
    workers,
    seen_at,
    away: problem,
  };
}
