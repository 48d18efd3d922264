/** Row of `aot doctor`. */
import type { CommandSpec } from "../../command/spec.ts";

export const DOCTOR: CommandSpec = {
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
      // A human's decision.
      unattended: "absent",
    },
  ],
  exits: [[1, "something that is needed does not work"]],
  examples: [
    { command: "aot doctor", note: "why does it not work?" },
    { command: "aot doctor --clean", note: "what is left over and holds nothing" },
  ],
  effect: "reads",
  load: () => import("./doctor.ts"),
};
