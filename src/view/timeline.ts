/**
 * Attempts as bars on slots, and the time that they stand on (SPEC sections 5 and 10). Pure.
 *
 * TIMELINE-1 two bars of one slot do not overlap; the story says which slot an attempt has, and until when;
 * TIMELINE-2 time between runs takes no space: a long pause is a mark.
 */
import type { AttemptPart, RunStory } from "../history/run-story.ts";
import { verdictWords } from "./standing.ts";

export interface Bar extends Omit<AttemptPart, "to" | "end"> {
  readonly to: number;
  readonly end: NonNullable<AttemptPart["end"]> | "running";
}

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** What happened to the loop as a whole. */
export interface Flag {
  readonly time: number;
  readonly kind: "passed" | "failed" | "undecided" | "redirect" | "stop";
  readonly words: string;
}

export interface Timeline {
  readonly bars: readonly Bar[];
  /** What happened to the loop as a whole; the newest. */
  readonly flags: readonly Flag[];
  readonly slots: number;
  /** Runs, in their order. */
  readonly runs: readonly Span[];
  /** Share of the runs' time in which each slot was in use. */
  readonly busy: readonly number[];
}

const MOST_FLAGS = 200;

/** @param now where bars and runs end that have not: milliseconds since 1970 */
export function timelineOf(story: RunStory, now: number): Timeline {
  const over = ({ from, to }: { readonly from: number; readonly to: number | null }): Span => {
    return { from, to: Math.max(from, to ?? now) };
  };
  const bars = story.attempts.map((attempt): Bar => ({ ...attempt, ...over(attempt), end: attempt.end ?? "running" }));
  const runs = story.runs.map(over);
  const whole = runs.reduce((sum, { from, to }) => sum + to - from, 0);
  const slots = bars.reduce((most, { slot }) => Math.max(most, slot + 1), 0);
  const worked = Array.from({ length: slots }, () => 0);
  for (const { slot, from, to } of bars) worked[slot] = (worked[slot] ?? 0) + to - from;
  const busy = worked.map((ms) => (whole === 0 ? 0 : Math.min(1, ms / whole)));
  return { bars, flags: flagsOf(story), slots, runs, busy };
}

function flagsOf({ checks, notes }: RunStory): readonly Flag[] {
  const flags: Flag[] = checks.map(({ time, passed }) => {
    const kind = passed === null ? "undecided" : passed ? "passed" : "failed";
    return { time, kind, words: `base case ${verdictWords(passed).words}` };
  });
  for (const { time, event, words } of notes) {
    if (event === "redirected") flags.push({ time, kind: "redirect", words });
    if (event === "stop_requested") flags.push({ time, kind: "stop", words });
  }
  return flags.sort((a, b) => a.time - b.time).slice(-MOST_FLAGS);
}

// ── the axis ────────────────────────────────────────────────────────────────

export interface Tick {
  readonly at: number;
  readonly time: number;
  /** There is space for it on a narrow screen as well. */
  readonly main: boolean;
}

export interface Axis {
  /** Share of the width, 0 to 1. */
  at(time: number): number;
  /** The time at a share of the width. */
  timeAt(share: number): number;
  readonly ticks: readonly Tick[];
  /** Where one run ends and the next begins. */
  readonly breaks: readonly number[];
}

/** Of the whole width, for each pause between runs. */
const PAUSE = 0.012;
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 43_200, 86_400].map(
  (s) => s * 1_000,
);
const MOST_TICKS = 8;
/** What a label takes of the width, and of a narrow screen's. */
const LABEL = 0.07;
const NARROW_LABEL = 0.27;

/** TIMELINE-2. */
export function axisOf(runs: readonly Span[]): Axis {
  const spans = runs.length === 0 ? [{ from: 0, to: 1 }] : runs;
  const whole = Math.max(
    1,
    spans.reduce((sum, { from, to }) => sum + to - from, 0),
  );
  const pause = Math.min(PAUSE, 0.3 / spans.length);
  const room = 1 - pause * (spans.length - 1);
  let before = 0;
  const placed = spans.map(({ from, to }, index) => {
    const at = (before / whole) * room + index * pause;
    before += to - from;
    return { from, to, at, width: ((to - from) / whole) * room };
  });
  const at = (time: number): number => {
    let share = 0;
    for (const span of placed) {
      if (time < span.from) break;
      share =
        span.at + (span.to === span.from ? 0 : Math.min(1, (time - span.from) / (span.to - span.from)) * span.width);
    }
    return Math.min(1, share);
  };
  const timeAt = (share: number): number => {
    const span = placed.findLast((one) => one.at <= share) ?? placed[0];
    if (span === undefined) return 0;
    return span.width === 0
      ? span.from
      : span.from + Math.min(1, (share - span.at) / span.width) * (span.to - span.from);
  };
  const step = STEPS.find((ms) => whole / ms <= MOST_TICKS) ?? whole / MOST_TICKS;
  const ticks = placed.flatMap((span) => {
    const found: { at: number; time: number }[] = [];
    for (let time = Math.ceil(span.from / step) * step; time <= span.to; time += step)
      found.push({ at: at(time), time });
    return found;
  });
  const shown = apart(ticks, LABEL);
  const main = new Set(apart(shown, NARROW_LABEL));
  return {
    at,
    timeAt,
    ticks: shown.map((tick) => ({ ...tick, main: main.has(tick) })),
    breaks: placed.slice(1).map((span) => span.at - pause / 2),
  };
}

/**
 * Those whose labels do not overlap and do not pass the right edge. The first one's begins at its tick, the others'
 * are centred. @param label share of the width
 */
function apart<T extends { readonly at: number }>(ticks: readonly T[], label: number): readonly T[] {
  const kept: T[] = [];
  for (const tick of ticks) {
    const before = kept.at(-1);
    const fits = before === undefined ? tick.at <= 1 - label : tick.at <= 1 - label / 2;
    if (fits && (before === undefined || tick.at - before.at >= (kept.length === 1 ? 1.5 : 1) * label)) kept.push(tick);
  }
  return kept;
}
