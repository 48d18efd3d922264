/** The commands on phase loops (SPEC section 11). */
import type { Extensions } from "../../history/extensions.ts";
import type { CommandSpec, FlagSpec } from "../../command/spec.ts";
import { LOOP, REOPEN, runPhasesCommand, TASK } from "./run-spec.ts";

/** A change of the loop that may be refused. @param name of its function in actions.ts */
const action = (name: keyof typeof import("./actions.ts"), spec: Omit<CommandSpec, "load" | "exits">): CommandSpec => ({
  ...spec,
  flags: [...(spec.flags ?? []), LOOP],
  exits: [[1, "refused: what is allowed instead is said"]],
  load: async () => ({ run: (await import("./actions.ts"))[name] }),
});

const WHY: FlagSpec = { name: "reason", value: "TEXT", summary: "Why; kept in the loop's history." };
const BY: FlagSpec = {
  name: "by",
  value: "NAME",
  summary: "Who answers; kept in the loop's history.",
  fallback: "your login name",
};
const NAMED_PHASE = { name: "phase", summary: "Name of the phase." } as const;
const PHASE = {
  name: "phase",
  summary: "Name of the phase; absent: the current one.",
  optional: true,
} as const;
const GATE = { name: "gate", summary: "Id of the gate." } as const;

const WHOLE: readonly CommandSpec[] = [
  {
    name: "init",
    summary: "Turn a loop definition into a state file.",
    description: [
      "The state goes to .claude/loops/<id>.state.json, the definition is kept beside it. aot warns about what the definition leaves open or contradicts.",
    ],
    args: [{ name: "file", summary: "The definition: a loop.json." }],
    flags: [
      { name: "mode", value: "MODE", summary: "In the place of the definition's `defaults.mode`." },
      TASK,
      { name: "restart", summary: "Begin anew over a loop that has begun." },
    ],
    exits: [[1, "refused: the loop has already begun"]],
    examples: [{ command: "aot phases init loop.json", note: "begin" }],
    effect: "discards",
    load: () => import("./init.ts"),
  },
  {
    name: "status",
    summary: "Show phases, gates, metrics, and what is allowed now.",
    flags: [
      {
        name: "watch",
        summary: "Redraw until Ctrl-C, with the loop that works a phase.",
        unattended: "absent",
      },
      LOOP,
    ],
    examples: [
      { command: "aot phases status", note: "what is its state, what can be done?" },
      { command: "aot phases status --watch", note: "follow it" },
    ],
    effect: "reads",
    load: () => import("./status.ts"),
  },
  {
    name: "validate",
    summary: "Check the state against its definition: the eleven rules, each breach with line and column.",
    args: [
      {
        name: "file",
        summary: "Another definition; before `init` it alone is checked.",
        optional: true,
      },
    ],
    flags: [LOOP],
    exits: [[2, "a rule is broken, or a file is missing or not valid"]],
    examples: [{ command: "aot phases validate", note: "is the state as it should be?" }],
    effect: "reads",
    load: () => import("./validate.ts"),
  },
  {
    name: "graph",
    summary: "Draw phases and gates.",
    flags: [
      {
        name: "format",
        value: "FORMAT",
        choices: ["mermaid", "json"],
        summary: "Output format.",
        fallback: "mermaid",
      },
      LOOP,
    ],
    examples: [{ command: "aot phases graph", note: "a Mermaid flowchart" }],
    effect: "reads",
    load: () => import("./graph.ts"),
  },
  {
    name: "new",
    summary: "Have an agent draft a loop definition from a description.",
    description: [
      "With it come a page, a command for the client, and a stub for each skill that nobody described. The draft is checked; it is shown, and written when you confirm.",
    ],
    args: [
      {
        name: "description",
        summary: "What the loop does: its steps, who approves what, which commands have to pass.",
      },
    ],
    flags: [
      { name: "agent", value: "NAME", summary: "Who drafts it.", fallback: "the first that is installed" },
      { name: "yes", summary: "Write without asking.", unattended: "given" },
      { name: "force", summary: "Overwrite existing files." },
    ],
    exits: [[1, "not written: the agent gave no definition, a file exists there, or it was not confirmed"]],
    examples: [
      {
        command:
          "aot phases new 'Release: write the changelog, then I approve it, the tests pass, publish' --agent 'command:sh work.sh'",
        note: "shown, and written when you confirm",
      },
    ],
    effect: "discards",
    load: () => import("./new.ts"),
  },
];

