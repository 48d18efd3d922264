/** The commands on the state as a whole and on single atoms (SPEC section 10, seed state-contract). */
import type { CommandSpec } from "../../command/spec.ts";
import { DECIDERS } from "../../verify/commands/spec.ts";
import { ID, NEW_ATOM, REASON } from "./flags.ts";

/** `aot state`. */
export const STATE: CommandSpec = {
  name: "state",
  summary: "Read, check and set the loop's state.",
  commands: [
    {
      name: "show",
      summary: "Show the state: atoms, what may run next, bindings.",
      description: [
        "As a document (--json): status, iteration, stall_count, measure, atoms, executable_atoms (ids, best first), bindings, objective, or_groups, decompositions, trail, corrections.",
      ],
      examples: [{ command: "aot state show --json", note: "everything, for programs" }],
      effect: "reads",
      load: () => import("./state-show.ts"),
    },
    {
      name: "validate",
      summary: "Check the state file: everything that is wrong with it, with line and column.",
      exits: [[2, "the file is missing or not valid"]],
      examples: [{ command: "aot state validate", note: "is the file as it should be?" }],
      effect: "reads",
      load: () => import("./state-validate.ts"),
    },
    {
      name: "gate",
      summary: "Check whether the loop may be entered: aligned, and pending or stopped.",
      exits: [[3, "not ready: what is missing is listed"]],
      examples: [{ command: "aot state gate", note: "may the loop start?" }],
      effect: "reads",
      load: () => import("./state-gate.ts"),
    },
    {
      name: "set-status",
      summary: "Set the loop's status.",
      description: ["`completed` verifies the base case first, in place, and is refused when it does not hold."],
      args: [{ name: "status", summary: "The new status.", choices: ["running", "stopped", "completed"] }],
      flags: [REASON, ...DECIDERS],
      exits: [[1, "refused; for `completed`: the base case does not hold, or is not decided"]],
      examples: [{ command: 'aot state set-status stopped --reason "back after lunch"', note: "pause the loop" }],
      effect: "changes",
      programs: "aligned",
      settles: true,
      load: () => import("./state-set-status.ts"),
    },
  ],
};

/** `aot atom`. */
export const ATOM: CommandSpec = {
  name: "atom",
  summary: "Add, update, split or fail atoms.",
  commands: [
    {
      name: "add",
      summary: "Add a pending atom.",
      args: [ID],
      flags: NEW_ATOM,
      examples: [
        { command: 'aot atom add B1 --description "Rate limiting" --depends-on A1', note: "more work, after A1" },
      ],
      effect: "changes",
      load: () => import("./atom-add.ts"),
    },
    {
      name: "update",
      summary: "Set an atom's status: pending -> in_progress -> resolved, or back to pending.",
      description: ["When it resolves, containers above it that have nothing left resolve as well."],
      args: [ID, { name: "status", summary: "The new status.", choices: ["pending", "in_progress", "resolved"] }],
      examples: [{ command: "aot atom update A1 resolved", note: "A1 is done" }],
      effect: "changes",
      settles: true,
      load: () => import("./atom-update.ts"),
    },
    {
      name: "decompose",
      summary: "Split an atom; its children take over its dependencies, and it resolves with them.",
      args: [ID],
      flags: [
        {
          name: "child",
          type: "text",
          value: "ID=DESC",
          repeatable: true,
          required: true,
          summary: "A child: its id and description; `ID=DESC <- X,Y` makes it wait for X and Y.",
        },
        {
          name: "alternatives",
          type: "text",
          value: "GROUP=IDS",
          repeatable: true,
          summary: "Children that are alternatives: the first is tried, the next only if it fails.",
        },
        { ...REASON, required: true },
      ],
      examples: [
        {
          command:
            'aot atom decompose A2 --child "A2a=Sign tokens" --child "A2b=Check tokens <- A2a" --reason "two parts"',
          note: "split A2 in two, one after the other",
        },
      ],
      effect: "changes",
      load: () => import("./atom-decompose.ts"),
    },
    {
      name: "fail",
      summary: "Report that an atom failed: back to pending, or on to the next alternative of its OR group.",
      args: [ID],
      flags: [{ ...REASON, required: true }],
      examples: [
        { command: 'aot atom fail A4 --reason "the library cannot do it"', note: "give A4 up for its alternative" },
      ],
      effect: "discards",
      load: () => import("./atom-fail.ts"),
    },
  ],
};
