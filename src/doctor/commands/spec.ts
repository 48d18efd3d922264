/** Rows of `aot doctor` and `aot clean`. */
import type { CommandSpec } from "../../command/spec.ts";

export const DOCTOR: CommandSpec = {
  name: "doctor",
  summary: "Examine the machine and the loop: git, node, agents, settings, locks, leftovers.",
  description: ["Shows each setting with the file, line or variable that it comes from. It changes nothing."],
  exits: [[1, "something that is needed does not work"]],
  examples: [{ command: "aot doctor", note: "why does it not work?" }],
  effect: "reads",
  load: () => import("./doctor.ts"),
};

export const CLEAN: CommandSpec = {
  name: "clean",
  summary: "Remove what runs and past goals left in the repository: slots, branches, refs.",
  description: [
    "Lists what is there, says which of it holds work that is nowhere else, and asks. Without --all only what holds no such work goes.",
  ],
  flags: [
    {
      name: "all",
      summary:
        "Branches and slots with work that is nowhere else, too: of goals that were never reached, and of this goal's failed attempts. The commit of each branch is named, so that it can be brought back; what a killed attempt left in its slot is in none.",
    },
    { name: "yes", summary: "Ask nothing." },
  ],
  exits: [[1, "nothing was removed: it was declined, or a run is active"]],
  examples: [
    { command: "aot clean --yes", note: "what is left over and holds nothing" },
    { command: "aot clean --all", note: "every branch of earlier goals and failed attempts" },
  ],
  effect: "changes",
  // A human's decision.
  unattended: "absent",
  load: () => import("./clean.ts"),
};
