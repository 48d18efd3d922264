import { relative } from "node:path";
import { readHistory } from "../../app/phases/phase-history.ts";
import { workFile } from "../../app/phases/phase-work.ts";
import { readPhases } from "../../app/phases/phases.ts";
import type { PhaseHistory } from "../../phases/history.ts";
import type { PhaseLoop } from "../../phases/state.ts";
import { phaseNodes } from "../../phases/graph-text.ts";
import { painterFor, type Style } from "../paint.ts";
import { failure } from "../problem-text.ts";
import type { Run } from "../spec.ts";
import { loopJson, nextText, phaseFileOf } from "./phases-answer.ts";

const STYLES: Readonly<Record<string, Style>> = {
  active: "blue",
  complete: "green",
  passed: "green",
  skipped: "yellow",
  failed: "red",
  pending: "dim",
};

export const run: Run = async (call) => {
  const file = phaseFileOf(call);
  if (!file.ok) return failure(file.problems);
  const read = readPhases(file.value.path);
  if (!read.ok) return failure(read.problems, file.value.shown);
  const { definition, loop } = read.value;
  const paint = await painterFor(call.io);
  const nodes = phaseNodes(definition, loop);
  const width = Math.max(...nodes.map(({ kind, name }) => name.length + (kind === "gate" ? 2 : 0)));
  const rows = nodes.map(({ kind, name, status, required, detail }) => {
    const shown = `${kind === "gate" ? "  " : ""}${name}`.padEnd(width);
    const more = `${detail}${required ? "" : `${detail === "" ? "" : ", "}optional`}`;
    return `${kind === "gate" ? " " : ""}${shown}${kind === "gate" ? "" : " "}  ${paint(STYLES[status] ?? "dim", status.padEnd(8))}  ${more}`.trimEnd();
  });
  const { answers, last_failure, works } = readHistory(file.value.path, definition);
  const error = loop.status === "failed" || loop.gates.some((gate) => gate.status === "failed") ? last_failure : null;
  return {
    exit: 0,
    json: {
      success: true,
      state_file: file.value.path,
      ...loopJson(definition, loop),
      error,
      answers,
      works: [...works.values()],
    },
    text: [
      paint("bold", `${loop.loop} ${loop.version} (${loop.mode}): ${loop.status}`),
      ...rows,
      ...metricLines(loop),
      ...(error === null ? [] : [`failed last: ${error}`]),
      ...workLines(file.value.path, works, loop, call.io.cwd),
      nextText(definition, loop),
    ].join("\n"),
  };
};

/** The loop that works a phase now, as one would look at it. */
function workLines(
  stateFile: string,
  works: PhaseHistory["works"],
  { phases, status }: PhaseLoop,
  cwd: string,
): readonly string[] {
  const phase = status === "active" ? phases.find((one) => one.status === "active") : undefined;
  const work = phase === undefined ? undefined : works.get(phase.name);
  if (work === undefined) return [];
  return [`its loop: \`aot status --state-file ${relative(cwd, workFile(stateFile, work.file))}\``];
}

function metricLines(loop: PhaseLoop): readonly string[] {
  return loop.metrics.length === 0
    ? []
    : [`metrics: ${loop.metrics.map(({ name, value }) => `${name} ${value}`).join(", ")}`];
}
