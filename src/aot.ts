/** Every command of `aot`: the one declaration that parsing, help, the reference and completion are read from. */
import { PROGRAM } from "./commands/program.ts";
import type { CommandSpec } from "./commands/spec.ts";
import { ENGINE_COMMANDS } from "./commands/specs/engine.ts";
import { PHASES } from "./commands/specs/phases.ts";
import { RULES } from "./commands/specs/rules.ts";
import { COMMANDS } from "./commands/specs/all.ts";
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
