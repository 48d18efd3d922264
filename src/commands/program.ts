/** The program itself, without its commands. */
import type { CommandSpec } from "./spec.ts";

export const PROGRAM: CommandSpec = {
  name: "aot",
  summary: "drives coding agents until a goal is verified, and is guaranteed to halt.",
  description: ["Align a goal once, then run: `aot align`, `aot run`. `aot COMMAND --help` explains each command."],
  examples: [
    { command: 'aot align "Tests pass" --check "command: npm test" --yes --force', note: "say what done means" },
    { command: "aot status", note: "look at the loop" },
  ],
};
