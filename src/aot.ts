/** Every command of `aot`: the one declaration that parsing, help, the reference and completion are read from. */
import { PROGRAM } from "./commands/program.ts";
import type { CommandSpec } from "./commands/spec.ts";
import { COMMANDS } from "./commands/table.ts";
import { MCP } from "./faces/mcp/command.ts";

export const AOT: CommandSpec = { ...PROGRAM, commands: [...COMMANDS, MCP] };
