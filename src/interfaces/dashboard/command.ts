/** The row of `aot dashboard` in the table of all commands. */
import type { CommandSpec } from "../../command/spec.ts";

export const DASHBOARD: CommandSpec = {
  name: "dashboard",
  summary: "Look at loops in a browser: the graph as it turns, timeline, checks, cost, and looking back.",
  description: [
    "Prints an address with a token, and serves it until Ctrl-C. It listens on this machine only, needs no network, and reads the files that a run writes; what is done from the page (stop, redirect, gates) is done by the commands of the same names.",
    "Without --loop it shows the loops of this project: its state file, others in `.claude/`, and phase loops.",
  ],
  flags: [
    {
      name: "loop",
      value: "FILE",
      repeatable: true,
      summary: "Show this state file, of an AoT loop or a phase loop.",
    },
    { name: "port", type: "integer", value: "PORT", min: 0, summary: "Listen there.", fallback: "any that is free" },
    { name: "read-only", summary: "Nothing can be done from the page: for showing it to others." },
    { name: "until-eof", summary: "End with standard input, for whoever starts it from a program." },
  ],
  exits: [[1, "it cannot listen there"]],
  examples: [
    { command: "aot dashboard", note: "open the address that it prints" },
    { command: "aot dashboard --read-only --port 8123", note: "for a colleague, through an SSH tunnel" },
  ],
  effect: "changes",
  lasting: true,
  load: () => import("./serve.ts"),
};
