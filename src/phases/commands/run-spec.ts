/** Row of `aot phases run`, and the flags that other commands on phase loops share with it. */
import { AUTONOMIES } from "../core/definition.ts";
import type { Extensions } from "../../history/extensions.ts";
import { grouped, type CommandSpec, type FlagSpec } from "../../command/spec.ts";
import { RUN_FLAGS } from "../../run/commands/spec.ts";

export const LOOP: FlagSpec = {
  name: "loop",
  value: "ID",
  summary: "Which phase loop, where there are several.",
  fallback: "the only one in .claude/loops",
};
export const TASK: FlagSpec = {
  name: "task",
  value: "TEXT",
  summary: "What the loop is about, for those who work it; kept beside the state.",
};

/** A human's decision on a loop that is over. */
export const REOPEN: readonly FlagSpec[] = [
  { name: "retry", summary: "Reopen a failed loop at the phase that failed." },
  { name: "restart", summary: "Begin a complete loop again." },
];

const RUN_PHASES: Omit<CommandSpec, "load"> = {
  name: "run",
  summary: "Work the phases, one after the other, until a human is needed or the loop is complete.",
  description: [
    "Each phase is worked as `aot run` works a loop: its skills are the atoms, its deliverables the base case. Gates are looked at in a clean checkout.",
    "At a gate that waits for a human it ends and says what comes next; run again it goes on. Limits are those of all phases together.",
  ],
  atTerminal: ["Ctrl-C finishes the attempts in flight and stops; a second one kills."],
  flags: [
    ...grouped("Phases", [
      TASK,
      {
        name: "autonomy",
        value: "HOW",
        choices: AUTONOMIES,
        summary: "Which gates a human sees; a required human gate always.",
        fallback: "the definition's `defaults.autonomy`, else supervised",
      },
      {
        name: "skills",
        value: "DIR",
        repeatable: true,
        summary: "A folder with skills, looked through before .claude/skills, skills and ~/.claude/skills.",
      },
      {
        name: "check",
        value: "GATE: COMMAND",
        repeatable: true,
        summary: "A further check of a gate that is not for a human alone: a command that has to succeed.",
      },
      {
        name: "wait",
        summary: "Stay at a gate that waits for a human, and go on once it is answered.",
        // It may never end by itself.
        unattended: "absent",
      },
      ...REOPEN,
      LOOP,
    ]),
    ...RUN_FLAGS,
  ],
  exits: [
    [0, "every phase is complete and every gate settled"],
    [1, "refused: another run works it, the loop has failed, or it broke off"],
    [10, "stop_requested, or paused"],
    [11, "and others: as `aot run`, of the phase that was worked"],
    [16, "needs_confirmation: a gate waits for a human, or work has to be taken"],
  ],
  examples: [
    {
      command: "aot phases run --agent 'command:sh work.sh' --task 'a login with a token'",
      note: "up to the first gate that is yours",
    },
  ],
  effect: "discards",
  programs: "named",
  lasting: true,
};

/** `aot phases run`. */
export const runPhasesCommand = (extensions: Extensions): CommandSpec => ({
  ...RUN_PHASES,
  load: async () => ({ run: (await import("./run.ts")).runPhasesWith(extensions) }),
});
