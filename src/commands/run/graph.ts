import { readStateFile } from "../../adapters/store/state-file.ts";
import { dotText, graphJson, mermaidText } from "../../app/graph-text.ts";
import { failure } from "../problem-text.ts";
import type { Run } from "../spec.ts";
import { stateFileOf } from "../state-file.ts";

export const run: Run = async (call) => {
  const file = stateFileOf(call);
  const read = await readStateFile(file.path);
  if (!read.ok) return failure(read.problems, file.shown);
  const { state } = read.value;
  const format = call.text("format") ?? "mermaid";
  const graph = graphJson(state);
  if (format === "json") return { exit: 0, json: { success: true, ...graph }, text: JSON.stringify(graph, null, 2) };
  const text = format === "dot" ? dotText(state) : mermaidText(state);
  return { exit: 0, json: { success: true, format, text, ...graph }, text };
};