const OF_PHASES: readonly CommandSpec[] = [
  action("start", {
    name: "start",
    summary: "Start a phase: every phase before it is over, and every gate before it passed or skipped.",
    args: [PHASE],
    examples: [{ command: "aot phases start BUILD", note: "begin its work" }],
    effect: "changes",
  }),
  action("complete", {
    name: "complete",
    summary: "Complete the phase that is worked.",
    args: [PHASE],
    flags: [
      {
        name: "deliverables",
        value: "FILES",
        repeatable: true,
        summary: "Further files that it produced, separated by commas.",
      },
    ],
    examples: [{ command: "aot phases complete --deliverables PLAN.md", note: "its work is done" }],
    effect: "changes",
  }),
  action("fail", {
    name: "fail",
    summary: "Reset the phase that is worked; it can be started again.",
    args: [PHASE],
    flags: [
      { ...WHY, required: true },
      { name: "unrecoverable", summary: "Nothing can mend it: the whole loop fails." },
    ],
    examples: [{ command: 'aot phases fail --reason "the build breaks"', note: "do it over" }],
    effect: "discards",
  }),
  action("skip", {
    name: "skip",
    summary: "Skip a phase that is not required and has not begun.",
    args: [NAMED_PHASE],
    flags: [WHY],
    examples: [{ command: "aot phases skip DOCUMENT", note: "not this time" }],
    effect: "discards",
  }),
];

const OF_GATES: readonly CommandSpec[] = [
  action("approve", {
    name: "approve",
    summary: "Pass the gate, as a human.",
    description: [
      "Deliverables that are not there are named; without them, or while a check of its fails, an `auto` gate fails. Never said by a program unless the person did.",
    ],
    args: [GATE],
    flags: [BY],
    examples: [{ command: "aot phases approve plan-gate", note: "go on" }],
    effect: "changes",
    programs: "aligned",
  }),
  action("reject", {
    name: "reject",
    summary: "The gate is not passed: something has to be put right.",
    description: ["`aot phases run` works the phase before it once more, with the reason in its prompt."],
    args: [GATE],
    flags: [{ ...WHY, required: true }, BY],
    examples: [{ command: 'aot phases reject plan-gate --reason "no budget"', note: "not like this" }],
    effect: "changes",
  }),
  action("retryGate", {
    name: "retry",
    summary: "What was wrong with a failed gate is put right: it is pending again.",
    args: [GATE],
    flags: [BY],
    examples: [{ command: "aot phases retry plan-gate", note: "look at it again" }],
    effect: "changes",
  }),
  action("skipGate", {
    name: "skip-gate",
    summary: "Go on without the gate; a required one only with a reason.",
    args: [GATE],
    flags: [WHY, BY],
    examples: [{ command: 'aot phases skip-gate plan-gate --reason "a small change"', note: "not needed here" }],
    effect: "discards",
  }),
];

const OF_LOOPS: readonly CommandSpec[] = [
  action("pause", {
    name: "pause",
    summary: "Pause the loop: nothing but resuming is allowed.",
    description: ["A run that works it finishes the attempts in flight first."],
    examples: [{ command: "aot phases pause", note: "back tomorrow" }],
    effect: "changes",
  }),
  action("resume", {
    name: "resume",
    summary: "Go on with a paused loop, or one whose session was interrupted.",
    description: ["Says what comes first: the gate that waits, or the phase to work."],
    flags: REOPEN,
    examples: [{ command: "aot phases resume", note: "what is next?" }],
    effect: "discards",
  }),
  action("count", {
    name: "count",
    summary: "Set a metric, a counter of your own.",
    args: [
      { name: "metric", summary: "Its name." },
      { name: "value", summary: "A number." },
    ],
    flags: [{ name: "add", summary: "Add the number to what it is." }],
    examples: [{ command: "aot phases count tests_written 3 --add", note: "three more" }],
    effect: "changes",
  }),
];

/** `aot phases`. */
export const phasesCommand = (extensions: Extensions): CommandSpec => ({
  name: "phases",
  summary: "Work a loop of phases and gates.",
  description: [
    "Phases are worked in their order; a gate after a phase is passed or skipped before the next one starts.",
  ],
  commands: [...WHOLE, runPhasesCommand(extensions), ...OF_PHASES, ...OF_GATES, ...OF_LOOPS],
});
