/** Every command of `aot`: the one declaration that parsing, help, the reference and completion are read from. */
import { PROGRAM } from "./commands/program.ts";
import type { CommandSpec } from "./commands/spec.ts";
import { ENGINE_COMMANDS } from "./commands/table-engine.ts";
import { PHASES } from "./commands/table-phases.ts";
import { RULES } from "./commands/table-rules.ts";
import { COMMANDS } from "./commands/table.ts";
import { DASHBOARD } from "./faces/dashboard/command.ts";
import { completionCommand } from "./faces/cli/completion/command.ts";
import { SESSION_COMMANDS } from "./faces/hook/spec.ts";
import { MCP } from "./faces/mcp/command.ts";

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
