/** The commands that read and change a loop: its state file, redirects (SPEC sections 8 and 10, seed state-contract). */
import type { CommandSpec, FlagSpec, Elsewhere } from "../../command/spec.ts";
import { DECIDERS } from "../../verify/commands/spec.ts";
import { REDIRECTS, CHANGE_KINDS, REDIRECT_KINDS, type Change, type Redirect } from "../../core/redirect.ts";
import type { Engines } from "../../history/extensions.ts";

const REASON: FlagSpec = { name: "reason", value: "TEXT", summary: "Why; kept in the loop's history." };
const ID = { name: "id", summary: "Id of the atom." } as const;

/** The flags by which a redirect of this kind is given its values; commands that take the same values have them, too. */
function flagsOfRedirect(kind: Change["kind"]): readonly FlagSpec[] {
  return REDIRECTS[kind].fields.flatMap(({ name, flag, type, optional, choices, summary }): FlagSpec[] => {
    if (flag === undefined) return [];
    const list = type === "words" || type === "texts" ? { repeatable: true as const } : {};
    const value = flag === "" ? {} : { value: flag, ...(choices === undefined ? {} : { choices }) };
    return [{ name, ...value, ...list, ...(optional !== undefined ? {} : { required: true as const }), summary }];
  });
}

const NEW_ATOM = flagsOfRedirect("add");
const NEW_BINDING = flagsOfRedirect("rebind");

/** `aot state`. */
const STATE: CommandSpec = {
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
      load: async () => ({ run: (await import("./state.ts")).show }),
    },
    {
      name: "validate",
      summary: "Check the state file: everything that is wrong with it, with line and column.",
      exits: [[2, "the file is missing or not valid"]],
      examples: [{ command: "aot state validate", note: "is the file as it should be?" }],
      effect: "reads",
      load: async () => ({ run: (await import("./state.ts")).validate }),
    },
    {
      name: "gate",
      summary: "Check whether the loop may be entered: aligned, and pending or stopped.",
      exits: [[3, "not ready: what is missing is listed"]],
      examples: [{ command: "aot state gate", note: "may the loop start?" }],
      effect: "reads",
      load: async () => ({ run: (await import("./state.ts")).gate }),
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
const ATOM: CommandSpec = {
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
      load: async () => ({ run: (await import("./atoms.ts")).add }),
    },
    {
      name: "update",
      summary: "Set an atom's status: pending -> in_progress -> resolved, or back to pending.",
      description: ["When it resolves, containers above it that have nothing left resolve as well."],
      args: [ID, { name: "status", summary: "The new status.", choices: ["pending", "in_progress", "resolved"] }],
      examples: [{ command: "aot atom update A1 resolved", note: "A1 is done" }],
      effect: "changes",
      settles: true,
      load: async () => ({ run: (await import("./atoms.ts")).update }),
    },
    {
      name: "decompose",
      summary: "Split an atom; its children take over its dependencies, and it resolves with them.",
      args: [ID],
      flags: [
        {
          name: "child",
          value: "ID=DESC",
          repeatable: true,
          required: true,
          summary: "A child: its id and description; `ID=DESC <- X,Y` makes it wait for X and Y.",
        },
        {
          name: "alternatives",
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
      load: async () => ({ run: (await import("./atoms.ts")).decompose }),
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
      load: async () => ({ run: (await import("./atoms.ts")).fail }),
    },
  ],
};

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
        load: async () => ({ run: (await import("./atoms.ts")).bind }),
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
        load: async () => ({ run: (await import("./atoms.ts")).switchTo }),
      },
    ],
  },
];

const AGREEMENT_FLAGS: readonly FlagSpec[] = [
  {
    name: "finish",
    summary: "Let the attempts that it touches end first, and count; nothing new is started meanwhile.",
    // It may take hours.
    unattended: "absent",
  },
  { name: "yes", summary: "Do not ask.", unattended: "given" },
];

