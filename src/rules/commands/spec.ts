/** The commands on guard rules (SPEC section 12). */
import type { CommandSpec, FlagSpec } from "../../command/spec.ts";
import { RULES_ON_THE_PAST } from "./past-spec.ts";

const USER: FlagSpec = { name: "user", summary: "Of your own rules, which hold in every project." };
const RULE = { name: "rule", summary: "Name of the rule." } as const;
const UNKNOWN = [[1, "refused: there is no such rule, or several have that name"]] as const;
const text = (name: string, value: string, summary: string): FlagSpec => ({ name, value, summary });

/** What a rule can be tried on. */
const INPUTS: readonly FlagSpec[] = [
  text("command", "TEXT", "A shell command."),
  text("file", "PATH", "A file that is written, with --content."),
  text("content", "TEXT", "Its new text."),
  text("old", "TEXT", "The text that is replaced: an edit."),
  text("read", "PATH", "A file that is read."),
  text("prompt", "TEXT", "A prompt."),
  text("stop", "TEXT", "What an agent said last."),
  text("transcript", "FILE", "With --stop: the session's transcript."),
  text("output", "TEXT", "With --command: what it printed."),
  text("input", "FILE", "An event as the client sends it to a hook, JSON; - is stdin."),
];

const OF_RULES: readonly CommandSpec[] = [
  {
    name: "list",
    summary: "Show the rules of the project and your own, how often each fired, and files that are not valid.",
    examples: [{ command: "aot rules list", note: "which rules hold here?" }],
    effect: "reads",
    load: () => import("./list.ts"),
  },
  {
    name: "test",
    summary: "Try the rules on an action that does not happen.",
    description: [
      "One rule, whether it is enabled or not, or, without a name, all that hold here. Nothing is recorded.",
    ],
    args: [{ name: "rule", summary: "Name of a rule; absent: all that are enabled.", optional: true }],
    flags: INPUTS,
    exits: [[1, "the action would be blocked, or there is no such rule"]],
    examples: [{ command: 'aot rules test --command "git status"', note: "would it be let through?" }],
    effect: "reads",
    load: () => import("./test.ts"),
  },
  {
    name: "add",
    summary: "Make a rule, and try its pattern before it is kept.",
    atTerminal: ["What is not given is asked for."],
    args: [{ name: "name", summary: "Name of the rule; the file is .claude/hookify.<name>.local.md.", optional: true }],
    flags: [
      {
        name: "event",
        value: "EVENT",
        choices: ["bash", "file", "read", "stop", "prompt", "all"],
        summary: "What it is about.",
        fallback: "bash",
      },
      text(
        "pattern",
        "REGEX",
        "A regular expression on the command, the new text, the path, the prompt, the last words.",
      ),
      {
        name: "condition",
        value: "FIELD OPERATOR PATTERN",
        repeatable: true,
        summary: "In the place of --pattern; all must hold: `file_path ends_with .env`.",
      },
      {
        name: "action",
        value: "ACTION",
        choices: ["warn", "block"],
        summary: "What it does.",
        fallback: "warn",
      },
      text("message", "TEXT", "The message: why, and what to do instead."),
      { name: "matches", value: "TEXT", repeatable: true, summary: "An example that it must match." },
      { name: "passes", value: "TEXT", repeatable: true, summary: "An example that it must not match." },
      { name: "shadow", summary: "It fires and is recorded, and nothing more happens." },
      USER,
      { name: "force", summary: "Overwrite an existing rule." },
    ],
    exits: [[1, "not kept: an example came out otherwise, or a file exists there"]],
    examples: [
      {
        command:
          "aot rules add no-force-push --pattern 'git\\s+push\\s.*--force' --action block --message 'Push to a new branch.' --matches 'git push origin --force' --passes 'git push'",
        note: "with an example of each kind",
      },
    ],
    effect: "changes",
    load: () => import("./add.ts"),
  },
  {
    name: "enable",
    summary: "Switch a rule on; it is enforced, unless --shadow.",
    args: [RULE],
    flags: [{ name: "shadow", summary: "It fires and is recorded, and nothing more happens." }, USER],
    exits: UNKNOWN,
    examples: [{ command: "aot rules enable no-force-push", note: "it holds from now on" }],
    effect: "changes",
    settles: true,
    load: async () => ({ run: (await import("./switch.ts")).enable }),
  },
  {
    name: "disable",
    summary: "Switch a rule off; its file stays.",
    args: [RULE],
    flags: [USER],
    exits: UNKNOWN,
    examples: [{ command: "aot rules disable no-force-push", note: "it does not hold any more" }],
    effect: "changes",
    settles: true,
    load: async () => ({ run: (await import("./switch.ts")).disable }),
  },
];

export const RULES: CommandSpec = {
  name: "rules",
  summary: "Rules that warn of an agent's action or block it.",
  description: [
    "Rules are files: .claude/hookify.<name>.local.md in the project, and the same in your own ~/.claude. The plugin's hooks carry them out, and `aot run` holds its workers to them.",
  ],
  commands: [...OF_RULES, ...RULES_ON_THE_PAST],
};
