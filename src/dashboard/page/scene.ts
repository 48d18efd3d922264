/** What the page shows of one loop: its present state, or its state after a line of its journal. */
import { createReported, sceneOf, type Scene, type Reported } from "../../view/scene.ts";
import type { AnyLine } from "../../core/journal-line.ts";
import type { LoopModel } from "./loop-model.ts";

export interface LiveScene extends Scene {
  readonly lines: readonly AnyLine[];
  /** After how many lines; null: now. */
  readonly position: number | null;
}

/** @param moment after how many lines, those left out included: so it stays when more are; null: now */
export function sceneAt(model: LoopModel, moment: number | null, now: number): LiveScene | null {
  const all = model.lines();
  const position = moment === null ? null : Math.max(0, moment - model.leftOut());
  const isLive = position === null || position >= all.length;
  const state = isLive ? model.state() : model.stateBehind(position);
  if (state === null) return null;
  const newest = timeOf(all.at(-1));
  const end = model.isAtWork() || newest === null ? now : newest;
  const whole = reportedBy(all);
  if (isLive) return { ...sceneOf(state, whole, { time: end, zone: "local" }), lines: all, position: null };
  const lines = all.slice(0, position);
  const shown = {
    time: timeOf(lines.at(-1)) ?? end,
    zone: "local",
    whole: { story: whole.story, time: end },
  } as const;
  return { ...sceneOf(state, reportedBy(lines), shown), lines, position };
}

function reportedBy(lines: readonly AnyLine[]): Reported {
  const reported = createReported();
  for (const line of lines) reported.read(line);
  return reported.now();
}

/** Milliseconds since 1970. */
function timeOf(line: AnyLine | undefined): number | null {
  const time = Date.parse(String(line?.["time"] ?? ""));
  return Number.isNaN(time) ? null : time;
}
