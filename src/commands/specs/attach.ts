/** Looking on at a run of another process. */
import type { CommandSpec } from "../spec.ts";

export const ATTACH: CommandSpec = {
  name: "attach",
  summary: "Follow the run that works the loop, from its beginning, and end as it ends.",
  description: [
    "For a run started with `aot run --detach`, or in another terminal. If none is running, it shows how the newest one ended.",
  ],
  atTerminal: ["Ctrl-C stops looking; the run goes on."],
  exits: [
    [1, "the run was killed, or there is none"],
    [10, "and others: as `aot run` ended"],
  ],
  examples: [{ command: "aot attach", note: "what is the run doing?" }],
  effect: "reads",
  load: () => import("../run/attach.ts"),
};
