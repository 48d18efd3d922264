/**
 * The types of check, one row each (SPEC section 6): schema, prompts, help, readers and pages are made of these. How each
 * way of checking is carried out: `adapters/checks/checker.ts`.
 */

/** What decides: a command that is run, a path that is looked for, a text that is looked for in files, or a judge. */
export type Way = "command" | "path" | "text" | "judge";

export interface CheckTypeRow {
  readonly way: Way;
  /** Passes where the plain type of its way does not. */
  readonly negated?: true;
  /** What follows `TYPE:` in the help. */
  readonly example: string;
  /** What its value is, and when it passes. */
  readonly value: string;
  /** The value alone names the checklist's item. */
  readonly names_item?: true;
  /** Where it passes before any work: what is so already, and what to write in its place. */
  readonly vacuous: readonly [now: string, instead: string];
}

const HOLDS = ["holds", "Say what is not so yet"] as const;

export const CHECK_TYPES = {
  command: {
    way: "command",
    example: "npm test",
    value: "Shell command; passes with exit code 0.",
    names_item: true,
    vacuous: [
      "exits with 0",
      "Write a command that fails now and passes only with the work (a test of what is new, a search for what has to be there)",
    ],
  },
  not_command: {
    way: "command",
    negated: true,
    example: "...",
    value: "Shell command; passes when it ran and its exit code is not 0.",
    vacuous: [
      "fails, as it should at the end,",
      "Write a command that succeeds now and fails only with the work (a search for what has to go)",
    ],
  },
  file: {
    way: "path",
    example: "PATH",
    value:
      "Path or glob (`exists: PATH` is the same); passes when something matches. `contains: TEXT in PATH`: as `contains`.",
    vacuous: ["is there", "Name a file that only the work makes, or look into this one with a command"],
  },
  not_file: {
    way: "path",
    negated: true,
    example: "PATH",
    value: "Path or glob; passes when nothing matches. `contains: TEXT in PATH`: as `not_contains`.",
    vacuous: ["is absent", "Name what is there now and has to go"],
  },
  contains: {
    way: "text",
    example: "TEXT in PATH",
    value: "`TEXT in PATH`: a text and a path or glob; passes when a file there holds the text as it is written.",
    vacuous: ["holds the text", "Name a text that only the work writes"],
  },
  not_contains: {
    way: "text",
    negated: true,
    example: "TEXT in PATH",
    value: "`TEXT in PATH`; passes when files are there and none of them holds the text.",
    vacuous: ["does not hold the text", "Name a text that is there now and has to go"],
  },
  assertion: {
    way: "judge",
    example: "TEXT",
    value: "A condition in words; the judge decides and a human confirms.",
    names_item: true,
    vacuous: HOLDS,
  },
  quality: {
    way: "judge",
    example: "CRITERIA",
    value: "Criteria that a judge scores, 1 to 5; passes when the weighted average reaches `pass_threshold`.",
    vacuous: HOLDS,
  },
} as const satisfies Readonly<Record<string, CheckTypeRow>>;

export type CheckType = keyof typeof CHECK_TYPES;
/** The types that are decided in one of these ways. */
export type TypeOf<W extends Way> = {
  readonly [T in CheckType]: (typeof CHECK_TYPES)[T]["way"] extends W ? T : never;
}[CheckType];

export const CHECK_TYPE_NAMES = Object.keys(CHECK_TYPES) as readonly CheckType[];
/** All of them but `quality`: a check that is its `value`. */
export const VALUE_TYPES = CHECK_TYPE_NAMES.filter((type): type is Exclude<CheckType, "quality"> => type !== "quality");

export function checkTypeRow(type: CheckType): CheckTypeRow {
  return CHECK_TYPES[type];
}

/** Seconds that a command may run where its check names no `timeout`. */
export const COMMAND_SECONDS = 120;
