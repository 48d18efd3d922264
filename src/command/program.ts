/** The program itself, without its commands. */
import type { CommandSpec } from "./spec.ts";

export const PROGRAM: CommandSpec = {
  name: "aot",
  summary: "drives coding agents until a goal is verified, and is guaranteed to halt.",
  description: ["Align a goal once, then run: `aot align`, `aot run`. `aot COMMAND --help` explains each command."],
  examples: [
    {
      command: 'aot align "Log in with a token" --check "npm test" --yes',
      note: "say what done means, so that a machine can see it",
    },
    { command: "aot status", note: "look at the loop" },
  ],
};
