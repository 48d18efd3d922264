/**
 * The redirects by which a person changes the course of a loop, one row for each kind of change (SPEC section 8): command line, tools, forms,
 * readers and pages are made of these. What each one does to the state: `apply-redirect.ts`.
 */
import type { Atom, BaseCase, Binding, CorrectionType, Marks, Objective } from "./state.ts";

export const OBJECTIVE_FIELDS = [
  "goal",
  "base_case",
  "background_intent",
  "deliverables",
  "definition_of_done",
  "clarifications",
  "scope",
  "protected",
] as const;
export type ObjectiveField = (typeof OBJECTIVE_FIELDS)[number];
export const CONSTRAINTS = [
  "max_iterations",
  "max_parallel_agents",
  "max_stall_count",
  "max_cost_usd",
  "max_duration",
  "max_attempts_per_atom",
] as const;
export type Constraint = (typeof CONSTRAINTS)[number];

export interface NewAtom extends Marks {
  readonly id: string;
  readonly description: string;
  readonly depends_on: readonly string[];
  readonly or_group?: string;
}

/** A text for those fields that are one. */
export type ObjectiveValue = NonNullable<Objective[ObjectiveField]>;
/** Fields that are no text. */
export const STRUCTURED_FIELDS: readonly ObjectiveField[] = ["base_case", "clarifications", "scope", "protected"];

/** One change that a person makes to a loop. */
export type Change =
  | {
      readonly kind: "set";
      readonly field: ObjectiveField;
      readonly value: ObjectiveValue;
      readonly reason: string;
    }
  | {
      readonly kind: "limit";
      readonly constraint: Constraint;
      /** Null: it does not hold any more. */
      readonly value: string | number | null;
      readonly reason: string;
    }
  | ({ readonly kind: "add"; readonly reason: string } & NewAtom)
  /** Absent: it stays as it is. An empty `criteria`: it has none. */
  | ({ readonly kind: "change"; readonly id: string; readonly reason: string } & Partial<
      Pick<Atom, "description" | "depends_on" | "probe" | "touches" | "criteria">
    >)
  | { readonly kind: "confirm" | "reject"; readonly item: string; readonly reason: string }
  | { readonly kind: "remove" | "redo"; readonly id: string; readonly reason: string }
  | {
      readonly kind: "choose";
      readonly group: string;
      readonly atom: string;
      readonly reason: string;
    }
  | {
      readonly kind: "rebind";
      readonly id: string;
      readonly binding: Binding;
      readonly reason: string;
    };

/** The base case that a value of a field is; null: it is another field's. */
export function baseCaseOf(value: ObjectiveValue): BaseCase | null {
  return typeof value !== "string" && ("checklist" in value || "type" in value) ? value : null;
}

/** Several changes that are applied as one, or refused as one. */
export interface Transaction {
  readonly kind: "transaction";
  /** In any order. One without a reason of its own has the transaction's. */
  readonly changes: readonly Change[];
  readonly reason: string;
  /** Attempts that it touches end first, and count; meanwhile nothing is started. */
  readonly finish?: true;
}

export type Redirect = Change | Transaction;

export function changesOf(redirect: Redirect): readonly Change[] {
  return redirect.kind === "transaction" ? redirect.changes : [redirect];
}

/** Whether the attempts that it touches end first. */
export function isPatient(redirect: Redirect): boolean {
  return redirect.kind === "transaction" && redirect.finish === true;
}

/** What a form can offer for a field, of the loop as it is. */
export type Offer = "open atoms" | "resolved atoms" | "groups" | "choices";

export interface RedirectField {
  /** On the command line, in tools and in forms. */
  readonly name: string;
  /** Keys in the redirect itself, where they are not the name. */
  readonly at?: readonly [string, string?];
  /** `objective` and `limit`: what it may be depends on the field beside it. */
  readonly type: "word" | "words" | "text" | "texts" | "truth" | "objective" | "limit";
  /** It is a flag of the command, and this stands for its value in the help, "" for none; absent: an argument. */
  readonly flag?: string;
  /** `unset`: absent, the redirect does not have it either; a list that is absent is empty otherwise. */
  readonly optional?: true | "unset";
  readonly choices?: readonly string[];
  readonly offer?: Offer;
  /** In help and tools. */
  readonly summary: string;
  /** In forms. */
  readonly label: string;
  readonly hint?: string;
}

