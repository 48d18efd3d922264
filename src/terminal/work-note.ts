/** What is behind an atom that is running: since when, or what it waits for. Pure. */
import type { AttemptPart, WaitPart } from "../history/run-story.ts";
import { formatDuration } from "../core/fuel.ts";
import type { Style } from "./paint.ts";
import { oneLine } from "./verdict-text.ts";

export interface WorkNote {
  readonly text: string;
  readonly style: Style;
}

/** The parts of an attempt that a note is made of. */
export type NotedWork = Pick<AttemptPart, "role" | "from" | "wait">;
type NotedWait = WaitPart & { readonly to: number };

export function workNote({ role, from, wait }: NotedWork, now: number): WorkNote {
  if (isWaiting(wait, now)) return { text: waitText(wait, now), style: "yellow" };
  const who = role === "worker" || role === "" ? "" : ` ${oneLine(role)}`;
  return { text: `${seconds(now - from)}${who}`, style: "blue" };
}

export function isWaiting(wait: WaitPart | null, now: number): wait is NotedWait {
  return wait !== null && wait.to !== null && wait.to > now;
}

export function waitText({ to: until, reason }: NotedWait, now: number): string {
  const clock = new Date(until).toTimeString().slice(0, 5);
  return `waits ${seconds(until - now)} more, until ${clock}: ${oneLine(reason) || "the agent is not available"}`;
}

/** Whole seconds: a clock that shows tenths only flickers. */
export function seconds(ms: number): string {
  return ms < 1_000 ? "0s" : formatDuration(Math.floor(ms / 1_000) * 1_000);
}
