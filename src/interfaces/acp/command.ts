/** The row of `aot acp` in the table of all commands. */
import type { CommandSpec } from "../../command/spec.ts";

export const ACP: CommandSpec = {
  name: "acp",
  summary: "Be an agent of the Agent Client Protocol: an editor starts this and hands it goals.",
  description: [
    "A prompt is a goal, with a line `check: COMMAND` for each check. The editor shows the worst case and asks you once; then the loop works, and the answer ends with the verdict. Cancelling stops the run.",
    "/status, /run, /stop, /verify, /log and /diff are what the commands of these names are. What works is the configured agent.",
  ],
  flags: [
    {
      name: "agent",
      value: "NAME",
      summary: "Who works, as for `aot run`.",
      fallback: "the first that is installed",
    },
  ],
  examples: [{ command: "aot acp --agent claude", note: "what an editor starts; it ends with its stdin" }],
  effect: "changes",
  lasting: true,
  load: () => import("./acp.ts"),
};
