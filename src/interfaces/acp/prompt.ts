/** What a prompt of an editor asks for (SPEC section 10). Pure. */

export type Asked =
  /** `words`: of the command line, behind the program's name. `plan`: its worst case is shown and agreed to first. */
  | { readonly kind: "command"; readonly words: readonly string[]; readonly plan: boolean }
  /** A goal that nothing shows to be reached. */
  | { readonly kind: "unchecked" }
  | { readonly kind: "unknown"; readonly name: string };

interface EditorCommand {
  readonly description: string;
  readonly hint?: string;
  words(rest: string): readonly string[];
}

const split = (rest: string): readonly string[] => rest.split(/\s+/).filter((word) => word !== "");

/** What an editor offers behind a slash. */
export const EDITOR_COMMANDS: Readonly<Record<string, EditorCommand>> = {
  status: { description: "Show the loop of this folder.", words: () => ["status"] },
  run: { description: "Work the loop of this folder, or go on with it.", words: () => ["run"] },
  stop: {
    description: "Ask the loop to stop.",
    hint: "why",
    words: (rest) => ["stop", ...(rest === "" ? [] : [rest])],
  },
  verify: { description: "Check the base case now.", words: () => ["verify"] },
  log: { description: "Show the newest events.", words: () => ["log", "--last", "20"] },
  diff: {
    description: "Show what an attempt changed.",
    hint: "atom, attempt",
    words: (rest) => ["diff", ...split(rest)],
  },
};

const CHECK = /^\s*(?:[-*]\s+)?check:\s*(\S.*)$/i;

export function askedIn(text: string): Asked {
  const [, name, rest = ""] = /^\/([\w-]+)(?:\s+([^]*))?$/.exec(text.trim()) ?? [];
  if (name !== undefined) {
    const command = Object.hasOwn(EDITOR_COMMANDS, name) ? EDITOR_COMMANDS[name] : undefined;
    if (command === undefined) return { kind: "unknown", name };
    return { kind: "command", words: command.words(rest.trim()), plan: name === "run" };
  }
  const lines = text.split("\n");
  const checks = lines.flatMap((line) => CHECK.exec(line)?.[1]?.trim() ?? []);
  if (checks.length === 0) return { kind: "unchecked" };
  const goal = lines
    .filter((line) => !CHECK.test(line))
    .join("\n")
    .trim();
  // The goal stands behind all flags, so that nothing of it is taken for one.
  const words = ["run", ...checks.map((check) => `--check=${check}`), ...(goal === "" ? [] : ["--", goal])];
  return { kind: "command", words, plan: true };
}

/** @param more flags, before the goal */
export function withFlags(words: readonly string[], ...more: readonly string[]): readonly string[] {
  const [command = "", ...rest] = words;
  return [command, ...more, ...rest];
}
