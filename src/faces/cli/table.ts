/** Every command of `aot`: the one declaration that parsing, help, the reference and completion are read from. */
import type { CommandSpec } from "./spec.ts";
import { REDIRECT_COMMANDS } from "./table-redirect.ts";
import { STATE_COMMANDS } from "./table-state.ts";
import { WORK_COMMANDS } from "./table-work.ts";

export const AOT: CommandSpec = {
  name: "aot",
  summary: "drives coding agents until a goal is verified, and is guaranteed to halt.",
  description: ["Align a goal once, then run: `aot align`, `aot run`. `aot COMMAND --help` explains each command."],
  examples: [
    { command: 'aot align "Tests pass" --check "command: npm test" --yes --force', note: "say what done means" },
    { command: "aot status", note: "look at the loop" },
  ],
  commands: [...WORK_COMMANDS, ...REDIRECT_COMMANDS, ...STATE_COMMANDS],
};
