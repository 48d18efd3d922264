/** Rows of the commands that run a loop (SPEC section 10). */
import { EXIT_CODES, OUTCOMES } from "../../core/state.ts";
import { AGENT, CHECKS, LIMITS, PROTECT, TRUST_FLAG } from "../../align/commands/spec.ts";
import type { CommandSpec, Elsewhere, FlagSpec } from "../../command/spec.ts";
import type { Engines, Extensions } from "../../history/extensions.ts";
import { CHALLENGE } from "../../verify/commands/spec.ts";
import { SANDBOXES } from "../../loop/confinement.ts";
import type { PreparedRun } from "./run.ts";
import { UNATTENDED_FLAGS } from "./unattended-flags.ts";

/** A human's decision: no program is offered it. */
const BY_HUMAN = { unattended: "absent" } as const;

/** Of `aot run`, without those of an engine. */
export const RUN_FLAGS: readonly FlagSpec[] = [
  AGENT,
  {
    name: "worker",
    value: "NAME",
    summary: "Another agent (or model) for the work.",
    fallback: "the agent",
  },
  { name: "probe", value: "NAME", summary: "Another agent for probes.", fallback: "the agent" },
  {
    name: "planner",
    value: "NAME",
    summary: "Another agent that plans what is still to do; `none`: each failing check becomes an atom.",
    fallback: "the agent",
  },
  {
    name: "judge",
    value: "NAME",
    summary: "Another agent for what needs a judge; `none`: nobody.",
    fallback: "the agent",
  },
  {
    name: "escalate",
    value: "A,B,C",
    summary:
      "Stronger agents for the work: A after an atom's first failure, B after its second; the last one from there.",
    fallback: "the worker",
  },
  ...CHALLENGE,
  {
    name: "record",
    once: true,
    value: "FILE",
    summary: "Record every call, for `--agent replay:FILE`.",
    unattended: "absent",
  },
  {
    name: "replay-speed",
    type: "number",
    value: "X",
    min: 0,
    summary: "Play a recording back X times as fast; 0: without pauses.",
    fallback: "0",
    unattended: "absent",
  },
  {
    name: "parallel",
    type: "integer",
    value: "N",
    min: 1,
    summary: "Attempts at a time; never more than the loop allows.",
  },
  { name: "in-place", summary: "Work in the folder itself, one attempt at a time." },
  {
    name: "restart",
    once: true,
    summary: "The same goal from the beginning, on the graph as you made it: what runs added is left out.",
  },
  {
    name: "take-over",
    once: true,
    summary: "Take the loop from a client's session that is still working; what its agents are doing is discarded.",
    ...BY_HUMAN,
  },
  { name: "plan", once: true, summary: "Show the worst case (calls, time, cost) and start nothing." },
  {
    name: "dashboard",
    summary: "Serve the dashboard during the run and print its address.",
    unattended: "absent",
  },
  { name: "verify-each", summary: "Check the base case after every iteration." },
  {
    name: "confirm",
    once: true,
    summary: "Say beforehand that assertions judged true need no further confirmation.",
    ...BY_HUMAN,
  },
  {
    name: "accept-checkout",
    once: true,
    summary: "Your own checkout is right as it is now, although it changed during an earlier run: verify anew.",
    ...BY_HUMAN,
  },
  {
    name: "accept-goal",
    once: true,
    summary:
      "The goal, checks and limits are meant as they are in the state file now, although no redirect made them so.",
    ...BY_HUMAN,
  },
  {
    name: "forget-answers",
    once: true,
    summary:
      "What checks answered in earlier runs does not count: you mended what they need outside the commit (installed, started, freed).",
    ...BY_HUMAN,
  },
  { name: "no-merge", summary: "Leave a verified result on the loop's branch." },
  { name: "squash", summary: "Hand over one commit of all work, with the goal as its subject." },
  { name: "signoff", summary: "Sign off each commit that is handed over." },
  {
    name: "no-hooks",
    summary: "Hand over without running the hooks pre-commit and commit-msg of the repository.",
    ...BY_HUMAN,
  },
  {
    name: "sandbox",
    value: "WHEN",
    choices: SANDBOXES,
    summary:
      "Confine attempts, checks and set-up: where this machine can, or else not begin, or give them all your rights.",
    fallback: "auto",
    ...BY_HUMAN,
  },
  {
    name: "max-memory",
    value: "SIZE",
    summary: "Memory of each confined attempt, check or set-up at most, all its processes together: 512M, 4G.",
    ...BY_HUMAN,
  },
  TRUST_FLAG,
  ...LIMITS,
  { name: "attempt-timeout", value: "TIME", summary: "Time limit of one agent call.", fallback: "30m" },
  { name: "idle-timeout", value: "TIME", summary: "Time limit without any output of an agent." },
  { name: "max-call-usd", type: "number", value: "USD", min: 0, summary: "Cost of one call at most." },
  ...UNATTENDED_FLAGS,
];

/** Of a goal that is aligned on the way. */
const NEW_GOAL: readonly FlagSpec[] = [
  // Programs align by a call of its own.
  ...[...CHECKS, PROTECT].map((flag) => ({
    ...flag,
    summary: `With a goal: as --${flag.name} of \`aot align\`.`,
    unattended: "absent" as const,
    once: true as const,
  })),
  { name: "yes", summary: "With a goal: ask nothing.", unattended: "given" },
  {
    name: "force",
    unattended: "absent",
    summary:
      "With a goal: although its checks pass already or one is broken, or over an unfinished loop (kept as .bak-N).",
  },
];

