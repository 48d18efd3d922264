/** Every command on a loop: what the faces (command line, MCP server) offer, each in its way. */
import type { CommandSpec } from "./spec.ts";
import { REDIRECT_COMMANDS } from "./table-redirect.ts";
import { STATE_COMMANDS } from "./table-state.ts";
import { WORK_COMMANDS } from "./table-work.ts";

export const COMMANDS: readonly CommandSpec[] = [...WORK_COMMANDS, ...REDIRECT_COMMANDS, ...STATE_COMMANDS];
