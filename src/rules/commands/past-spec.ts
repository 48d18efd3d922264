/** The commands that look at what is past: rules tried on old transcripts, and rules proposed from them (SPEC section 12). */
import type { CommandSpec, FlagSpec } from "../../command/spec.ts";

const TRANSCRIPTS: readonly FlagSpec[] = [
  {
    name: "transcript",
    value: "PATH",
    repeatable: true,
    summary: "A transcript, or a folder of them.",
    fallback: "this project's",
  },
  { name: "session", value: "ID", summary: "Of one session only; `latest`: the newest." },
  { name: "all-projects", summary: "Those of all projects." },
];
const NONE = [[2, "no transcript is there; where it looked is said"]] as const;

export const RULES_ON_THE_PAST: readonly CommandSpec[] = [
  {
    name: "replay",
    summary: "Run rules over past transcripts: what would each have caught?",
    description: ["Nothing is enforced and nothing is written. A rule that is disabled or in shadow is tried, too."],
    args: [{ name: "rule", summary: "Name of a rule; absent: all.", optional: true }],
    flags: [
      ...TRANSCRIPTS,
      { name: "limit", type: "integer", value: "N", min: 0, summary: "Catches shown of each rule.", fallback: "5" },
    ],
    exits: [[1, "there is no such rule"], ...NONE],
    examples: [{ command: "aot rules replay no-force-push", note: "how often would it have fired?" }],
    effect: "reads",
    load: () => import("./replay.ts"),
  },
  {
    name: "audit",
    summary: "Which claims of agents (tests pass, committed) do their own tools not back?",
    flags: TRANSCRIPTS,
    exits: [[1, "a claim is not backed"], ...NONE],
    examples: [{ command: "aot rules audit --session latest", note: "did it say more than it did?" }],
    effect: "reads",
    load: () => import("./audit.ts"),
  },
  {
    name: "analyze",
    summary: "Look for corrections, anger, reverts and repeated mistakes in past transcripts, and propose rules.",
    description: [
      "Each finding comes with its text and place, the rule that would have stopped it, and what else that rule would have caught. No model is asked, unless --agent names one.",
      "Nothing is written unless it is said to be: --write with --yes.",
    ],
    atTerminal: ["Then it asks which of the rules are written."],
    flags: [
      ...TRANSCRIPTS,
      {
        name: "agent",
        value: "NAME",
        summary:
          "An agent judges the messages that code is not sure of: three votes, each with a quote; it is sent those words.",
        unattended: "absent",
      },
      { name: "limit", type: "integer", value: "N", min: 0, summary: "Findings shown.", fallback: "20" },
      {
        name: "write",
        value: "NAME",
        repeatable: true,
        summary: "Write the rule of that name to .claude/hookify.NAME.local.md.",
        unattended: "absent",
      },
      { name: "yes", summary: "The yes to --write.", unattended: "absent" },
      { name: "shadow", summary: "With --write: it is recorded when it fires, and not enforced." },
      { name: "force", summary: "With --write: overwrite an existing rule." },
    ],
    exits: [[1, "not written: no such rule is proposed, or a file exists there"], ...NONE],
    examples: [
      { command: "aot rules analyze --session latest", note: "what went wrong in the last session?" },
      { command: "aot rules analyze --write no-npm --yes --shadow", note: "keep one of the rules, not enforced yet" },
    ],
    effect: "changes",
    load: () => import("./analyze.ts"),
  },
];
