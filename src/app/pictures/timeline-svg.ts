/**
 * Who worked when: one row for each slot, one bar for each attempt, as an SVG element. Time in which no run was at
 * work is left out. Pure.
 */
import { counted } from "../counted.ts";
import { formatDuration } from "../../core/fuel.ts";
import { markupText } from "./markup.ts";
import type { AttemptPart, RunStory, TimeSpan } from "../run/run-story.ts";

const WIDTH = 1_000;
const LEFT = 58;
const ROW = 30;
const BAR = 22;
const TOP = 8;
const AXIS = 26;
/** Narrower than this there is no room for a name. */
const NAMED_FROM = 34;

export const TIMELINE_STYLE = `
.aot-time{font:12px system-ui,sans-serif}.aot-time text{fill:var(--ink)}.aot-time .soft{fill:var(--soft)}.aot-time .lane{fill:var(--panel)}
.aot-time .rule{stroke:var(--line);stroke-width:1}.aot-time .cut{stroke:var(--soft);stroke-width:1.5;stroke-dasharray:2 3}
.aot-time .bar{fill:var(--soft)}.aot-time .integrated .bar,.aot-time .feasible .bar{fill:var(--good)}.aot-time .failed .bar,.aot-time .unavailable .bar{fill:var(--bad)}.aot-time .split .bar{fill:var(--mark)}.aot-time .open .bar{fill:var(--run)}
.aot-time .bar{fill-opacity:.3;stroke-width:1.3;stroke:var(--soft)}.aot-time .integrated .bar,.aot-time .feasible .bar{stroke:var(--good)}.aot-time .failed .bar,.aot-time .unavailable .bar{stroke:var(--bad);stroke-dasharray:4 2}.aot-time .open .bar{stroke:var(--run)}.aot-time .split .bar{stroke:var(--mark)}
.aot-time .wait{fill:var(--warn);fill-opacity:.75}.aot-time .check{fill:var(--mark)}
`.trim();

/** A status is told by its mark, too. */
export const END_MARKS: Readonly<Record<NonNullable<AttemptPart["end"]> | "open", readonly [string, string]>> = {
  integrating: ["▶", "being integrated"],
  integrated: ["✓", "integrated"],
  feasible: ["✓", "feasible"],
  failed: ["✗", "failed"],
  split: ["▾", "split"],
  aborted: ["–", "aborted"],
  discarded: ["–", "discarded"],
  unavailable: ["!", "agent not available"],
  open: ["▶", "at work"],
};

/** Empty: nothing was attempted yet. */
export function timelineSvg(story: RunStory): string {
  if (story.attempts.length === 0) return "";
  const axis = axisOf(story);
  const slots = Math.max(...story.attempts.map(({ slot }) => slot)) + 1;
  const bottom = TOP + slots * ROW;
  const height = bottom + AXIS;
  const lanes = Array.from({ length: slots }, (_, slot) => {
    const y = TOP + slot * ROW;
    return `<rect class="lane" x="${LEFT}" y="${y}" width="${WIDTH - LEFT - 8}" height="${ROW - 4}" rx="3"/><text class="soft" x="4" y="${y + 17}">slot ${slot + 1}</text>`;
  });
  const idle = idleShare(story, slots, axis);
  const words = `${counted(story.attempts.length, "attempt")} in ${counted(slots, "slot")}, ${formatDuration(axis.length)} of work, slots idle ${idle} % of it`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="aot-time" role="img" aria-labelledby="aot-time-title aot-time-desc" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}">`,
    '<title id="aot-time-title">Timeline of attempts by slot</title>',
    `<desc id="aot-time-desc">${markupText(words)}</desc>`,
    ...lanes,
    ...ticks(axis, bottom),
    ...story.attempts.map((attempt) => bar(attempt, axis, story.last)),
    ...story.waits.map((wait) => waitMark(wait, story, axis)),
    ...story.checks.map(({ from }) => {
      const x = axis.at(from);
      return `<path class="check" d="M${x} ${bottom - 2}l5 8h-10Z"><title>base case checked</title></path>`;
    }),
    "</svg>",
  ].join("\n");
}

