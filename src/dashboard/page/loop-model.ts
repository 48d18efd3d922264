/** What the page knows of one loop: as it is, and as it stood behind any line. */
import type { AnyLine } from "../../core/journal-line.ts";
import type { FeedMessage } from "../messages.ts";
import { firstFrame, nextFrame, type Frame } from "../frames.ts";
import { withChange } from "../state.ts";
import type { State } from "../../core/state.ts";
import type { Api, Link } from "./api.ts";

export interface LoopModel {
  version(): number;
  link(): Link;
  problem(): string | null;
  runner(): { readonly pid: number | null; readonly since: string | null };
  /** Somebody works it, as far as is known. */
  isAtWork(): boolean;
  lines(): readonly AnyLine[];
  /** Older lines that the page did not get. */
  leftOut(): number;
  state(): State | null;
  /** As it was behind the first `count` lines. */
  stateBehind(count: number): State | null;
  onChange(then: () => void): () => void;
  close(): void;
}

const MOST_LINES = 60_000;
/** A frame is kept for each so many lines: looking back folds fewer than that. */
const KEPT_EVERY = 250;

export function createLoopModel(api: Api, key: string): LoopModel {
  let version = 0;
  let link: Link = "connecting";
  let problem: string | null = null;
  let runner: { readonly pid: number | null; readonly since: string | null } = { pid: null, since: null };
  let state: State | null = null;
  let lines: AnyLine[] = [];
  let leftOut = 0;
  let frames: { readonly shape: State; readonly kept: Frame[] } | null = null;
  const watchers = new Set<() => void>();
  let due = false;
  /** At most once for each picture that the browser draws. */
  const changed = (): void => {
    version++;
    if (due) return;
    due = true;
    requestAnimationFrame(() => {
      due = false;
      for (const then of watchers) then();
    });
  };
  const take = (message: FeedMessage): void => {
    switch (message.kind) {
      case "state":
        state = message.state;
        frames = null;
        break;
      case "change":
        if (state === null) return;
        state = withChange(state, message.change);
        break;
      case "lines":
        if (message.anew) lines = [];
        leftOut = message.left_out;
        lines = [...lines, ...message.lines].slice(-MOST_LINES);
        if (message.anew || lines.length === MOST_LINES) frames = null;
        break;
      case "runner":
        runner = { pid: message.pid, since: message.since };
        break;
      case "problem":
        problem = message.message;
        break;
    }
    changed();
  };
  const stop = api.follow(
    `/api/loops/${key}/events`,
    (_, value) => take(value as FeedMessage),
    (now) => {
      link = now;
      changed();
    },
  );
  return {
    version: () => version,
    link: () => link,
    problem: () => problem,
    runner: () => runner,
    isAtWork: () => runner.pid !== null,
    lines: () => lines,
    leftOut: () => leftOut,
    state: () => state,
    stateBehind(count) {
      if (state === null) return null;
      frames ??= { shape: state, kept: [firstFrame(state, lines)] };
      const { shape, kept } = frames;
      const place = Math.min(kept.length - 1, Math.floor(count / KEPT_EVERY));
      let frame = kept[place];
      if (frame === undefined) return null;
      for (let at = place * KEPT_EVERY; at < count; at++) {
        frame = nextFrame(frame, lines[at] ?? {}, shape);
        if ((at + 1) % KEPT_EVERY === 0 && kept.length === (at + 1) / KEPT_EVERY) kept.push(frame);
      }
      return frame.state;
    },
    onChange(then) {
      watchers.add(then);
      return () => watchers.delete(then);
    },
    close: () => {
      stop();
      watchers.clear();
    },
  };
}
