/** Rows of the commands that show a loop. */
import type { AnyLine } from "../../core/journal-line.ts";
import type { EventWords } from "../../terminal/event-text.ts";
import type { Engines } from "../../history/extensions.ts";
import type { ArgumentSpec, CommandSpec } from "../../command/spec.ts";

export const STATUS: CommandSpec = {
  name: "status",
  summary: "Show the graph, progress, fuel and the last events.",
  flags: [{ name: "watch", summary: "Keep it up to date until Ctrl-C.", unattended: "absent" }],
  examples: [
    { command: "aot status", note: "what is the state of the loop?" },
    { command: "aot status --watch", note: "follow it" },
  ],
  effect: "reads",
  answers: {
    status: ["string"],
    outcome: ["string", "null"],
    stop_reason: ["string", "null"],
    iteration: ["integer"],
    measure: ["integer"],
    resolved_atoms: ["integer"],
    executable_atoms: ["array"],
    atoms: ["array"],
    bindings: ["object"],
    objective: ["object"],
    runner: ["object", "null"],
    working: ["array"],
    checking: ["object", "null"],
    fuel: ["object"],
    events: ["array"],
  },
  load: () => import("./status.ts"),
};

const ATTEMPT_ARGS: readonly ArgumentSpec[] = [
  { name: "atom", summary: "The atom, or the attempt (`A1.2`).", optional: true },
  { name: "attempt", summary: "Number of the attempt; else its newest.", optional: true },
];

/** @param load what says what a line means */
export const logsCommand = (engines: Engines, load: () => Promise<(line: AnyLine) => EventWords>): CommandSpec => ({
  name: "logs",
  summary: "Show what happened; with an atom, what its agent printed.",
  description: [
    "Instead of an atom a check's log can be named; a name that is not there lists those that are. Of a long one its end is shown.",
  ],
  args: ATTEMPT_ARGS,
  flags: [
    { name: "events", summary: "What happened to the atom, instead of what was printed." },
    { name: "follow", summary: "Keep showing what happens until Ctrl-C.", unattended: "absent" },
    { name: "last", type: "integer", value: "N", min: 1, summary: "Only the newest N lines." },
  ],
  examples: [
    { command: "aot logs --last 20", note: "the newest twenty events" },
    { command: "aot logs A4", note: "what the newest attempt on A4 printed" },
    { command: "aot logs A4 --follow", note: "watch one atom" },
  ],
  effect: "reads",
  answers: { lines: ["array"], skipped: ["integer"], attempt: ["string"], text: ["string"] },
  load: async () => ({ run: (await import("./logs.ts")).logsWith(engines, await load()) }),
});

export const DIFF: CommandSpec = {
  name: "diff",
  summary: "Show what an attempt changed, a failed one too.",
  description: ["Without an atom: which attempts changed something; if that is one, its changes."],
  args: ATTEMPT_ARGS,
  examples: [{ command: "aot diff A1", note: "the newest attempt of an atom" }],
  effect: "reads",
  answers: { attempt: ["string"], end: ["string", "null"], files: ["array"], patch: ["string"] },
  load: () => import("./diff.ts"),
};

export const GRAPH: CommandSpec = {
  name: "graph",
  summary: "Draw the work graph.",
  description: ["Dependencies are above what needs them. `aot report` shows them as a picture."],
  flags: [
    {
      name: "format",
      value: "FORMAT",
      choices: ["mermaid", "json"],
      summary: "Output format.",
      fallback: "mermaid",
    },
  ],
  examples: [
    { command: "aot graph", note: "a Mermaid flowchart; `aot status` shows the work as a tree" },
    { command: "aot graph --format json", note: "for other programs" },
  ],
  effect: "reads",
  load: () => import("./graph.ts"),
};

/** The default name of a report. */
const LOOP_PAGE = "aot-report.html";

export const reportCommand = (engines: Engines): CommandSpec => ({
  name: "report",
  summary: "Write what happened as one HTML file: goal, verdict with evidence, graph, timeline, cost.",
  description: [
    "Of a finished loop or an unfinished one, from its state file and its journal. The file loads nothing and runs nothing: it can be sent, kept or attached to a CI run.",
  ],
  flags: [
    {
      name: "output",
      value: "FILE",
      summary: "Where to write it; - prints it.",
      fallback: `${LOOP_PAGE} in this folder`,
    },
  ],
  examples: [
    { command: "aot report", note: `${LOOP_PAGE}, to be opened in a browser` },
    { command: "aot report --output report.html", note: "under a name of its own" },
  ],
  effect: "changes",
  settles: true,
  load: async () => ({ run: (await import("./report.ts")).reportWith(engines, LOOP_PAGE) }),
});
