/** The commands that are offered as tools. */
import type { CommandSpec } from "../../commands/spec.ts";
import { COMMANDS } from "../../commands/specs/all.ts";
import { PHASES } from "../../commands/specs/phases.ts";
import { RULES } from "../../commands/specs/rules.ts";

export const OFFERED: readonly CommandSpec[] = [...COMMANDS, PHASES, RULES];