export const runCommand = (extensions: Extensions, elsewhere: Elsewhere<PreparedRun>): CommandSpec => ({
  name: "run",
  summary: "Work the loop to a halt.",
  description: [
    "Each attempt works in a git worktree of its own; what succeeds is integrated on the loop's branch, and the goal counts as reached only when its base case holds in a clean checkout.",
    "`aot run` on a stopped loop goes on.",
  ],
  atTerminal: [
    "With a goal and its checks it aligns them first: each check is run once, what the run may cost is said, and you are asked once.",
    "Ctrl-C finishes the attempts in flight and stops; a second one kills.",
  ],
  args: [{ name: "goal", summary: "A goal to align.", optional: true }],
  flags: [...NEW_GOAL, ...RUN_FLAGS, ...elsewhere.flags],
  exits: [
    [0, "the base case is verified"],
    [
      1,
      "refused: a goal whose checks do not fail before any work, another run or a client's session works it, or it broke off",
    ],
    [3, "gate not ready: align first"],
    ...OUTCOMES.filter((outcome) => outcome !== "verified").map((outcome) => [EXIT_CODES[outcome], outcome] as const),
  ],
  examples: [
    {
      command: "aot run 'A login page' --check 'file: src/login.js' --agent 'command:sh work.sh' --force --yes",
      note: "align and run in one line",
    },
    { command: "aot run --plan --agent 'command:sh work.sh'", note: "what can it cost at most?" },
    { command: "aot run --agent 'command:sh work.sh' --in-place", note: "any program as the agent" },
    {
      command: "aot run --detach --agent 'command:sh work.sh' --max-duration 8h --max-wait 5h --report report.json",
      note: "overnight",
    },
    {
      command: "aot run --plan --worker 'command:sh work.sh' --judge 'command:sh judge.sh'",
      note: "an agent for each role",
    },
  ],
  effect: "discards",
  answers: {
    started: ["boolean"],
    pid: ["integer"],
    log: ["string"],
    outcome: ["string"],
    message: ["string"],
    exit_code: ["integer"],
    next_step: ["string"],
    agent_calls: ["integer"],
    wall_ms: ["number"],
    cost_usd: ["number", "null"],
  },
  programs: "named",
  lasting: true,
  load: async () => ({ run: (await import("./run.ts")).runWith(extensions, elsewhere, RUN_FLAGS) }),
});

export const stopCommand = (engines: Engines): CommandSpec => ({
  name: "stop",
  summary: "Ask the loop to stop: attempts in flight are finished, the state is kept.",
  args: [{ name: "reason", summary: "Why.", optional: true }],
  flags: [{ name: "now", summary: "End the agents at once; their unfinished work is kept as branches." }],
  examples: [{ command: 'aot stop "need the machine"', note: "stop, and say why" }],
  effect: "changes",
  answers: { message: ["string"], via: ["string"] },
  settles: true,
  load: async () => ({ run: (await import("./stop.ts")).stopWith(engines) }),
});

export const ATTACH: CommandSpec = {
  name: "attach",
  summary: "Follow the run that works the loop, from its beginning, and end as it ends.",
  description: [
    "For a run started with `aot run --detach`, or in another terminal. If none is running, it shows how the newest one ended.",
  ],
  atTerminal: ["Ctrl-C stops looking; the run goes on."],
  exits: [
    [1, "the run was killed, or there is none"],
    [10, "and others: as `aot run` ended"],
  ],
  examples: [{ command: "aot attach", note: "what is the run doing?" }],
  effect: "reads",
  answers: {
    run: ["string"],
    outcome: ["string"],
    message: ["string"],
    exit_code: ["integer"],
    at_work: ["boolean"],
    next_step: ["string"],
  },
  load: () => import("./attach.ts"),
};

export const RECEIPT: CommandSpec = {
  name: "receipt",
  summary: "Print what a verified loop can show, for a stranger to verify: one JSON document.",
  description: [
    "An in-toto statement: goal, checks, commits, digests of the evidence, environment, how likely the verdict is luck, and the hash chain of the journal.",
  ],
  examples: [{ command: "aot receipt", note: "of a verified loop; `> receipt.json` keeps it" }],
  effect: "reads",
  load: () => import("./receipt-file.ts"),
  commands: [
    {
      name: "verify",
      summary: "Look whether a receipt was changed, and run its checks in a clean checkout of this clone.",
      description: [
        "The seal and the digests find a part that was changed. What a clone cannot show (cost, who worked) rests on the seal: compare it with one that you got another way, such as the text of the pull request.",
      ],
      args: [{ name: "file", summary: "The receipt; - is stdin." }],
      flags: [{ name: "yes", summary: "Its commands may run; ask nothing.", unattended: "given" }],
      exits: [[1, "it does not hold: something was changed, is missing, or a check answers otherwise"]],
      examples: [{ command: "aot receipt verify receipt.json --yes", note: "in a clone of its repository" }],
      effect: "reads",
      programs: "named",
      load: async () => ({ run: (await import("./receipt-file.ts")).verify }),
    },
  ],
};

export const PR: CommandSpec = {
  name: "pr",
  summary: "Write title and body of a pull request of a verified loop; open its draft with gh or glab.",
  description: [
    "Nothing is pushed: the branch has to be at the remote. On a terminal you are asked before a draft is opened.",
  ],
  flags: [{ name: "draft", summary: "Open the draft; ask nothing." }],
  examples: [{ command: "aot pr", note: "title and body" }],
  effect: "reads",
  // What others see is a human's decision.
  unattended: "absent",
  load: () => import("./pr.ts"),
};
