/** Row of `aot align`, and the flags that `aot run` shares with it. */
import { CHECK_TYPE_NAMES, checkTypeRow, COMMAND_SECONDS } from "../../core/check-types.ts";
import { TRUST } from "../../core/luck.ts";
import { AGENT_WORDS } from "../../loop/agent-kinds.ts";
import type { CommandSpec, FlagSpec } from "../../command/spec.ts";
import { FROM_EXAMPLE } from "./from-example.ts";

export const AGENT: FlagSpec = {
  name: "agent",
  value: "NAME",
  summary: `${AGENT_WORDS}.`,
  fallback: "the first that is installed",
};

export const LIMITS: readonly FlagSpec[] = [
  { name: "max-iterations", type: "integer", value: "N", min: 1, summary: "Iterations at most." },
  { name: "max-cost-usd", type: "number", value: "USD", min: 0, summary: "Cost at most." },
  { name: "max-duration", value: "TIME", summary: 'Working time at most: "90m", "1h30m".' },
];

export const CHECK: FlagSpec = {
  name: "check",
  value: "TYPE: VALUE",
  repeatable: true,
  summary: `A leaf of the base case: ${CHECK_TYPE_NAMES.map((type) => `\`${type}: ${checkTypeRow(type).example}\``).join(", ")}. Without a type: a command.`,
};

export const NO_WORSE: FlagSpec = {
  name: "no-worse",
  value: "COMMAND",
  repeatable: true,
  summary:
    "As --check, for a command with a test report: every test that passes now still passes and is still there; what fails now does not block.",
};

export const MUST_PASS: FlagSpec = {
  name: "must-pass",
  value: "NAME",
  repeatable: true,
  summary:
    "A test of --no-worse, or else of --check, that has to pass: its name or the last parts of it, `*` is any text.",
};

/** The leaves of the base case. */
export const CHECKS: readonly FlagSpec[] = [
  CHECK,
  {
    name: "invariant",
    value: "TYPE: VALUE",
    repeatable: true,
    summary: "As --check, for what already passes and has to stay so (`baseline: pass`).",
  },
  NO_WORSE,
  MUST_PASS,
  {
    name: "network",
    value: "HOST",
    repeatable: true,
    summary: "A host that the commands reach in a sandbox: localhost:5432, example.com; without it they reach none.",
  },
  {
    name: "allow-removed",
    value: "GLOB",
    repeatable: true,
    summary: "Tests that the work may remove or skip; named as for --must-pass.",
  },
  {
    name: "allow-changed",
    value: "GLOB",
    repeatable: true,
    summary:
      "Files of tests, or of how they are run, that the work may change; without it a check has to pass with them as they are now, too.",
  },
  {
    name: "check-timeout",
    value: "TIME",
    summary: "Time limit of each command of --check, --no-worse and --invariant.",
    fallback: `${COMMAND_SECONDS / 60}m`,
  },
];

const TRUST_FLAG: FlagSpec = {
  name: "trust",
  type: "number",
  value: "P",
  min: 0,
  summary:
    "Accepted chance of a verdict by luck, over all verdicts of the loop: checks that fail before the work are run until it is kept. 0: once.",
  fallback: `${TRUST}: any, which the verdict says`,
  // A human's decision.
  unattended: "absent",
};

export const PROTECT: FlagSpec = {
  name: "protect",
  value: "GLOB",
  repeatable: true,
  summary: "Files that decide the verdict: attempts must not change them.",
};

export const ALIGN: CommandSpec = {
  name: "align",
  summary: "Align a goal: how a machine can see that it is reached, and the work that leads there.",
  atTerminal: [
    "From flags, from a YAML file (--from), by questions on a terminal, or drafted by an agent and confirmed by you (--draft). No agent is needed.",
  ],
  description: [
    "Every check is run before anything is written, in a fresh checkout of the commit. One that passes before any work proves nothing, and is reported: sharpen it, or declare it with --invariant (`baseline: pass` in a YAML file). Where all of them pass nothing is written.",
  ],
  args: [{ name: "goal", summary: "The purpose in a sentence.", optional: true }],
  flags: [
    ...CHECKS,
    {
      name: "atom",
      value: "TEXT",
      repeatable: true,
      summary: "A unit of work: `A2: description <- A1` (id and dependencies may be left out).",
      fallback: "one atom, A1: the goal",
    },
    { name: "background", value: "TEXT", summary: "Why it is wanted." },
    { name: "deliverables", value: "TEXT", summary: "What is handed over." },
    { name: "done", value: "TEXT", summary: "The completion criteria in words." },
    {
      name: "prompt",
      value: "TEXT",
      summary: "What you asked for in your own words; every agent gets it.",
      fallback: "the goal",
    },
    {
      name: "clarify",
      value: "QUESTION=ANSWER",
      repeatable: true,
      summary: "What was unclear, and what was settled about it.",
    },
    { name: "in-scope", value: "TEXT", repeatable: true, summary: "What belongs to the goal." },
    { name: "out-of-scope", value: "TEXT", repeatable: true, summary: "What does not belong to it." },
    PROTECT,
    TRUST_FLAG,
    {
      name: "touches",
      value: "ID=GLOBS",
      repeatable: true,
      summary: "Files an atom expects to change, separated by commas.",
    },
    { name: "probe", value: "ID", repeatable: true, summary: "An atom that is unknown territory: a probe goes first." },
    ...LIMITS,
    { name: "max-parallel-agents", type: "integer", value: "N", min: 1, summary: "Agents at a time.", fallback: "3" },
    { name: "max-attempts-per-atom", type: "integer", value: "N", min: 1, summary: "Attempts one atom may take." },
    {
      name: "from",
      value: "FILE",
      summary: "YAML with the objective's fields, `atoms` and perhaps `or_groups`, as below; - reads stdin.",
    },
    { name: "draft", summary: "Let the planner agent draft what is not given." },
    AGENT,
    { name: "yes", summary: "Ask nothing; for scripts.", unattended: "given" },
    {
      name: "force",
      summary:
        "Write although the base case already holds or a check is broken or flaky, or over an unfinished loop (kept as .bak-N).",
    },
  ],
  exits: [[1, "not written: refused, not confirmed, the base case already holds, or a check is broken or flaky"]],
  examples: [
    {
      command:
        'aot align "Log in with a token" --check "file: src/login.js" --atom "A1: User model" --atom "A2: Login <- A1" --yes',
      note: "everything from flags",
    },
    { command: "aot align --from loop.yaml --yes", note: "from a file" },
  ],
  sample: { title: "loop.yaml", text: FROM_EXAMPLE },
  effect: "discards",
  answers: { state_file: ["string"], backup: ["string", "null"] },
  programs: "named",
  load: () => import("./align.ts"),
};
