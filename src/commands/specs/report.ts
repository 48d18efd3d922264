/** Row of `aot report`. */
import { LOOP_PAGE } from "../page-names.ts";
import type { CommandSpec, FlagSpec } from "../spec.ts";

/** Where a page is written. @param fallback the file's name where it is not given */
export function outputFlag(fallback: string): FlagSpec {
  return {
    name: "output",
    type: "text",
    value: "FILE",
    summary: "Where to write it; - prints it.",
    fallback: `${fallback} in this folder`,
  };
}

export const REPORT: CommandSpec = {
  name: "report",
  summary: "Write what happened as one HTML file: goal, verdict with evidence, graph, timeline, cost.",
  description: [
    "Of a finished loop or an unfinished one, from its state file and its journal. The file loads nothing and runs nothing: it can be sent, kept or attached to a CI run.",
  ],
  flags: [outputFlag(LOOP_PAGE)],
  examples: [
    { command: "aot report", note: `${LOOP_PAGE}, to be opened in a browser` },
    { command: "aot report --output report.html", note: "under a name of its own" },
  ],
  effect: "changes",
  settles: true,
  load: () => import("../run/report.ts"),
};
