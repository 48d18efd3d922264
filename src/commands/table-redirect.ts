/** `aot redirect` and `aot stop`: what reaches a running loop (SPEC section 8). */
import { CONSTRAINTS, OBJECTIVE_FIELDS } from "../core/redirect.ts";
import type { CommandSpec, FlagSpec } from "./spec.ts";
import { ARTIFACTS, NEW_ATOM, REASON, SUMMARY } from "./table-flags.ts";

/** A loop of an engine, wherever its project is; a program redirects that of its own project. */
const ELSEWHERE: readonly FlagSpec[] = [
  {
    name: "loop",
    type: "text",
    value: "LOOP",
    summary: "A loop of an engine, by its name there (aot loops).",
    fallback: "the loop of this project",
    unattended: "absent",
  },
  {
    name: "engine",
    type: "text",
    value: "URL",
    env: "AOT_ENGINE",
    summary: "The engine of --loop.",
    fallback: "the one that works the loop of this project",
    unattended: "absent",
  },
];

export const REDIRECT_COMMANDS: readonly CommandSpec[] = [
  {
    name: "redirect",
    summary: "Change the course of a loop, running or stopped; recorded in its corrections.",
    description: [
      "A running loop kills its agents, discards what they had not finished, applies the change and goes on. A stopped one is changed in its file; the next run goes on from there.",
    ],
    commands: [
      {
        name: "set",
        summary: "Change the objective; clears the trail.",
        args: [
          {
            name: "field",
            summary: "Field of the objective.",
            choices: OBJECTIVE_FIELDS,
          },
          { name: "value", summary: "The new value; for base_case YAML or JSON; @FILE reads it from a file." },
        ],
        flags: [REASON, ...ELSEWHERE],
        examples: [
          {
            command: 'aot redirect set base_case "{type: command, value: npm test}"',
            note: "other completion criteria",
          },
          { command: 'aot redirect set goal "Log in with a passkey" --reason "no passwords"', note: "another goal" },
        ],
        effect: "discards",
        load: () => import("./run/redirect-set.ts"),
      },
      {
        name: "limit",
        summary: "Change a limit; the trail is kept. The only way to give a loop more fuel.",
        args: [
          {
            name: "constraint",
            summary: "Which limit.",
            choices: CONSTRAINTS,
          },
          { name: "value", summary: 'A number; for max_duration a time such as "90m" or "1h30m".' },
        ],
        flags: [REASON, ...ELSEWHERE],
        examples: [{ command: "aot redirect limit max_iterations 40", note: "twenty more than the default" }],
        effect: "discards",
        load: () => import("./run/redirect-limit.ts"),
      },
      {
        name: "add",
        summary: "Add an atom, perhaps as a further choice of an OR group.",
        args: [{ name: "id", summary: "Id of the new atom." }],
        flags: [...NEW_ATOM, REASON, ...ELSEWHERE],
        examples: [
          {
            command: 'aot redirect add A4_jwe --description "Encrypted tokens" --or-group token_method',
            note: "a third alternative",
          },
        ],
        effect: "discards",
        load: () => import("./run/redirect-add.ts"),
      },
      {
        name: "remove",
        summary: "Remove an atom that is not resolved and that nothing needs.",
        args: [{ name: "id", summary: "Id of the atom." }],
        flags: [REASON, ...ELSEWHERE],
        examples: [{ command: "aot redirect remove A6", note: "not needed after all" }],
        effect: "discards",
        load: () => import("./run/redirect-remove.ts"),
      },
      {
        name: "choose",
        summary: "Force a choice of an OR group, even one that had failed.",
        args: [
          { name: "group", summary: "Name of the OR group." },
          { name: "id", summary: "Id of the choice." },
        ],
        flags: [REASON, ...ELSEWHERE],
        examples: [{ command: "aot redirect choose token_method A4_alt", note: "a person decides" }],
        effect: "discards",
        load: () => import("./run/redirect-choose.ts"),
      },
      {
        name: "rebind",
        summary: "Overwrite a binding; what depends on it is done again.",
        args: [{ name: "id", summary: "Id of the resolved atom." }],
        flags: [SUMMARY, ARTIFACTS, REASON, ...ELSEWHERE],
        examples: [
          {
            command: 'aot redirect rebind A3 --summary "bcrypt, 12 rounds" --artifacts src/auth.ts',
            note: "the summary was wrong",
          },
        ],
        effect: "discards",
        load: () => import("./run/redirect-rebind.ts"),
      },
    ],
  },
  {
    name: "stop",
    summary: "Ask the loop to stop: attempts in flight are finished, the state is kept.",
    args: [{ name: "reason", summary: "Why.", optional: true }],
    examples: [{ command: 'aot stop "need the machine"', note: "stop, and say why" }],
    effect: "changes",
    settles: true,
    load: () => import("./run/stop.ts"),
  },
];
