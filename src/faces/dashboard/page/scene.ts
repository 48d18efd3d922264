/** Everything that is drawn of a loop at one moment: now, or behind a line of its journal. */
import type { AnyLine } from "../../../core/journal-line.ts";
import { createStory, type RunStory } from "../../../app/run/run-story.ts";
import { limitsOf, worstCase, type Limits, type WorstCase } from "../../../core/fuel.ts";
import type { Memory, RunSettings } from "../../../core/event.ts";
import type { Projection } from "../../../core/fold-journal.ts";
import { createRecall } from "../../../core/journal.ts";
import type { State } from "../../../core/state.ts";
import { drawingOf, type Drawing } from "../model/sketch.ts";
import { axisOf, timelineOf, type Axis, type Timeline } from "../model/timeline.ts";
import type { LoopModel } from "./loop-model.ts";

export interface Scene {
  readonly state: State;
  readonly drawing: Drawing;
  /** Up to this moment. */
  readonly lines: readonly AnyLine[];
  readonly story: RunStory;
  /** What was spent. */
  readonly memory: Memory;
  /** Of the whole journal, so that it stands still while one looks back. */
  readonly timeline: Timeline;
  readonly axis: Axis;
  readonly limits: Limits;
  readonly worst: WorstCase;
  /** Lines behind which it is; null: now. */
  readonly position: number | null;
  readonly total: number;
  /** Milliseconds since 1970. */
  readonly time: number;
}

const NO_SETTINGS: RunSettings = { verify_each: false, confirmed: false };
const DEFAULT_CALL_MS = 30 * 60_000;

/** @param position how many lines have happened; null: as it is now */
export function sceneOf(model: LoopModel, position: number | null, now: number): Scene | null {
  const all = model.lines();
  const live = position === null || position >= all.length;
  const state = live ? model.state() : model.stateBehind(position);
  if (state === null) return null;
  const lines = live ? all : all.slice(0, position);
  const atWork = model.isAtWork();
  const last = Date.parse(String(all.at(-1)?.["time"] ?? ""));
  const timeline = timelineOf(all, atWork ? now : Number.isNaN(last) ? now : last);
  const drawing = drawingOf(state);
  const story = learnt(createStory(), lines);
  const { memory } = learnt(createRecall(), lines);
  const settings = story.newest.settings ?? NO_SETTINGS;
  return {
    state,
    drawing,
    lines,
    story,
    memory,
    timeline,
    axis: axisOf(timeline.runs),
    limits: limitsOf(state.objective.constraints, settings),
    worst: worstCase(state, settings, { call_timeout_ms: DEFAULT_CALL_MS, spent_usd: memory.cost_usd }),
    position: live ? null : position,
    total: all.length,
    time: live ? (atWork ? now : last) : Date.parse(String(lines.at(-1)?.["time"] ?? "")),
  };
}

function learnt<T>(projection: Projection<T>, lines: readonly AnyLine[]): T {
  for (const line of lines) projection.read(line);
  return projection.now();
}
