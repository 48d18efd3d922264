/** What the page knows of one loop: its present state, and its state after any journal line. */
import type { AnyLine } from "../../core/journal-line.ts";
import type { FeedMessage } from "../messages.ts";
import { firstFrame, nextFrame, type Frame } from "../frames.ts";
import { withLines, type KnownLines } from "../shelf.ts";
import { withChange } from "../state.ts";
import type { State } from "../../core/state.ts";
import type { Api, Link } from "./api.ts";

export interface LoopModel {
  version(): number;
  link(): Link;
  problem(): string | null;
  runner(): { readonly pid: number | null; readonly since: string | null };
  /** Whether a process is known to run it. */
  isAtWork(): boolean;
  lines(): readonly AnyLine[];
  /** How many older lines are not among them. */
  leftOut(): number;
  state(): State | null;
  /** The state after the first `count` lines. */
  stateBehind(count: number): State | null;
  onChange(then: () => void): () => void;
  close(): void;
}

/** A frame is cached every so many lines, so that looking back applies fewer than that. */
const LINES_PER_FRAME = 250;

export function createLoopModel(api: Api, key: string): LoopModel {
  let version = 0;
  let link: Link = "connecting";
  let problem: string | null = null;
  let runner: { readonly pid: number | null; readonly since: string | null } = { pid: null, since: null };
  let state: State | null = null;
  let known: KnownLines = { lines: [], left_out: 0 };
  let frames: { readonly shape: State; readonly kept: Frame[] } | null = null;
  const watchers = new Set<() => void>();
  let due = false;
  /** Tells watchers at most once per animation frame. */
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
        if (message.anew || message.left_out > known.left_out) frames = null;
        known = withLines(known, message);
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
    lines: () => known.lines,
    leftOut: () => known.left_out,
    state: () => state,
    stateBehind(count) {
      if (state === null) return null;
      const { lines } = known;
      frames ??= { shape: state, kept: [firstFrame(state, lines)] };
      const { shape, kept } = frames;
      const place = Math.min(kept.length - 1, Math.floor(count / LINES_PER_FRAME));
      let frame = kept[place];
      if (frame === undefined) return null;
      for (let at = place * LINES_PER_FRAME; at < count; at++) {
        frame = nextFrame(frame, lines[at] ?? {}, shape);
        if ((at + 1) % LINES_PER_FRAME === 0 && kept.length === (at + 1) / LINES_PER_FRAME) kept.push(frame);
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
