/** Row of `aot verify`, and how what needs a judge is decided. */
import type { CommandSpec, FlagSpec } from "../../command/spec.ts";

/** How what needs a judge is decided. */
export const DECIDERS: readonly FlagSpec[] = [
  {
    name: "scores",
    value: "FILE",
    summary:
      'A judge\'s words as JSON: {"<item>": {"<criterion>": {"score": 1-5, "reason": "..."}}}, or {"<item>": {"passed": true, "evidence": "..."}} for an assertion.',
  },
  {
    name: "judge",
    value: "AGENT",
    summary: "Agent that decides assertions and scores quality checks.",
  },
  {
    name: "confirm",
    summary: "Confirm that the assertions hold, after a judge or without one.",
    // A program that calls a command cannot give a human's decision.
    unattended: "absent",
  },
];

export const VERIFY: CommandSpec = {
  name: "verify",
  summary: "Verify the base case here and now, or a single command or path.",
  description: ["Three verdicts: passed true, false, or null where a judge is needed and nobody was asked."],
  flags: DECIDERS,
  exits: [[1, "it does not hold, or is not decided"]],
  examples: [{ command: "aot verify", note: "the whole base case" }],
  effect: "reads",
  answers: {
    passed: ["boolean", "null"],
    checklist: ["array"],
    skipped: ["array"],
    requires_user_confirmation: ["boolean"],
  },
  programs: "aligned",
  load: () => import("./verify.ts"),
  commands: [
    {
      name: "command",
      summary: "Check a command: passes with exit code 0.",
      args: [{ name: "command", summary: "The command line, in quotes." }],
      flags: [
        { name: "expect-fail", summary: "Pass when it ran and its exit code is not 0." },
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
      load: () => import("./verify-command.ts"),
    },
    {
      name: "file",
      summary: "Check a path or glob: passes when something matches.",
      args: [{ name: "path", summary: "Path or glob." }],
      flags: [{ name: "expect-missing", summary: "Pass when nothing matches." }],
      exits: [[1, "it does not pass"]],
      examples: [{ command: 'aot verify file "dist/*.map" --expect-missing', note: "no source maps are shipped" }],
      effect: "reads",
      load: async () => ({ run: (await import("./verify-command.ts")).file }),
    },
  ],
};
