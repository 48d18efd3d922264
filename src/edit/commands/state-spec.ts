/** The commands that read and change the state file (SPEC section 10, seed state-contract). */
import type { CommandSpec } from "../../command/spec.ts";
import { ATOM, STATE } from "./atom-spec.ts";
import { ID, NEW_BINDING, REASON } from "./flags.ts";

/** `aot state`, `aot atom`, `aot binding`, `aot or`. */
export const STATE_COMMANDS: readonly CommandSpec[] = [
  STATE,
  ATOM,
  {
    name: "binding",
    summary: "Record what a resolved atom came to.",
    commands: [
      {
        name: "add",
        summary: "Give a resolved atom its binding: the summary that later atoms see of it.",
        args: [ID],
        flags: NEW_BINDING,
        examples: [
          {
            command:
              'aot binding add A1 --summary "User model in src/user.ts" --artifacts src/user.ts,src/user.test.ts',
            note: "after `aot atom update A1 resolved`",
          },
        ],
        effect: "changes",
        load: () => import("./binding-add.ts"),
      },
    ],
  },
  {
    name: "or",
    summary: "Change which alternative of an OR group is worked.",
    commands: [
      {
        name: "switch",
        summary: "Give up the selected choice of an OR group for another one.",
        args: [
          { name: "group", summary: "Name of the OR group." },
          { name: "id", summary: "Id of the choice to take." },
        ],
        flags: [{ ...REASON, required: true }],
        examples: [
          { command: 'aot or switch token_method A4_alt --reason "sessions fit better"', note: "take the other way" },
        ],
        effect: "discards",
        load: () => import("./or-switch.ts"),
      },
    ],
  },
];
