/** The commands that look at what is past: rules tried on old transcripts, and rules proposed from them (SPEC section 12). */
import { AGENT } from "../../align/commands/spec.ts";
import type { CommandSpec, FlagSpec } from "../../command/spec.ts";
import { AGENT_WORDS } from "../../loop/agent-kinds.ts";

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
    summary: "Look for what you corrected in past sessions, and propose rules.",
    description: [
      "An agent reads your messages with the calls before each, at least twice; code looks up its quotes and tries its rules on the past. Without an agent: calls that you refused, and no rules.",
      "The agent is sent those messages, the calls, and what the agent of the session said. Nothing is written.",
    ],
    atTerminal: ["Then it asks which of the rules are written."],
    flags: [
      ...TRANSCRIPTS,
      { ...AGENT, summary: `${AGENT_WORDS}. \`none\`: nobody is asked.` },
      { name: "limit", type: "integer", value: "N", min: 0, summary: "Findings shown.", fallback: "20" },
    ],
    exits: [[1, "the agent did not answer, or a rule's file exists already"], ...NONE],
    examples: [
      { command: "aot rules analyze --session latest", note: "what went wrong in the last session?" },
      { command: "aot rules analyze --agent none", note: "what did you refuse?" },
    ],
    effect: "changes",
    load: () => import("./analyze.ts"),
  },
];
