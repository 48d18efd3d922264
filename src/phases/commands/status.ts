import { loopStatus, type LoopStatus } from "../../status/loop-status.ts";
import { phasesStatus, type PhasesStatus } from "../status.ts";
import type { Call } from "../../command/call.ts";
import { fold } from "../../terminal/fold.ts";
import { painterFor, type Painter, type Style } from "../../terminal/paint.ts";
import { failure, problemsText } from "../../command/problem-text.ts";
import { isScreen, screenOf, type Screen } from "../../terminal/screen.ts";
import type { Answer, Run } from "../../command/spec.ts";
import type { NamedFile } from "../../command/state-file.ts";
import { watchText } from "../../terminal/watch-text.ts";
import { loopJson, phaseFileOf, stepsHere, nextText } from "./answer.ts";
import { relative } from "node:path";
import { phaseNodes, type PhaseNode } from "../core/graph-text.ts";
import { clip } from "../../terminal/clip.ts";
import { statusText } from "../../status/commands/status-text.ts";
import { oneLine } from "../../terminal/verdict-text.ts";
import { printable } from "../../view/words.ts";

export const run: Run = async (call) => {
  const file = phaseFileOf(call);
  if (!file.ok) return failure(file.problems);
  if (call.isSet("watch")) return await watch(call, file.value);
  const read = phasesStatus(file.value.path);
  if (!read.ok) return failure(read.problems, file.value.shown);
  const { definition, loop, error, halted, answers, works, runner } = read.value;
  const text = stepsHere(phasesText(read.value, await painterFor(call.io), call.io.cwd), call);
  return {
    exit: 0,
    json: {
      success: true,
      state_file: file.value.path,
      ...loopJson(definition, loop),
      error,
      halted,
      answers,
      works,
      runner,
    },
    text: (await isScreen(call.io, 1)) ? fold(text, screenOf(process.stdout).columns) : text,
  };
};

async function watch(call: Call, { path, shown }: NamedFile): Promise<Answer> {
  return await watchText(call, "aot phases status", async (paint, screen) => {
    const read = phasesStatus(path);
    if (!read.ok) return problemsText(read.problems, shown);
    const work = read.value.work === null ? null : await loopStatus(read.value.work);
    return phasesPicture(read.value, work?.ok === true ? work.value : null, paint, screen);
  });
}

const STYLES: Readonly<Record<string, Style>> = {
  active: "blue",
  complete: "green",
  passed: "green",
  skipped: "yellow",
  failed: "red",
  pending: "dim",
};

/** What `--json` has beside the loop is not in it. @param cwd the loop that works a phase is named from there */
function phasesText(status: PhasesStatus, paint: Painter, cwd: string): string {
  const { definition, loop, runner } = status;
  const work = status.work === null ? [] : [`its loop: \`aot status --state-file ${relative(cwd, status.work)}\``];
  return [
    headLine(status, paint),
    ...nodeLines(phaseNodes(definition, loop), paint),
    ...metricLine(status),
    ...failureLine(status),
    ...haltLine(status),
    ...work,
    ...(runner === null ? [nextText(definition, loop)] : []),
  ].join("\n");
}

/** As `phasesText`, with the loop that works a phase below. @param screen what the text has to fit on */
function phasesPicture(status: PhasesStatus, work: LoopStatus | null, paint: Painter, screen: Screen | null): string {
  const { definition, loop, runner } = status;
  const { columns, rows } = screen ?? { columns: Infinity, rows: Infinity };
  const nodes = phaseNodes(definition, loop);
  const below = work === null ? 0 : Math.min(rows >> 1, LEAST_WORK_ROWS);
  // What to type has to be read whole.
  const next = runner === null ? fold(nextText(definition, loop), columns).split("\n") : [];
  const short = [...metricLine(status), ...failureLine(status), ...haltLine(status)];
  const room = Math.max(1, rows - 2 - short.length - next.length - below);
  const fitted = [headLine(status, paint), ...around(nodes, nodeLines(nodes, paint), room), ...short];
  const lines = [...fitted.map((line) => (columns === Infinity ? line : clip(line, columns))), ...next];
  if (work === null) return lines.join("\n");
  const rest = screen === null ? null : { columns, rows: Math.max(1, rows - lines.length - 1) };
  return [...lines, "", statusText(work, paint, rest)].join("\n");
}

/** What the loop of a phase gets at most while the phases themselves have no space. */
const LEAST_WORK_ROWS = 14;

function headLine({ loop, runner }: PhasesStatus, paint: Painter): string {
  const { loop: id, version, mode, status } = loop;
  const who = runner === null ? "" : `, worked by pid ${runner.pid} on ${runner.host}`;
  return `${paint("bold", printable(`${id} ${version} (${mode}): ${status}`))}${who}`;
}

function nodeLines(nodes: readonly PhaseNode[], paint: Painter): readonly string[] {
  const shown = nodes.map((node) => ({ ...node, name: printable(node.name), detail: printable(node.detail) }));
  const width = Math.max(...shown.map(({ kind, name }) => name.length + (kind === "gate" ? 2 : 0)));
  return shown.map(({ kind, name, status, required, detail }) => {
    const named = `${kind === "gate" ? "  " : ""}${name}`.padEnd(width);
    const more = `${detail}${required ? "" : `${detail === "" ? "" : ", "}optional`}`;
    return `${kind === "gate" ? " " : ""}${named}${kind === "gate" ? "" : " "}  ${paint(STYLES[status] ?? "dim", status.padEnd(8))}  ${more}`.trimEnd();
  });
}

/** At most that many lines, those around the current phase. */
function around(nodes: readonly PhaseNode[], lines: readonly string[], most: number): readonly string[] {
  if (lines.length <= most) return lines;
  const here = nodes.findIndex(({ status }) => status === "active" || status === "pending" || status === "failed");
  const room = Math.max(1, most - 2);
  const from = Math.max(0, Math.min((here < 0 ? lines.length : here) - (room >> 1), lines.length - room));
  const after = lines.length - from - room;
  return [
    ...(from === 0 ? [] : [`... ${from} before`]),
    ...lines.slice(from, from + room),
    ...(after === 0 ? [] : [`... ${after} more`]),
  ];
}

function metricLine({ loop }: PhasesStatus): readonly string[] {
  return loop.metrics.length === 0
    ? []
    : [printable(`metrics: ${loop.metrics.map(({ name, value }) => `${name} ${value}`).join(", ")}`)];
}

function failureLine({ error }: PhasesStatus): readonly string[] {
  return error === null ? [] : [printable(`failed last: ${error}`)];
}

/** What holds up a phase; at a gate, and behind the end, the next step says it all. */
function haltLine({ loop, halted }: PhasesStatus): readonly string[] {
  const isWorked = loop.status === "active" && loop.phases.some(({ status }) => status === "active");
  return halted !== null && isWorked ? [`the last run came to rest: ${oneLine(halted, 400)}`] : [];
}
