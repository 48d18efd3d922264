/** Row of `aot redirect`: several changes at once, and one command for each kind (SPEC section 8). */
import { CHANGE_KINDS, REDIRECT_KINDS, REDIRECTS, type Redirect } from "../../core/redirect.ts";
import type { CommandSpec, Elsewhere, FlagSpec } from "../../command/spec.ts";
import type { Engines } from "../../history/extensions.ts";
import { flagsOfRedirect, REASON } from "./flags.ts";

const AGREED: readonly FlagSpec[] = [
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
  const shared = [REASON, ...AGREED, ...elsewhere.flags];
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
        summary:
          "Open goal, base case, brief, limits and open atoms in $VISUAL or $EDITOR; what you change is one redirect.",
        flags: [FORCE, ...shared],
        examples: [{ command: "aot redirect edit", note: "shows the change, runs new checks, asks" }],
        effect: "discards",
        programs: "named",
        unattended: "absent",
        load: async () => ({ run: (await import("./redirect-edit.ts")).redirectEdit(hands) }),
      },
      ...REDIRECT_KINDS.map((kind): CommandSpec => ({
        name: kind,
        summary: REDIRECTS[kind].summary,
        args: REDIRECTS[kind].fields.flatMap(({ name, flag, summary, choices }) =>
          flag === undefined ? [{ name, summary, ...(choices === undefined ? {} : { choices }) }] : [],
        ),
        flags: [...flagsOfRedirect(kind), ...(kind === "set" ? [FORCE] : []), ...shared],
        examples: REDIRECTS[kind].examples,
        effect: "discards",
        ...(kind === "set" ? { programs: "named" as const } : {}),
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
    flags: [kind === "reject" ? { ...REASON, required: true } : REASON, ...AGREED, ...elsewhere.flags],
    examples: REDIRECTS[kind].examples,
    effect: "changes",
    unattended: "absent",
    load: async () => ({ run: (await import("./redirect.ts")).redirectWith(kind, { engines, elsewhere }) }),
  }));
