/** The commands that are offered as tools. */
import type { CommandSpec } from "../../command/spec.ts";
import { COMMANDS, PHASES } from "../../commands.ts";
import { RULES } from "../../rules/commands/spec.ts";

export const OFFERED: readonly CommandSpec[] = [...COMMANDS, PHASES, RULES];
