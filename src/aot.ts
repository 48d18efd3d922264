/** Every command of `aot`: the one declaration that parsing, help, the reference and completion are read from. */
import type { CommandSpec } from "./command/spec.ts";
import { ENGINE_COMMANDS } from "./engines/commands/spec.ts";
import { RULES } from "./rules/commands/spec.ts";
import { COMMANDS, PHASES } from "./commands.ts";
import { DASHBOARD } from "./interfaces/dashboard/command.ts";
import { completionCommand } from "./interfaces/cli/completion/command.ts";
import { SESSION_COMMANDS } from "./interfaces/hook/spec.ts";
import { MCP } from "./interfaces/mcp/command.ts";

export const AOT: CommandSpec = {
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
  groups: [
    ["Work", ["align", "run", "stop", "redirect", "confirm", "reject", "verify", "clean"]],
    ["Look", ["status", "attach", "logs", "diff", "graph", "report", "receipt", "pr", "dashboard", "doctor"]],
    ["Other kinds of work", ["phases", "rules"]],
    ["Beyond one machine", ["engine", "submit", "worker", "loops"]],
    ["For programs", ["state", "atom", "binding", "or", "mcp", "session", "hook", "completion"]],
  ],
  alone: () => import("./status/commands/overview.ts"),
  commands: [
    ...COMMANDS,
    PHASES,
    RULES,
    DASHBOARD,
    MCP,
    ...ENGINE_COMMANDS,
    completionCommand(() => AOT),
    ...SESSION_COMMANDS,
  ],
};
