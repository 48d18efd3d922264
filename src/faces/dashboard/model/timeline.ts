/**
 * Attempts as bars on slots, and the time that they stand on (SPEC sections 5 and 10). Pure.
 *
 * T1 two bars of one slot do not overlap; a bar takes the lowest slot that is free when it begins. It lasts as long as
 *    its agent is at work: while the result is integrated the slot is another one's;
 * T2 time between runs takes no room: a night's pause is a mark.
 */
type AnyLine = Readonly<Record<string, unknown>>;

export type BarEnd =
  | "running"
  | "integrating"
  | "integrated"
  | "failed"
  | "aborted"
  | "split"
  | "probed"
  | "unavailable";

export interface Bar {
  readonly attempt: string;
  readonly atom: string;
  readonly role: string;
  readonly iteration: number;
  /** From 0. */
  readonly slot: number;
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
  readonly end: BarEnd;
  readonly agent: string | null;
  readonly cost_usd: number | null;
  readonly tokens: number | null;
  /** What it came to, in words. */
  readonly words: string;
  readonly commit: string | null;
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
  readonly flags: readonly Flag[];
  readonly bars: readonly Bar[];
  readonly slots: number;
  /** Runs, in their order. */
  readonly runs: readonly Span[];
  /** Share of the runs' time in which each slot was at work. */
  readonly busy: readonly number[];
}

type Open = { -readonly [K in keyof Bar]: Bar[K] };

const ENDS: Readonly<Record<string, BarEnd>> = {
  attempt_integrated: "integrated",
  attempt_failed: "failed",
  split_refused: "failed",
  attempt_aborted: "aborted",
  attempt_discarded: "aborted",
  work_split: "split",
  probe_feasible: "probed",
  agent_unavailable: "unavailable",
};

/** @param now where bars end that have not: milliseconds since 1970 */
export function timelineOf(lines: readonly AnyLine[], now: number): Timeline {
  const bars: Open[] = [];
  const flags: Flag[] = [];
  const open = new Map<string, Open>();
  const runs: { from: number; to: number; over: boolean }[] = [];
  const close = (bar: Open, at: number, end: BarEnd): void => {
    if (bar.end === "running") bar.to = Math.max(at, bar.from);
    bar.end = end;
    open.delete(bar.attempt);
  };
  for (const line of lines) {
    const at = Date.parse(String(line["time"]));
    const event = String(line["event"]);
    if (Number.isNaN(at) || line["run"] === "by hand") continue;
    const run = runs.at(-1);
    if (event === "run_started") {
      for (const bar of open.values()) close(bar, run?.to ?? at, "aborted");
      if (run !== undefined) run.over = true;
      runs.push({ from: at, to: at, over: false });
      continue;
    }
    if (run === undefined) continue;
    if (!run.over) run.to = Math.max(run.to, at);
    const flag = flagOf(line, event);
    if (flag !== null) flags.push({ time: at, ...flag });
    const attempt = String(line["attempt"] ?? "");
    if (event === "attempt_started") {
      const taken = new Set([...open.values()].filter(({ end }) => end === "running").map((bar) => bar.slot));
      let slot = 0;
      while (taken.has(slot)) slot++;
      const bar: Open = { ...blank(line, attempt, at), slot };
      open.set(attempt, bar);
      bars.push(bar);
      continue;
    }
    const bar = open.get(attempt);
    if (bar !== undefined) learn(bar, line, event);
    if (bar !== undefined && event === "work_succeeded" && bar.end === "running") {
      bar.to = Math.max(at, bar.from);
      bar.end = "integrating";
    }
    const end = ENDS[event];
    if (bar !== undefined && end !== undefined) close(bar, at, end);
    if (event !== "run_ended") continue;
    run.over = true;
    for (const left of open.values()) close(left, at, "aborted");
  }
  const last = runs.at(-1);
  if (last !== undefined && !last.over) last.to = Math.max(last.to, now);
  for (const bar of open.values()) if (bar.end === "running") bar.to = Math.max(bar.from, last?.to ?? now);
  const slots = bars.reduce((most, bar) => Math.max(most, bar.slot + 1), 0);
  const whole = runs.reduce((sum, { from, to }) => sum + to - from, 0);
  const worked = Array.from({ length: slots }, () => 0);
  for (const { slot, from, to } of bars) worked[slot] = (worked[slot] ?? 0) + to - from;
  return {
    bars,
    flags: flags.slice(-MOST_FLAGS),
    slots,
    runs,
    busy: worked.map((ms) => (whole === 0 ? 0 : Math.min(1, ms / whole))),
  };
}

const MOST_FLAGS = 200;

function flagOf(line: AnyLine, event: string): Omit<Flag, "time"> | null {
  switch (event) {
    case "base_case_checked": {
      const passed = (line["verdict"] as { readonly passed?: unknown } | null | undefined)?.passed;
      if (passed === true) return { kind: "passed", words: "the base case holds" };
      return passed === false
        ? { kind: "failed", words: "the base case is not met" }
        : { kind: "undecided", words: "the base case is not decided" };
    }
    case "redirected":
      return { kind: "redirect", words: `redirected: ${String(line["description"] ?? "")}` };
    case "stop_requested":
      return { kind: "stop", words: `stop requested: ${String(line["reason"] ?? "")}` };
    default:
      return null;
  }
}

function blank(line: AnyLine, attempt: string, at: number): Omit<Bar, "slot"> {
  return {
    attempt,
    atom: String(line["atom"] ?? ""),
    role: String(line["role"] ?? "worker"),
    iteration: Number(line["iteration"] ?? 0),
    from: at,
    to: at,
    end: "running",
    agent: null,
    cost_usd: null,
    tokens: null,
    words: "",
    commit: null,
  };
}

function learn(bar: Open, line: AnyLine, event: string): void {
  const usage = line["usage"] as Readonly<Record<string, unknown>> | null | undefined;
  if (typeof usage?.["cost_usd"] === "number") bar.cost_usd = usage["cost_usd"];
  const tokens = Number(usage?.["input_tokens"] ?? 0) + Number(usage?.["output_tokens"] ?? 0);
  if (tokens > 0) bar.tokens = tokens;
  if (typeof line["agent"] === "string") bar.agent = line["agent"];
  if (event === "attempt_integrated" && typeof line["commit"] === "string") bar.commit = line["commit"];
  const words = line["summary"] ?? line["reason"] ?? line["findings"];
  if (typeof words === "string") bar.words = words;
}

// ── the axis ────────────────────────────────────────────────────────────────

export interface Tick {
  readonly at: number;
  readonly time: number;
  /** There is room for it on a narrow screen as well. */
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

/** T2. */
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