export interface RedirectRow {
  /** In `corrections`. */
  readonly correction: CorrectionType;
  /** In help and tools. */
  readonly summary: string;
  /** In forms. */
  readonly label: string;
  readonly effect: string;
  readonly examples: readonly { readonly command: string; readonly note: string }[];
  readonly fields: readonly RedirectField[];
  /** What a person says of the work: a command of its own, which no program is offered. */
  readonly isVerdict?: true;
}

const MARKS = [
  {
    name: "touches",
    type: "texts",
    flag: "GLOBS",
    optional: "unset",
    summary: "Globs of the files it expects to change, separated by commas.",
    label: "Touches",
    hint: "globs, separated by commas",
  },
  {
    name: "criteria",
    type: "text",
    flag: "TEXT",
    optional: "unset",
    summary: "Its own done: a sentence, or a check such as `command: npx vitest run new.test.ts`.",
    label: "Done when",
  },
] as const;

const PROBE = { name: "probe", type: "truth", optional: "unset", label: "Probe first" } as const;

const ITEM = {
  name: "item",
  type: "text",
  summary: "The item by its name, its number, or its label in the verdict (`assertion: X`).",
  label: "Item",
} as const;

export const REDIRECTS: Readonly<Record<Change["kind"], RedirectRow>> = {
  set: {
    correction: "objective_change",
    summary: "Change the objective; clears the trail.",
    label: "Change the goal",
    effect: "The objective changes and the trail of choices is cleared.",
    examples: [
      {
        command: 'aot redirect set base_case "{type: file, value: src/session.js}"',
        note: "other completion criteria",
      },
      { command: 'aot redirect set goal "Log in with a passkey" --reason "no passwords"', note: "another goal" },
    ],
    fields: [
      { name: "field", type: "word", choices: OBJECTIVE_FIELDS, summary: "Field of the objective.", label: "Field" },
      {
        name: "value",
        type: "objective",
        summary: "The new value, where it is no text as YAML; @FILE reads a file.",
        label: "New text",
        hint: "base_case: a check such as `command: npm test`, or YAML",
      },
    ],
  },
  limit: {
    correction: "constraint_change",
    summary: "Change a limit; the trail is kept. The only way to give a loop more fuel.",
    label: "Change a limit",
    effect: "The limit holds from now on. Fuel that is spent stays spent.",
    examples: [{ command: "aot redirect limit max_iterations 40", note: "twenty more than the default" }],
    fields: [
      { name: "constraint", type: "word", choices: CONSTRAINTS, summary: "Which limit.", label: "Limit" },
      {
        name: "value",
        type: "limit",
        summary:
          'A number; for max_duration a time such as "90m" or "1h30m"; `none` unsets a limit that a loop need not have.',
        label: "New value",
        hint: "a number; a duration such as 90m for max_duration; none to unset it",
      },
    ],
  },
  add: {
    correction: "dag_adjustment",
    summary: "Add an atom, perhaps as a further choice of an OR group.",
    label: "Add an atom",
    effect: "The atom joins the graph; named as a choice of a group it is a further alternative.",
    examples: [
      {
        command: 'aot redirect add A4_jwe --description "Encrypted tokens" --or-group token_method',
        note: "a third alternative",
      },
    ],
    fields: [
      { name: "id", type: "word", summary: "Id of the new atom.", label: "Id" },
      { name: "description", type: "text", flag: "TEXT", summary: "What is to be done.", label: "What is to be done" },
      {
        name: "depends-on",
        at: ["depends_on"],
        type: "words",
        flag: "IDS",
        optional: true,
        summary: "Atoms that must be met first, separated by commas.",
        label: "Depends on",
        hint: "ids, separated by commas",
      },
      {
        name: "or-group",
        at: ["or_group"],
        type: "word",
        flag: "GROUP",
        optional: true,
        offer: "groups",
        summary: "Makes it a choice of this OR group; a new name makes a new group.",
        label: "A choice of group",
      },
      ...MARKS,
      { ...PROBE, flag: "", choices: ["yes"], summary: "Unknown territory: a probe goes first." },
    ],
  },
  change: {
    correction: "dag_adjustment",
    summary: "Change an open atom: what it is, its own done, what it depends on, which files it touches, its probe.",
    label: "Change an atom",
    effect: "The atom is worked as it is described now; an attempt on the former description ends.",
    examples: [
      {
        command: 'aot redirect change A2 --description "Middleware that reads the cookie"',
        note: "the rest of the atom stays",
      },
    ],
    fields: [
      { name: "id", type: "word", offer: "open atoms", summary: "Id of the atom.", label: "Atom" },
      {
        name: "description",
        type: "text",
        flag: "TEXT",
        optional: "unset",
        summary: "What is to be done.",
        label: "What is to be done",
      },
      {
        name: "depends-on",
        at: ["depends_on"],
        type: "words",
        flag: "IDS",
        optional: "unset",
        summary: 'Atoms that must be met first, separated by commas; "" for none.',
        label: "Depends on",
        hint: "ids, separated by commas",
      },
      ...MARKS,
      { ...PROBE, flag: "yes|no", choices: ["yes", "no"], summary: "Whether a probe goes first." },
    ],
  },
  remove: {
    correction: "dag_adjustment",
    summary: "Remove an atom that is not resolved and that nothing needs.",
    label: "Remove an atom",
    effect: "The atom leaves the graph. Refused where it is resolved or needed by others.",
    examples: [{ command: "aot redirect remove A6", note: "not needed after all" }],
    fields: [{ name: "id", type: "word", offer: "open atoms", summary: "Id of the atom.", label: "Atom" }],
  },
  redo: {
    correction: "dag_adjustment",
    summary: "Have a resolved atom done again: its work, and what was built on it, is taken out and open again.",
    label: "Redo an atom",
    effect: "The atom and what was built on it are open again, and their work is taken out of the integration branch.",
    examples: [{ command: 'aot redirect redo A3 --reason "bcrypt, not md5"', note: "the result will not do" }],
    fields: [
      {
        name: "id",
        type: "word",
        offer: "resolved atoms",
        summary: "Id of the resolved atom.",
        label: "Resolved atom",
      },
    ],
  },
  choose: {
    correction: "dag_adjustment",
    summary: "Force a choice of an OR group, even one that had failed.",
    label: "Force a choice",
    effect: "The alternative takes over: nothing of the former one stays, and what was built on it is done again.",
    examples: [{ command: "aot redirect choose token_method A4_alt", note: "a human decides" }],
    fields: [
      { name: "group", type: "word", offer: "groups", summary: "Name of the OR group.", label: "OR group" },
      { name: "id", at: ["atom"], type: "word", offer: "choices", summary: "Id of the choice.", label: "Choice" },
    ],
  },
  confirm: {
    correction: "confirmation",
    summary: "Confirm an item that only a person can decide: an assertion, a score, an undecided item.",
    label: "Confirm an item",
    effect: "The next verdict takes the item as met, as long as no more work is done.",
    examples: [{ command: 'aot confirm "Reads well"', note: "you looked at the work" }],
    fields: [ITEM],
    isVerdict: true,
  },
  reject: {
    correction: "confirmation",
    summary: "Reject an item that only a person can decide; the reason becomes work.",
    label: "Reject an item",
    effect: "An atom is added that makes it hold, and every agent and judge is given the reason.",
    examples: [
      { command: 'aot reject "Reads well" --reason "it explains nothing"', note: "a new atom, with the reason" },
    ],
    fields: [ITEM],
    isVerdict: true,
  },
  rebind: {
    correction: "bindings_override",
    summary: "Overwrite a binding; what depends on it is done again.",
    label: "Overwrite a result",
    effect: "The atom's summary is replaced, and everything that depends on it is done again.",
    examples: [
      {
        command: 'aot redirect rebind A3 --summary "bcrypt, 12 rounds" --artifacts src/auth.ts',
        note: "the summary was wrong",
      },
    ],
    fields: [
      {
        name: "id",
        type: "word",
        offer: "resolved atoms",
        summary: "Id of the resolved atom.",
        label: "Resolved atom",
      },
      {
        name: "summary",
        at: ["binding", "summary"],
        type: "text",
        flag: "TEXT",
        summary: "What resolving the atom gave.",
        label: "Summary",
      },
      {
        name: "artifacts",
        at: ["binding", "artifacts"],
        type: "texts",
        flag: "FILES",
        optional: true,
        summary: "Files made or changed, separated by commas.",
        label: "Artifacts",
        hint: "files, separated by commas",
      },
    ],
  },
};

/** Where a field's value is in the redirect. */
export function keysOf({ name, at }: RedirectField): readonly [string, string?] {
  return at ?? [name];
}

export const CHANGE_KINDS = Object.keys(REDIRECTS) as readonly Change["kind"][];
/** Those that are a kind of `aot redirect`; the others are commands of their own, and a person's word. */
export const REDIRECT_KINDS = CHANGE_KINDS.filter((kind) => REDIRECTS[kind].isVerdict !== true);
