/** Every command on a loop: what the interfaces (command line, MCP server) offer, each in its way. */
import type { CommandSpec } from "../spec.ts";
import { REDIRECT_COMMANDS } from "./redirect.ts";
import { STATE_COMMANDS } from "./state.ts";
import { WORK_COMMANDS } from "./work.ts";

export const COMMANDS: readonly CommandSpec[] = [...WORK_COMMANDS, ...REDIRECT_COMMANDS, ...STATE_COMMANDS];
