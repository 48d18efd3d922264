/**
 * The command table's vocabulary (SPEC section 10). One declaration of a command is what parsing, help, the
 * reference, completion and tools of other interfaces are read from.
 */
import type { Call } from "./call.ts";

export interface FlagSpec {
  readonly name: string;
  /** Name of its value in help: FILE, SECONDS. Absent: it takes none. */
  readonly value?: string;
  /** Of its value, which is named then; absent: a text. */
  readonly type?: "integer" | "number";
  readonly summary: string;
  /** May be given more than once. */
  readonly repeatable?: true;
  readonly required?: true;
  /** Accepted values of a text flag. */
  readonly choices?: readonly string[];
  /** Smallest value of a number. */
  readonly min?: number;
  /** Environment variable that is used when the flag is absent. */
  readonly env?: string;
  /** What holds when it is absent, in words. */
  readonly fallback?: string;
  /**
   * It is about a person at a terminal. Where nobody sits at one it is `absent` (what would never end by itself, and
   * what is a human's decision), or it holds as if it were `given` (nobody can be asked).
   */
  readonly unattended?: "absent" | "given";
  /** About this one call: a next step that names the command again leaves it out. */
  readonly once?: true;
  /** The heading under which the help has it; absent: Flags. */
  readonly group?: string;
  /** It is taken here, and explained by the help of another command. */
  readonly unlisted?: true;
}

export function grouped(group: string, flags: readonly FlagSpec[]): readonly FlagSpec[] {
  return flags.map((flag) => ({ ...flag, group }));
}

export interface ArgumentSpec {
  readonly name: string;
  readonly summary: string;
  readonly optional?: true;
  readonly choices?: readonly string[];
  /** The last one: it takes every further word, too. */
  readonly rest?: true;
}

export interface Example {
  /** As typed, without the prompt. */
  readonly command: string;
  readonly note: string;
}

/** What a command answers: the frame prints `json` or `text`, never both. */
export interface Answer {
  readonly exit: number;
  readonly json: object;
  /** For a person; empty: nothing to say. */
  readonly text: string;
  /** Why it did not succeed, for stderr; with `--json` the document says it. */
  readonly trouble?: string;
  /** Remarks for stderr, in either mode. */
  readonly notes?: readonly string[];
  /** Another process has printed it. */
  readonly isPrinted?: true;
}

export type Run = (call: Call) => Answer | Promise<Answer>;

/** Keys of a document that programs may rely on, each with its JSON types. */
export type Answers = Readonly<Record<string, readonly JsonType[]>>;
type JsonType = "string" | "integer" | "number" | "boolean" | "array" | "object" | "null";

/**
 * What a command does to the loop. `reads`: every byte of it stays. `changes`: something is added or moves on.
 * `discards`: work, history or a choice can be given up by it.
 */
export type Effect = "reads" | "changes" | "discards";

export interface CommandSpec {
  readonly name: string;
  readonly summary: string;
  /** Further paragraphs of the help. */
  readonly description?: readonly string[];
  /** As `description`: what only a person at a terminal can do with it. */
  readonly atTerminal?: readonly string[];
  readonly args?: readonly ArgumentSpec[];
  readonly flags?: readonly FlagSpec[];
  readonly examples?: readonly Example[];
  /** A file that it reads, shown as it is. */
  readonly sample?: { readonly title: string; readonly text: string };
  /** Exit codes beside 0 and 2, each with what it means. */
  readonly exits?: readonly (readonly [number, string])[];
  /** Every command that can be run says it. */
  readonly effect?: Effect;
  /** Of its document where it succeeded; each key may be missing. */
  readonly answers?: Answers;
  /** It runs programs: those that the goal was aligned with, or such as this very call names. */
  readonly programs?: "aligned" | "named";
  /** Said twice it is as said once. */
  readonly settles?: true;
  /** A person's word, or about a person's terminal: no program is offered it. */
  readonly unattended?: "absent";
  /** It may work for hours: an interface whose callers cannot wait that long starts it as a process of its own. */
  readonly lasting?: true;
  /** Absent: only its subcommands can be run. Loaded when the command is called. */
  readonly load?: () => Promise<{ readonly run: Run }>;
  readonly commands?: readonly CommandSpec[];
  /** The commands' names by what they are for, in the order of the help. */
  readonly groups?: readonly (readonly [title: string, names: readonly string[]])[];
  /** What it answers where no command is named; absent: that one is needed. */
  readonly alone?: () => Promise<{ readonly run: Run }>;
}

/** What takes a call over that is about a loop elsewhere; it answers null where the call is about one here. */
export interface Elsewhere<T> {
  readonly flags: readonly FlagSpec[];
  take(call: Call, what: T): Promise<Answer | null>;
}
