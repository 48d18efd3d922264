/** Aligning, running and looking at a loop (SPEC section 10). */
import { CHECK_TYPE_NAMES, checkTypeRow } from "../../core/check-types.ts";
import { EXIT_CODES, OUTCOMES } from "../../core/state.ts";
import { AGENT_WORDS } from "../../loop/agent-kinds.ts";
import type { CommandSpec, FlagSpec } from "../spec.ts";
import { UNATTENDED_FLAGS } from "../unattended-flags.ts";
import { PLACEMENT_FLAGS } from "../placement-flags.ts";
import { ATTACH } from "./attach.ts";
import { DECIDERS, JUDGE_VOTES } from "./flags.ts";
import { REPORT } from "./report.ts";

const AGENT: FlagSpec = {
  name: "agent",
  type: "text",
  value: "NAME",
  summary: `${AGENT_WORDS}. A list such as claude,codex: the next one works while those before it are rate limited or not there.`,
  fallback: "the first that is installed",
};

const LIMITS: readonly FlagSpec[] = [
  { name: "max-iterations", type: "integer", value: "N", min: 1, summary: "Iterations at most." },
  { name: "max-cost-usd", type: "number", value: "USD", min: 0, summary: "Cost at most." },
  { name: "max-duration", type: "text", value: "TIME", summary: 'Working time at most: "90m", "1h30m".' },
];

