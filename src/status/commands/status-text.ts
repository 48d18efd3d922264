/** `aot status` for a person: the graph, progress, fuel, the last events. Pure. */
import type { LoopStatus } from "../loop-status.ts";
import { resolvedShare, resolvedWords } from "../../view/standing.ts";
import { controlSentence } from "../../history/outcome-words.ts";
import { formatDuration } from "../../core/fuel.ts";
import { atomOf } from "../../core/journal-line.ts";
import { choicesIn } from "../../view/choices.ts";
import { UNSTATED, type State } from "../../core/state.ts";
import { describeCheck, leavesOf } from "../../core/verdict.ts";
import { clip, fitting } from "../../terminal/clip.ts";
import { callsWords, costWords } from "../../view/words.ts";
import { checkRunWords, clockOf, describeEvent, lastTime } from "../../terminal/event-text.ts";
import { graphTree, legend } from "../../terminal/graph-tree.ts";
import type { Painter, Style } from "../../terminal/paint.ts";
import { NARROW_BAR, progressBar, WIDE_BAR } from "../../terminal/progress-bar.ts";
import { seconds } from "../../terminal/work-note.ts";
import type { Screen } from "../../terminal/screen.ts";
import { oneLine } from "../../terminal/verdict-text.ts";

const STATUS_STYLES: Readonly<Record<string, Style>> = {
  pending: "yellow",
  running: "blue",
  stopped: "red",
  completed: "green",
};

/** Rows beside the graph and the events. */
const FIXED_ROWS = 8;
const LEAST_GRAPH_ROWS = 4;

/** @param screen what the text has to fit on: a long description makes room, then the events, then the graph */
export function statusText(status: LoopStatus, paint: Painter, screen: Screen | null): string {
  const { state } = status;
  const { control, objective } = state;
  const { columns, rows } = screen ?? { columns: Infinity, rows: Infinity };
  const events = eventLines(status, paint, columns);
  const reported = rows - FIXED_ROWS - events.length >= LEAST_GRAPH_ROWS ? events : [];
  const tree = graphTree({ state, graph: status.graph, ready: status.ready }, paint, {
    columns,
    rows: Math.max(1, rows - FIXED_ROWS - reported.length),
    cut_off: status.cut_off,
    work: (atom) => {
      const work = status.working.find((one) => one.atom === atom);
      return work === undefined ? undefined : { ...work, now: status.read_at };
    },
  });
  const asked = control.status === "running" && control.stop_requested ? ", a stop is requested" : "";
  const { words, reason } = controlSentence({ ...control, stop_reason: oneLine(control.stop_reason ?? "") });
  return [
    paint("bold", oneLine(objective.goal)),
    `${paint(STATUS_STYLES[control.status] ?? "bold", words)}${asked}${reason}${runnerText(status)}`,
    "",
    ...tree.lines,
    legend(tree.standings, paint),
    "",
    progressLine(status, paint, columns),
    fuelLine(status, columns),
    ...checkLine(status),
    ...(rows === Infinity ? ["", ...aboutLines(state, paint, columns)] : []),
    ...reported,
  ].join("\n");
}

const NEWEST = 3;
const ABOUT_WIDTH = 160;

/** What the loop is about and what was chosen and changed, a line each: the newest of several. */
function aboutLines(state: State, paint: Painter, columns: number): readonly string[] {
  const { objective, corrections } = state;
  const leaves = leavesOf(objective.base_case);
  const checks = leaves.map(({ item, check }) => {
    const what = describeCheck(check);
    return item === what ? what : `${item} (${what})`;
  });
  const choices = choicesIn(state).map((entry) =>
    "or_group" in entry ? `${entry.or_group}: ${entry.selected} (${entry.reason})` : entry.reason,
  );
  const { deliverables } = objective;
  const parts: readonly (readonly [string, readonly string[]])[] = [
    ["base case", checks],
    ["deliverables", deliverables === UNSTATED ? [] : [deliverables]],
    ["choices", choices],
    ["redirects", corrections.map(({ description }) => description)],
  ];
  const width = Math.min(columns, ABOUT_WIDTH);
  return parts.flatMap(([name, entries]) => {
    if (entries.length === 0) return [];
    const isHistory = name === "choices" || name === "redirects";
    const shown = isHistory ? entries.slice(-NEWEST) : entries.slice(0, NEWEST);
    const more = entries.length > NEWEST ? [`${entries.length - NEWEST} more in \`aot state show\``] : [];
    return [...shown, ...more].map((entry, place) =>
      clip(`${place === 0 ? paint("dim", name.padEnd(ABOUT_NAME)) : " ".repeat(ABOUT_NAME)}${oneLine(entry)}`, width),
    );
  });
}

