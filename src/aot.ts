/** Every command of `aot`: the one declaration that parsing, help, the reference and completion are read from. */
import { PROGRAM } from "./command/program.ts";
import type { CommandSpec } from "./command/spec.ts";
import { ENGINE_COMMANDS } from "./engines/commands/spec.ts";
import { RULES } from "./rules/commands/spec.ts";
import { COMMANDS, PHASES } from "./commands.ts";
import { DASHBOARD } from "./interfaces/dashboard/command.ts";
import { completionCommand } from "./interfaces/cli/completion/command.ts";
import { SESSION_COMMANDS } from "./interfaces/hook/spec.ts";
import { MCP } from "./interfaces/mcp/command.ts";

export const AOT: CommandSpec = {
  ...PROGRAM,
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
