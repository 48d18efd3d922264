/** The commands that are offered as tools. */
import type { CommandSpec } from "../../commands/spec.ts";
import { COMMANDS } from "../../commands/table.ts";
import { PHASES } from "../../commands/table-phases.ts";
import { RULES } from "../../commands/table-rules.ts";

export const OFFERED: readonly CommandSpec[] = [...COMMANDS, PHASES, RULES];
