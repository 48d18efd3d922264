/** Every command of `aot`: the one declaration that parsing, help, the reference and completion are read from. */
import { PROGRAM } from "./program.ts";
import type { CommandSpec } from "./spec.ts";
import { REDIRECT_COMMANDS } from "./table-redirect.ts";
import { STATE_COMMANDS } from "./table-state.ts";
import { WORK_COMMANDS } from "./table-work.ts";

export const AOT: CommandSpec = { ...PROGRAM, commands: [...WORK_COMMANDS, ...REDIRECT_COMMANDS, ...STATE_COMMANDS] };
