/** Rows of the commands that run a loop (SPEC section 10). */
import { EXIT_CODES, OUTCOMES } from "../../core/state.ts";
import { AGENT, CHECK, CHECKS, LIMITS, MUST_PASS, NO_WORSE, PROTECT } from "../../align/commands/spec.ts";
import { SET, withSettings } from "./call-config.ts";
import { grouped, type CommandSpec, type Elsewhere, type FlagSpec } from "../../command/spec.ts";
import type { Engines, Extensions } from "../../history/extensions.ts";
import { SANDBOXES } from "../../loop/confinement.ts";
import type { PreparedRun } from "./run-options.ts";

/** A human's decision, or about a human's terminal and files: no program is offered it. */
const BY_HUMAN = { unattended: "absent" } as const;
/** About this one call, too; programs align by a call of its own. */
const ONCE_BY_HUMAN = { ...BY_HUMAN, once: true } as const;

/** Who works, and how many. */
export const AGENT_FLAGS: readonly FlagSpec[] = [
  AGENT,
  { name: "judge", value: "NAME", summary: "Another agent that judges; `none`: nobody." },
  { name: "parallel", type: "integer", value: "N", min: 1, summary: "Attempts at a time, up to the goal's limit." },
];
export const SANDBOX: FlagSpec = {
  name: "sandbox",
  value: "WHEN",
  choices: SANDBOXES,
  summary: "Confine what runs: auto (where it can), require, off.",
  ...BY_HUMAN,
};

/** What every command that works loops takes. */
export const RUN_FLAGS: readonly FlagSpec[] = withSettings([
  ...grouped("Agents", [
    ...AGENT_FLAGS,
    { name: "record", value: "FILE", summary: "Record every call, for replay:FILE.", ...ONCE_BY_HUMAN },
  ]),
  ...grouped("Limits", [...LIMITS, { name: "plan", once: true, summary: "Show the worst case, and start nothing." }]),
  ...grouped("Unattended", [
    { name: "detach", summary: "Run in the background.", ...BY_HUMAN },
    { name: "dashboard", summary: "Serve the dashboard, and print its address.", ...BY_HUMAN },
  ]),
  ...grouped("Hand-over", [
    { name: "no-merge", summary: "Leave verified work on the loop's branch." },
    { name: "squash", summary: "Hand over one commit of all work." },
  ]),
  ...grouped("Safety", [
    SANDBOX,
    {
      name: "accept",
      value: "WHAT",
      choices: ["assertions", "checkout", "goal", "answers"],
      repeatable: true,
      once: true,
      summary: "Your word on: assertions (they hold), checkout, goal (right as they are), answers (drop old ones).",
      ...BY_HUMAN,
    },
  ]),
  ...grouped("Settings", [SET]),
]);

const REPORT: FlagSpec = { name: "report", value: "FILE", repeatable: true, summary: "Write NAME.json or NAME.html." };
const TAKE_OVER: FlagSpec = { name: "take-over", summary: "Take the loop from a client's session.", ...ONCE_BY_HUMAN };
const GOAL: readonly FlagSpec[] = [
  { ...CHECK, ...ONCE_BY_HUMAN, summary: "A check of a new goal: `npm test`, `file: a.js`." },
  { ...NO_WORSE, ...ONCE_BY_HUMAN, summary: "A check: no test that passes now may fail." },
  { ...MUST_PASS, ...ONCE_BY_HUMAN, summary: "A test that has to pass in the end." },
  { name: "yes", once: true, summary: "Ask nothing.", unattended: "given" },
  { name: "force", ...ONCE_BY_HUMAN, summary: "Even if its checks pass already, or over an existing loop." },
  { name: "restart", once: true, summary: "The same goal from the beginning." },
  ...[...CHECKS.filter((flag) => ![CHECK, NO_WORSE, MUST_PASS].includes(flag)), PROTECT].map(
    (flag) => ({ ...flag, ...ONCE_BY_HUMAN, unlisted: true }) as const,
  ),
];

export const runCommand = (extensions: Extensions, elsewhere: Elsewhere<PreparedRun>): CommandSpec => {
  const flags = [
    ...grouped("Goal", GOAL),
    ...RUN_FLAGS,
    ...grouped("Unattended", [REPORT, ...elsewhere.flags]),
    ...grouped("Safety", [TAKE_OVER]),
  ];
  return {
    name: "run",
    summary: "Work the loop to a halt.",
    description: [
      "Each attempt works in a copy of its own; the goal counts as reached only when its checks hold in a clean checkout. A stopped loop goes on.",
    ],
    atTerminal: [
      "A goal is aligned first, with any check flag of `aot align`; you are asked once. Ctrl-C lets attempts in flight end; a second one kills.",
    ],
    args: [{ name: "goal", summary: "A goal to align.", optional: true }],
    flags,
    exits: [
      [0, "verified"],
      [1, "refused, or it broke off"],
      [3, "not aligned"],
      [
        10,
        `to 19, why it stopped: ${OUTCOMES.filter((outcome) => outcome !== "verified")
          .toSorted((a, b) => EXIT_CODES[a] - EXIT_CODES[b])
          .join(", ")}`,
      ],
    ],
    examples: [
      {
        command: "aot run 'A login page' --check 'file: src/login.js' --agent 'command:sh work.sh' --force --yes",
        note: "align and run in one line",
      },
      {
        command: "aot run --detach --agent 'command:sh work.sh' --max-duration 8h --report report.json",
        note: "overnight",
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
    load: async () => ({ run: (await import("./run.ts")).runWith(extensions, elsewhere, flags) }),
  };
};

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