const ALIGN: CommandSpec = {
  name: "align",
  summary: "Align a goal: how a machine can see that it is reached, and the work that leads there.",
  atTerminal: [
    "From flags, from a YAML file (--from), by questions on a terminal, or drafted by an agent and confirmed by you (--draft). No agent is needed.",
  ],
  description: [
    "Every check is run once before anything is written. One that passes before any work proves nothing, and is reported: sharpen it, or declare it with --invariant (`baseline: pass` in a YAML file). Where all of them pass nothing is written.",
  ],
  args: [{ name: "goal", summary: "The purpose in a sentence.", optional: true }],
  flags: [
    {
      name: "check",
      type: "text",
      value: "TYPE: VALUE",
      repeatable: true,
      summary: `A leaf of the base case: ${CHECK_TYPE_NAMES.map((type) => `\`${type}: ${checkTypeRow(type).example}\``).join(", ")}. Without a type: a command.`,
    },
    {
      name: "invariant",
      type: "text",
      value: "TYPE: VALUE",
      repeatable: true,
      summary: "As --check, for what passes already and has to stay so (`baseline: pass`).",
    },
    {
      name: "atom",
      type: "text",
      value: "TEXT",
      repeatable: true,
      summary: "A unit of work: `A2: description <- A1` (id and dependencies may be left out).",
      fallback: "one atom, A1: the goal",
    },
    { name: "background", type: "text", value: "TEXT", summary: "Why it is wanted." },
    { name: "deliverables", type: "text", value: "TEXT", summary: "What is handed over." },
    { name: "done", type: "text", value: "TEXT", summary: "The completion criteria in words." },
    {
      name: "prompt",
      type: "text",
      value: "TEXT",
      summary: "What you asked for in your own words; every agent gets it.",
      fallback: "the goal",
    },
    {
      name: "clarify",
      type: "text",
      value: "QUESTION=ANSWER",
      repeatable: true,
      summary: "What was unclear, and what was settled about it.",
    },
    { name: "in-scope", type: "text", value: "TEXT", repeatable: true, summary: "What belongs to the goal." },
    { name: "out-of-scope", type: "text", value: "TEXT", repeatable: true, summary: "What does not belong to it." },
    {
      name: "protect",
      type: "text",
      value: "GLOB",
      repeatable: true,
      summary: "Files that decide the verdict: attempts must not change them.",
    },
    {
      name: "touches",
      type: "text",
      value: "ID=GLOBS",
      repeatable: true,
      summary: "Files an atom expects to change, separated by commas.",
    },
    ...LIMITS,
    { name: "max-parallel-agents", type: "integer", value: "N", min: 1, summary: "Agents at a time.", fallback: "3" },
    {
      name: "max-stall-count",
      type: "integer",
      value: "N",
      min: 1,
      summary: "Iterations in a row without progress.",
      fallback: "3",
    },
    { name: "max-attempts-per-atom", type: "integer", value: "N", min: 1, summary: "Attempts one atom may take." },
    {
      name: "from",
      type: "text",
      value: "FILE",
      summary: "YAML with the objective's fields, `atoms` and perhaps `or_groups`; - reads stdin.",
    },
    { name: "draft", type: "boolean", summary: "Let the planner agent draft what is not given." },
    AGENT,
    { name: "yes", type: "boolean", summary: "Ask nothing; for scripts.", unattended: "given" },
    {
      name: "force",
      type: "boolean",
      summary:
        "Write although the base case holds already or a check is broken, or over an unfinished loop (kept as .bak-N).",
    },
  ],
  exits: [[1, "not written: refused, not confirmed, the base case holds already, or a check is broken"]],
  examples: [
    {
      command:
        'aot align "Log in with a token" --check "file: src/login.js" --atom "A1: User model" --atom "A2: Login <- A1" --yes',
      note: "everything from flags",
    },
    { command: "aot align --from loop.yaml --yes", note: "from a file" },
  ],
  effect: "discards",
  programs: "named",
  load: () => import("../run/align.ts"),
};

const RUN: CommandSpec = {
  name: "run",
  summary: "Work the loop to a halt.",
  description: [
    "Each attempt works in a git worktree of its own; what succeeds is integrated on the loop's branch, and the goal counts as reached only when its base case holds in a clean checkout.",
    "`aot run` on a stopped loop goes on.",
  ],
  atTerminal: ["Ctrl-C finishes the attempts in flight and stops; a second one kills."],
  flags: [
    AGENT,
    {
      name: "worker",
      type: "text",
      value: "NAME",
      summary: "Another agent (or model) for the work.",
      fallback: "the agent",
    },
    { name: "probe", type: "text", value: "NAME", summary: "Another agent for probes.", fallback: "the agent" },
    {
      name: "planner",
      type: "text",
      value: "NAME",
      summary: "Another agent that plans what is still to do; `none`: each failing check becomes an atom.",
      fallback: "the agent",
    },
    {
      name: "judge",
      type: "text",
      value: "NAME",
      summary:
        "Another agent for what needs a judge, or a model without a client: `ai:<provider>/<model>`; `none`: nobody.",
      fallback: "the agent",
    },
    JUDGE_VOTES,
    { name: "record", type: "text", value: "FILE", summary: "Record every call, for `--agent replay:FILE`." },
    {
      name: "replay-speed",
      type: "number",
      value: "X",
      min: 0,
      summary: "Play a recording back X times as fast as it was recorded; 0: without pauses.",
      fallback: "0",
    },
    {
      name: "parallel",
      type: "integer",
      value: "N",
      min: 1,
      summary: "Attempts at a time; never more than the loop allows.",
    },
    { name: "in-place", type: "boolean", summary: "Work in the folder itself, one attempt at a time." },
    {
      name: "restart",
      type: "boolean",
      summary: "The same goal from the beginning, on the graph as you made it: what runs added is left out.",
    },
    {
      name: "take-over",
      type: "boolean",
      summary: "Take the loop from a client's session that is still working; what its agents are doing is discarded.",
      // A person's word.
      unattended: "absent",
    },
    { name: "plan", type: "boolean", summary: "Show the worst case (calls, time, cost) and start nothing." },
    {
      name: "dashboard",
      type: "boolean",
      summary: "Serve the dashboard during the run and print its address.",
      unattended: "absent",
    },
    { name: "verify-each", type: "boolean", summary: "Check the base case after every iteration." },
    {
      name: "confirm",
      type: "boolean",
      summary: "Say beforehand that assertions judged true need no further word.",
      // A person's word.
      unattended: "absent",
    },
    {
      name: "accept-checkout",
      type: "boolean",
      summary: "Your own checkout is right as it is now, although it changed during an earlier run: verify anew.",
      // A person's word.
      unattended: "absent",
    },
    {
      name: "forget-answers",
      type: "boolean",
      summary:
        "What checks answered in earlier runs does not count: you mended what they need outside the commit (installed, started, freed).",
      // A person's word.
      unattended: "absent",
    },
    { name: "no-merge", type: "boolean", summary: "Leave a verified result on the loop's branch." },
    {
      name: "engine",
      type: "text",
      value: "URL",
      summary:
        "Have an engine's workers do it: restate://HOST:PORT (docs/engine.md). The loop is handed over, or taken up there, and shown here until it halts.",
    },
    {
      name: "remote",
      type: "text",
      value: "URL",
      summary: "With --engine: the shared repository.",
      fallback: "that of `git remote get-url origin`",
    },
    ...PLACEMENT_FLAGS.map((flag) => ({ ...flag, summary: `With --engine: ${flag.summary}` })),
    ...LIMITS,
    { name: "attempt-timeout", type: "text", value: "TIME", summary: "Time limit of one agent call.", fallback: "30m" },
    { name: "idle-timeout", type: "text", value: "TIME", summary: "Time limit without any output of an agent." },
    { name: "max-call-usd", type: "number", value: "USD", min: 0, summary: "Cost of one call at most." },
    ...UNATTENDED_FLAGS,
  ],
  exits: [
    [0, "the base case is verified"],
    [1, "refused: another run or a client's session works it, or it broke off"],
    [3, "gate not ready: align first"],
    ...OUTCOMES.filter((outcome) => outcome !== "verified").map((outcome) => [EXIT_CODES[outcome], outcome] as const),
  ],
  examples: [
    { command: "aot run --plan --agent 'command:sh work.sh'", note: "what can it cost at most?" },
    { command: "aot run --agent 'command:sh work.sh' --in-place", note: "any program as the agent" },
    {
      command: "aot run --detach --agent 'command:sh work.sh' --max-duration 8h --max-wait 5h --report report.xml",
      note: "overnight",
    },
    {
      command: "aot run --plan --worker 'command:sh work.sh' --judge 'command:sh judge.sh'",
      note: "an agent for each role",
    },
  ],
  effect: "discards",
  programs: "named",
  lasting: true,
  load: () => import("../run/run.ts"),
};

const VERIFY: CommandSpec = {
  name: "verify",
  summary: "Verify the base case here and now, or a single command or path.",
  description: ["Three verdicts: passed true, false, or null where a judge is needed and nobody was asked."],
  flags: DECIDERS,
  exits: [[1, "it does not hold, or is not decided"]],
  examples: [{ command: "aot verify", note: "the whole base case" }],
  effect: "reads",
  programs: "aligned",
  load: () => import("../run/verify.ts"),
  commands: [
    {
      name: "command",
      summary: "Check a command: passes with exit code 0.",
      args: [{ name: "command", summary: "The command line, in quotes." }],
      flags: [
        { name: "expect-fail", type: "boolean", summary: "Pass when it ran and its exit code is not 0." },
        {
          name: "timeout",
          type: "number",
          value: "SECONDS",
          min: 0.001,
          summary: "How long it may run.",
          fallback: "120",
        },
      ],
      exits: [[1, "it does not pass"]],
      examples: [{ command: 'aot verify command "node --version" --timeout 60', note: "with a limit of a minute" }],
      effect: "reads",
      programs: "named",
      load: () => import("../run/verify-command.ts"),
    },
    {
      name: "file",
      summary: "Check a path or glob: passes when something matches.",
      args: [{ name: "path", summary: "Path or glob." }],
      flags: [{ name: "expect-missing", type: "boolean", summary: "Pass when nothing matches." }],
      exits: [[1, "it does not pass"]],
      examples: [{ command: 'aot verify file "dist/*.map" --expect-missing', note: "no source maps are shipped" }],
      effect: "reads",
      load: () => import("../run/verify-file.ts"),
    },
  ],
};

export const WORK_COMMANDS: readonly CommandSpec[] = [
  ALIGN,
  RUN,
  {
    name: "status",
    summary: "Show the graph, progress, fuel and the last events.",
    flags: [{ name: "watch", type: "boolean", summary: "Keep it up to date until Ctrl-C.", unattended: "absent" }],
    examples: [
      { command: "aot status", note: "what is the state of the loop?" },
      { command: "aot status --watch", note: "follow it" },
    ],
    effect: "reads",
    load: () => import("../run/status.ts"),
  },
  ATTACH,
  VERIFY,
  {
    name: "log",
    summary: "Show what happened, from the loop's journal.",
    flags: [
      { name: "follow", type: "boolean", summary: "Keep showing what happens until Ctrl-C.", unattended: "absent" },
      { name: "atom", type: "text", value: "ID", summary: "Only what concerns this atom." },
      { name: "last", type: "integer", value: "N", min: 1, summary: "Only the newest N lines." },
    ],
    examples: [
      { command: "aot log --last 20", note: "the newest twenty" },
      { command: "aot log --follow --atom A4", note: "watch one atom" },
    ],
    effect: "reads",
    load: () => import("../run/log.ts"),
  },
  {
    name: "graph",
    summary: "Draw the work graph.",
    description: [
      "Dependencies are above what needs them. svg and html are one file each that loads nothing, light or dark as its reader prefers.",
    ],
    flags: [
      {
        name: "format",
        type: "text",
        value: "FORMAT",
        choices: ["text", "mermaid", "dot", "json", "svg", "html"],
        summary: "Output format.",
        fallback: "text on a terminal, else mermaid",
      },
    ],
    examples: [
      { command: "aot graph --format text", note: "a picture in text" },
      { command: "aot graph --format svg", note: "a picture for a page; `> graph.svg` keeps it" },
      { command: "aot graph --format dot", note: "for Graphviz" },
    ],
    effect: "reads",
    load: () => import("../run/graph.ts"),
  },
  REPORT,
  {
    name: "doctor",
    summary: "Examine the machine and the loop: git, node, agents, settings, locks, leftovers.",
    description: [
      "Shows each setting with the file, line or variable that it comes from. Without --clean it changes nothing.",
    ],
    flags: [
      {
        name: "clean",
        type: "boolean",
        summary:
          "Remove what dead runs and past goals left, if no work is in it: worktrees, and refs of goals that are verified and merged.",
        // A person's word.
        unattended: "absent",
      },
    ],
    exits: [[1, "something that is needed does not work"]],
    examples: [
      { command: "aot doctor", note: "why does it not work?" },
      { command: "aot doctor --clean", note: "what is left over and holds nothing" },
    ],
    effect: "reads",
    load: () => import("../run/doctor.ts"),
  },
];
