/** Who may work a loop that is handed to an engine (SPEC section 13). */
import type { FlagSpec } from "../../command/spec.ts";

export const PLACEMENT_FLAGS: readonly FlagSpec[] = [
  {
    name: "on",
    type: "text",
    value: "LABEL",
    repeatable: true,
    summary:
      "Only workers with this label (aot worker --label) work the loop's attempts, checks and plans. Of one kind of them: worker=gpu, probe=..., check=docker, planner=....",
  },
];