interface Axis {
  /** Working time, milliseconds. */
  readonly length: number;
  /** Where a moment stands, pixels. */
  at(time: number): number;
  /** Where one run ends and the next begins. */
  readonly cuts: readonly number[];
}

function axisOf({ runs, attempts, last }: RunStory): Axis {
  const known: readonly TimeSpan[] = runs.length > 0 ? runs : attempts;
  const spans = known.map(({ from, to }) => ({ from, to: Math.max(from + 1, to ?? last) }));
  const length = spans.reduce((sum, { from, to }) => sum + to - from, 0);
  const place = (worked: number): number => tenths(LEFT + (worked / Math.max(1, length)) * (WIDTH - LEFT - 8));
  const worked = (time: number): number =>
    spans.reduce((sum, { from, to }) => sum + Math.min(Math.max(0, time - from), to - from), 0);
  return {
    length,
    at: (time) => place(worked(time)),
    cuts: spans.slice(0, -1).map(({ to }) => place(worked(to))),
  };
}

function bar(attempt: AttemptPart, axis: Axis, last: number): string {
  const x = axis.at(attempt.from);
  const width = Math.max(2, tenths(axis.at(attempt.to ?? last) - x));
  const y = TOP + attempt.slot * ROW + 2;
  const [mark, words] = END_MARKS[attempt.end ?? "open"];
  const label = `${mark} ${attempt.atom}`;
  const room = Math.floor((width - 6) / 7);
  const name = width < NAMED_FROM ? "" : Array.from(label).slice(0, room).join("");
  const took = formatDuration(Math.max(0, (attempt.to ?? last) - attempt.from));
  const told = attempt.words === "" ? "" : `: ${attempt.words}`;
  return `<g class="${attempt.end ?? "open"}"><title>${markupText(`${attempt.attempt}, ${attempt.role}, ${words} after ${took}${told}`)}</title><rect class="bar" x="${x}" y="${y}" width="${width}" height="${BAR}" rx="3"/>${name === "" ? "" : `<text x="${tenths(x + 4)}" y="${y + 15}">${markupText(name)}</text>`}</g>`;
}

function waitMark({ who, attempt, reason, from, to }: RunStory["waits"][number], story: RunStory, axis: Axis): string {
  const slot = story.attempts.find((one) => one.attempt === attempt)?.slot ?? 0;
  const x = axis.at(from);
  const width = Math.max(2, tenths(axis.at(to ?? from) - x));
  return `<rect class="wait" x="${x}" y="${TOP + slot * ROW + BAR - 1}" width="${width}" height="3"><title>${markupText(`${who} waited: ${reason}`)}</title></rect>`;
}

const STEPS_MS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 21_600, 43_200, 86_400].map(
  (seconds) => seconds * 1_000,
);
const MOST_TICKS = 8;

function ticks({ length, cuts }: Axis, bottom: number): string[] {
  const least = length / MOST_TICKS;
  const step = STEPS_MS.find((ms) => ms >= least) ?? least;
  const marks: string[] = [];
  for (let ms = 0; ms <= length && marks.length <= MOST_TICKS + 1; ms += step) {
    const x = tenths(LEFT + (ms / Math.max(1, length)) * (WIDTH - LEFT - 8));
    marks.push(
      `<path class="rule" d="M${x} ${TOP}V${bottom}"/><text class="soft" x="${Math.min(x, WIDTH - 48)}" y="${bottom + 18}">${ms === 0 ? "0" : shortTime(ms)}</text>`,
    );
  }
  return [
    ...marks,
    ...cuts.map((x) => `<path class="cut" d="M${x} ${TOP - 4}V${bottom}"><title>another run</title></path>`),
  ];
}

/** `90000` as "1m 30s", `120000` as "2m". */
function shortTime(ms: number): string {
  return formatDuration(ms).replace(/ 0[sm]$/, "");
}

function idleShare({ attempts, last }: RunStory, slots: number, { length }: Axis): number {
  const busy = attempts.reduce((sum, { from, to }) => sum + Math.max(0, (to ?? last) - from), 0);
  return Math.max(0, Math.round((1 - busy / Math.max(1, slots * length)) * 100));
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}