const FORCE: FlagSpec = { name: "force", summary: "Take a new check that cannot be run here yet." };

export const redirectCommand = (engines: Engines, elsewhere: Elsewhere<Redirect>): CommandSpec => {
  const shared = [REASON, ...AGREEMENT_FLAGS, ...elsewhere.flags];
  const hands = { engines, elsewhere };
  return {
    name: "redirect",
    summary: "Change the course of a loop, running or stopped; recorded in its corrections.",
    description: [
      "One or more changes: checked, refused and recorded as a whole, with old and new values. What it does not touch goes on; agents whose atom, brief, alternatives or bindings change are ended, after the command has said which and what they cost. A stopped loop is changed in its file; the next run goes on from there.",
    ],
    flags: [
      {
        name: "from",
        value: "FILE",
        summary:
          "YAML with any of goal, base_case, background_intent, deliverables, definition_of_done, clarifications, scope, protected, limits, atoms (open ones; a new id adds one), choose, rebind, redo, remove, reason; the rest stays.",
      },
      FORCE,
      ...shared,
    ],
    examples: [{ command: "aot redirect --from changes.yaml --yes", note: "several changes as one" }],
    effect: "discards",
    answers: { description: ["string"], via: ["string"], revert: ["array"], notes: ["array"] },
    programs: "named",
    load: async () => ({ run: (await import("./redirect-edit.ts")).redirectFrom(hands) }),
    commands: [
      {
        name: "edit",
        summary: "Open goal, base case, brief, limits and open atoms in $VISUAL or $EDITOR, as one redirect.",
        flags: [FORCE, ...shared],
        examples: [{ command: "aot redirect edit", note: "shows the change, runs new checks, asks" }],
        effect: "discards",
        programs: "named",
        unattended: "absent",
        load: async () => ({ run: (await import("./redirect-edit.ts")).redirectEdit(hands) }),
      },
      {
        name: "allow-changed",
        summary: "Let the work change files that decide a check, such as a test.",
        args: [{ name: "glob", summary: "The files." }],
        flags: shared,
        examples: [{ command: "aot redirect allow-changed test/sum.test.js", note: "it counts as the work has it" }],
        effect: "discards",
        unattended: "absent",
        load: () => import("./redirect-edit.ts").then(({ redirectAllowing }) => ({ run: redirectAllowing(hands) })),
      },
      ...REDIRECT_KINDS.map((kind): CommandSpec => ({
        name: kind,
        summary: REDIRECTS[kind].summary,
        args: REDIRECTS[kind].fields.flatMap(({ name, flag, summary, choices }) =>
          flag === undefined ? [{ name, summary, ...(choices === undefined ? {} : { choices }) }] : [],
        ),
        flags: [...flagsOfRedirect(kind), ...(kind === "set" ? [FORCE] : []), ...shared],
        ...(kind === "set" ? { programs: "named" as const } : {}),
        examples: REDIRECTS[kind].examples,
        effect: "discards",
        load: async () => ({ run: (await import("./redirect.ts")).redirectWith(kind, hands) }),
      })),
    ],
  };
};

/** `aot confirm` and `aot reject`: a person's word, which no program is offered. */
export const verdictCommands = (engines: Engines, elsewhere: Elsewhere<Redirect>): readonly CommandSpec[] =>
  CHANGE_KINDS.filter((kind) => REDIRECTS[kind].isVerdict === true).map((kind): CommandSpec => ({
    name: kind,
    summary: REDIRECTS[kind].summary,
    args: REDIRECTS[kind].fields.map(({ name, summary }) => ({ name, summary })),
    flags: [kind === "reject" ? { ...REASON, required: true } : REASON, ...AGREEMENT_FLAGS, ...elsewhere.flags],
    examples: REDIRECTS[kind].examples,
    effect: "changes",
    unattended: "absent",
    load: async () => ({ run: (await import("./redirect.ts")).redirectWith(kind, { engines, elsewhere }) }),
  }));
