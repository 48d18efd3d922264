import { readStateFile } from "../../adapters/store/state-file.ts";
import { graphPicture, type PictureFormat } from "../../view/graph-picture.ts";
import { graphJson, type GraphJson } from "../../view/graph-text.ts";
import type { Call } from "../../command/call.ts";
import { graphLanes } from "../../terminal/graph-lanes.ts";
import { painterFor, plain } from "../../terminal/paint.ts";
import { failure } from "../../command/problem-text.ts";
import { screenOf } from "../../terminal/screen.ts";
import type { Run } from "../../command/spec.ts";
import { stateFileOf } from "../../command/state-file.ts";

const PICTURES: readonly PictureFormat[] = ["mermaid", "svg", "html"];

export const run: Run = async (call) => {
  const file = stateFileOf(call);
  const read = await readStateFile(file.path);
  if (!read.ok) return failure(read.problems, file.shown);
  const { state } = read.value;
  const format = call.text("format") ?? ((await isLookedAt(call)) ? "text" : "mermaid");
  const graph = graphJson(state);
  if (format === "json") return { exit: 0, json: { success: true, ...graph }, text: JSON.stringify(graph, null, 2) };
  const picture = PICTURES.find((one) => one === format);
  const text = picture === undefined ? await inText(graph, call) : await graphPicture(state, picture);
  return { exit: 0, json: { success: true, format, text, ...graph }, text };
};

async function isLookedAt({ io, json }: Call): Promise<boolean> {
  return !json && (await io.isTerminal(1));
}

async function inText(graph: GraphJson, call: Call): Promise<string> {
  if (!(await isLookedAt(call))) return graphLanes(graph, plain);
  return graphLanes(graph, await painterFor(call.io), screenOf(process.stdout).columns);
}
