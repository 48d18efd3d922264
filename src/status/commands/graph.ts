import { readStateFile } from "../../adapters/store/state-file.ts";
import { graphJson, mermaidText } from "../../view/graph-text.ts";
import { failure } from "../../command/problem-text.ts";
import type { Run } from "../../command/spec.ts";
import { stateFileOf } from "../../command/state-file.ts";

export const run: Run = async (call) => {
  const file = stateFileOf(call);
  const read = await readStateFile(file.path);
  if (!read.ok) return failure(read.problems, file.shown);
  const { state } = read.value;
  const graph = graphJson(state);
  const format = call.text("format") ?? "mermaid";
  if (format === "json") return { exit: 0, json: { success: true, ...graph }, text: JSON.stringify(graph, null, 2) };
  const text = mermaidText(state);
  return { exit: 0, json: { success: true, format, text, ...graph }, text };
};