const ABOUT_NAME = 14;

function eventLines({ events }: LoopStatus, paint: Painter, columns: number): readonly string[] {
  if (events.length === 0) return [];
  const lines = events.map((line) => {
    const { text, style } = describeEvent(line);
    const atom = atomOf(line);
    const words = `  ${paint("dim", clockOf(line.time))} ${atom === "" ? "" : `${atom} `}${style === undefined ? text : paint(style, text)}`;
    return columns === Infinity ? words : clip(words, columns);
  });
  return ["", "last events", ...lines];
}

function runnerText({ runner, session, state }: LoopStatus): string {
  if (runner !== null) return ` (run by pid ${runner.pid} on ${runner.host})`;
  if (session?.standing === "at_work" || session?.standing === "untold")
    return ` (worked by session ${session.session})`;
  if (session !== null) return ` (session ${session.session} was cut off; \`aot run\` or /aot-loop:run goes on)`;
  return state.control.status === "running" ? " (no run is active; `aot run` goes on)" : "";
}

function progressLine(status: LoopStatus, paint: Painter, columns: number): string {
  const progress = { resolved: status.resolved, left: status.measure };
  const words = `${resolvedWords(progress)}, ${progress.left} left`;
  const width = columns > WIDE_BAR + words.length + 1 ? WIDE_BAR : NARROW_BAR;
  const bar = progressBar(resolvedShare(progress), width, paint);
  return columns > width + words.length + 1 ? `${bar} ${words}` : words;
}

/** Milliseconds: the journal's last line is as long ago, and an active run has worked since. */
function sinceLastEvent({ runner, events, read_at }: LoopStatus): number {
  const last = runner === null ? Number.NaN : Date.parse(String(events.at(-1)?.time));
  return Number.isNaN(last) ? 0 : Math.max(0, read_at - last);
}

function checkLine({ checking, read_at }: LoopStatus): readonly string[] {
  if (checking === null) return [];
  return [`check runs: ${checkRunWords(checking)}, for ${seconds(read_at - checking.from)}${lastTime(checking)}`];
}

function fuelLine(status: LoopStatus, columns: number): string {
  const { state, limits, cost_usd, tokens, active_ms, attempts, other_calls } = status;
  const { control, objective } = state;
  const worked = active_ms + sinceLastEvent(status);
  const money = costWords(cost_usd, limits.max_cost_usd);
  const time = Number.isFinite(limits.max_duration_ms) ? ` of ${formatDuration(limits.max_duration_ms)}` : "";
  const parts = [
    `iteration ${control.iteration} of ${limits.max_iterations}`,
    `stall ${control.stall_count} of ${objective.constraints.max_stall_count}`,
    callsWords(attempts, other_calls),
    cost_usd === 0 ? money : `cost ${money}`,
    ...(tokens === 0 ? [] : [`tokens ${tokens}`]),
    `time ${formatDuration(worked)}${time}`,
  ];
  const whole = parts.join(", ");
  if (whole.length < columns) return whole;
  const [iteration = "", ...others] = parts;
  // Without space for all, what a person would ask for first.
  const spent = [...(cost_usd === 0 ? [] : [money]), `${formatDuration(worked)}${time}`];
  return fitting([iteration, ...spent, ...others.slice(0, 2)], columns - 1);
}
