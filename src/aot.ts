/** Every command of `aot`: the one declaration that parsing, help, the reference and completion are read from. */
import { PROGRAM } from "./commands/program.ts";
import type { CommandSpec } from "./commands/spec.ts";
import { PHASES } from "./commands/table-phases.ts";
import { COMMANDS } from "./commands/table.ts";
import { SESSION_COMMANDS } from "./faces/hook/spec.ts";
import { MCP } from "./faces/mcp/command.ts";

export const AOT: CommandSpec = { ...PROGRAM, commands: [...COMMANDS, PHASES, MCP, ...SESSION_COMMANDS] };
