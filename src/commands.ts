/** Every command on a loop: what the interfaces (command line, MCP server, dashboard) offer, each in its way. */
import { ALIGN } from "./align/commands/spec.ts";
import type { CommandSpec } from "./command/spec.ts";
import { CLEAN, DOCTOR } from "./doctor/commands/spec.ts";
import { redirectCommand, STATE_COMMANDS, verdictCommands } from "./edit/commands/spec.ts";
import { REDIRECT_ELSEWHERE, RUN_ELSEWHERE } from "./engines/commands/elsewhere.ts";
import { EXTENSIONS } from "./extensions.ts";
import { phasesCommand } from "./phases/commands/spec.ts";
import { ATTACH, PR, RECEIPT, runCommand, stopCommand } from "./run/commands/spec.ts";
import { DIFF, GRAPH, logsCommand, reportCommand, STATUS } from "./status/commands/spec.ts";
import { VERIFY } from "./verify/commands/spec.ts";

const { engines } = EXTENSIONS;

export const COMMANDS: readonly CommandSpec[] = [
  ALIGN,
  runCommand(EXTENSIONS, RUN_ELSEWHERE),
  STATUS,
  ATTACH,
  VERIFY,
  logsCommand(engines, async () => (await import("./phases/event-text.ts")).describePhaseEvent),
  DIFF,
  GRAPH,
  reportCommand(engines),
  RECEIPT,
  PR,
  DOCTOR,
  CLEAN,
  redirectCommand(engines, REDIRECT_ELSEWHERE),
  ...verdictCommands(engines, REDIRECT_ELSEWHERE),
  stopCommand(engines),
  ...STATE_COMMANDS,
];

export const PHASES: CommandSpec = phasesCommand(EXTENSIONS);
