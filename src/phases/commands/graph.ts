import { readPhases } from "../answer.ts";
import { phaseMermaid, phaseNodes } from "../core/graph-text.ts";
import { failure } from "../../command/problem-text.ts";
import type { Run } from "../../command/spec.ts";
import { phaseFileOf } from "./answer.ts";

export const run: Run = (call) => {
  const file = phaseFileOf(call);
  if (!file.ok) return failure(file.problems);
  const read = readPhases(file.value.path);
  if (!read.ok) return failure(read.problems, file.value.shown);
  const { definition, loop } = read.value;
  const format = call.text("format") ?? "mermaid";
  const nodes = phaseNodes(definition, loop);
  if (format === "json") return { exit: 0, json: { success: true, nodes }, text: JSON.stringify({ nodes }, null, 2) };
  const text = phaseMermaid(definition, loop);
  return { exit: 0, json: { success: true, format, text, nodes }, text };
};
