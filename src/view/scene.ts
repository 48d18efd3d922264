/**
 * Everything that is shown of a loop at one moment, now or behind a line of its journal: counts, limits, time. What the
 * page draws and what a report says comes from here, so that they cannot disagree. Pure.
 */
import type { Memory } from "../core/event.ts";
import type { Projection } from "../core/fold-journal.ts";
import { limitsOf, worstCase, type Limits, type WorstCase } from "../core/fuel.ts";
import { createRecall } from "../core/journal.ts";
import type { AnyLine } from "../core/journal-line.ts";
import type { State } from "../core/state.ts";
import { createStory, type RunStory } from "../history/run-story.ts";
import { drawingOf, type Drawing } from "./drawing.ts";
import { axisOf, timelineOf, type Axis, type Timeline } from "./timeline.ts";
import type { Zone } from "./words.ts";

export interface Scene {
  readonly state: State;
  readonly drawing: Drawing;
  readonly story: RunStory;
  /** What was spent. */
  readonly memory: Memory;
  readonly attempts: number;
  /** Attempts whose agents work. */
  readonly running: number;
  readonly timeline: Timeline;
  readonly axis: Axis;
  readonly limits: Limits;
  readonly worst: WorstCase;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** It is not as it is now. */
  readonly isPast: boolean;
  readonly zone: Zone;
}

/** What a journal says of its loop. */
export interface Reported {
  readonly story: RunStory;
  readonly memory: Memory;
}

export function createReported(): Projection<Reported> {
  const story = createStory();
  const recall = createRecall();
  return {
    read(line: AnyLine) {
      story.read(line);
      recall.read(line);
    },
    now: () => ({ story: story.now(), memory: recall.now().memory }),
  };
}

export interface Moment {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly zone: Zone;
  /** Of a moment in the past: what the whole journal says, so that the timeline stands still, and when it ends. */
  readonly whole?: { readonly story: RunStory; readonly time: number };
}

const DEFAULT_CALL_MS = 30 * 60_000;

/** @param state as it was at that moment. @param reported up to it */
export function sceneOf(state: State, { story, memory }: Reported, { time, zone, whole }: Moment): Scene {
  const settings = story.newest.settings ?? { verify_each: false, confirmed: false };
  const timeline = timelineOf(whole?.story ?? story, whole?.time ?? time);
  return {
    state,
    drawing: drawingOf(state),
    story,
    memory,
    attempts: Object.values(memory.attempts).reduce((sum, count) => sum + count, 0),
    running: story.attempts.filter(({ end }) => end === null).length,
    timeline,
    axis: axisOf(timeline.runs),
    limits: limitsOf(state.objective.constraints, settings),
    worst: worstCase(state, settings, { call_timeout_ms: DEFAULT_CALL_MS, spent_usd: memory.cost_usd }),
    time,
    isPast: whole !== undefined,
    zone,
  };
}
