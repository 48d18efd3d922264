/** `aot status` for a person: the graph, progress, fuel, the last events. Pure. */
import type { LoopStatus } from "../../app/loop-status.ts";
import { formatDuration } from "../../core/fuel.ts";
import { isContainer } from "../../core/graph.ts";
import { atomOf, clockOf, describeEvent, dollars } from "./event-text.ts";
import { graphTree, legend } from "./graph-tree.ts";
import type { Painter, Style } from "./paint.ts";
import { oneLine } from "./verdict-text.ts";

const STATUS_STYLES: Readonly<Record<string, Style>> = {
  pending: "yellow",
  running: "blue",
  stopped: "red",
  completed: "green",
};

/** @param most lines of the graph to show; the rest is counted */
export function statusText(status: LoopStatus, paint: Painter, most = Infinity): string {
  const { state } = status;
  const { control, objective } = state;
  const tree = graphTree(state, status.graph, status.ready, paint);
  const hidden = tree.lines.length - most;
  const shown = hidden > 0 ? [...tree.lines.slice(0, most), paint("dim", `... ${hidden} more lines`)] : tree.lines;
  const reason = control.stop_reason === null ? "" : `: ${oneLine(control.stop_reason)}`;
  const events = status.events.map((line) => {
    const { text, style } = describeEvent(line);
    const atom = atomOf(line);
    return `  ${paint("dim", clockOf(line))} ${atom === "" ? "" : `${atom} `}${style === undefined ? text : paint(style, text)}`;
  });
  return [
    paint("bold", oneLine(objective.goal)),
    `${paint(STATUS_STYLES[control.status] ?? "bold", control.status)}${reason}${runnerText(status)}`,
    "",
    ...shown,
    legend(tree.standings, paint),
    "",
    progressLine(status, paint),
    fuelLine(status),
    ...(events.length === 0 ? [] : ["", "last events", ...events]),
  ].join("\n");
}

function runnerText({ runner, state }: LoopStatus): string {
  if (runner !== null) return ` (run by pid ${runner.pid} on ${runner.host})`;
  return state.control.status === "running" ? " (no run is at work; `aot run` goes on)" : "";
}

const BAR_WIDTH = 24;

function progressLine(status: LoopStatus, paint: Painter): string {
  const { measure, resolved, graph } = status;
  const atoms = graph.ids.filter((_, index) => !isContainer(graph, index)).length;
  const total = resolved + measure;
  const filled = total === 0 ? BAR_WIDTH : Math.floor((resolved / total) * BAR_WIDTH);
  const bar = `${paint("green", "█".repeat(filled))}${paint("dim", "░".repeat(BAR_WIDTH - filled))}`;
  return `${bar} ${resolved} of ${atoms} atoms resolved, measure ${measure}`;
}

function fuelLine({ state, limits, cost_usd, active_ms, attempts }: LoopStatus): string {
  const { control, objective } = state;
  const cost = Number.isFinite(limits.max_cost_usd) ? ` of ${dollars(limits.max_cost_usd)}` : "";
  const time = Number.isFinite(limits.max_duration_ms) ? ` of ${formatDuration(limits.max_duration_ms)}` : "";
  return [
    `iteration ${control.iteration} of ${limits.max_iterations}`,
    `stall ${control.stall_count} of ${objective.constraints.max_stall_count}`,
    `attempts ${attempts}`,
    `cost ${dollars(cost_usd)}${cost}`,
    `time ${formatDuration(active_ms)}${time}`,
  ].join(", ");
}
