import { readStateFile } from "../../adapters/store/state-file.ts";
import { dotText, graphJson, mermaidText } from "../../app/graph-text.ts";
import type { State } from "../../core/state.ts";
import type { Call } from "../call.ts";
import { graphLanes } from "../graph-lanes.ts";
import { painterFor, plain } from "../paint.ts";
import { failure } from "../problem-text.ts";
import { screenOf } from "../screen.ts";
import type { Answer, Run } from "../spec.ts";
import { stateFileOf } from "../state-file.ts";

export const run: Run = async (call) => {
  const file = stateFileOf(call);
  const read = await readStateFile(file.path);
  if (!read.ok) return failure(read.problems, file.shown);
  const { state } = read.value;
  const format = call.text("format") ?? ((await isLookedAt(call)) ? "text" : "mermaid");
  const graph = graphJson(state);
  if (format === "json") return { exit: 0, json: { success: true, ...graph }, text: JSON.stringify(graph, null, 2) };
  const text = format === "text" ? await picture(state, call) : await drawn(state, format);
  const answer: Answer = { exit: 0, json: { success: true, format, text, ...graph }, text };
  return answer;
};

async function isLookedAt({ io, json }: Call): Promise<boolean> {
  return !json && (await io.isTerminal(1));
}

async function picture(state: State, call: Call): Promise<string> {
  const graph = graphJson(state);
  if (!(await isLookedAt(call))) return graphLanes(graph, plain);
  return graphLanes(graph, await painterFor(call.io), screenOf(process.stdout).columns);
}

async function drawn(state: State, format: string): Promise<string> {
  const { goal } = state.objective;
  switch (format) {
    case "dot":
      return dotText(state);
    // What lays a graph out is loaded only where it is wanted.
    case "svg":
      return (await import("../../app/graph-svg.ts")).graphSvg(graphJson(state), `Work graph: ${goal}`);
    case "html":
      return (await import("../../app/graph-html.ts")).graphHtml(graphJson(state), goal);
    default:
      return mermaidText(state);
  }
}
