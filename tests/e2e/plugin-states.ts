/** Loops for the plugin's tests. */
import type { Stage } from "./plugin-client.ts";

export interface Sketch {
  /** Id, dependencies. */
  readonly atoms: readonly (readonly [string, string?])[];
  /** A shell command. */
  readonly check?: string;
  /** Criteria of a quality check, instead of a command. */
  readonly quality?: string;
}

export function loopText({ atoms, check = "true", quality }: Sketch): string {
  const leaf =
    quality === undefined
      ? `type: command\n          value: "${check}"`
      : `type: quality\n          criteria: "${quality}"\n          pass_threshold: 3`;
  const lines = atoms.map(
    ([id, depends = ""]) =>
      `  - id: ${id}\n    description: "make ${id}.txt"\n    status: pending\n    depends_on: [${depends}]`,
  );
  return `---
objective:
  goal: "The files are there"
  base_case:
    checklist:
      - item: "it holds"
        check:
          ${leaf}
  background_intent: "why"
  deliverables: "files"
  definition_of_done: "the check passes"
  constraints:
    max_iterations: 6
    max_parallel_agents: 2
    max_stall_count: 2

control:
  status: pending
  iteration: 0
  stall_count: 0
  prev_pending_count: -1
  stop_requested: false
  stop_reason: null
  redirect_requested: false

atoms:
${lines.join("\n")}

decompositions: []
or_groups: {}
bindings: {}
trail: []
corrections: []
---

# Original Prompt

Make the files.
`;
}

/** Two atoms side by side. */
export const TWO = loopText({ atoms: [["A1"], ["A2"]], check: "test -f A1.txt -a -f A2.txt" });

/** The session that owns the loop. */
export function sessionIn({ read }: Stage): string {
  return /session_id: "?([\w-]+)/.exec(read())?.[1] ?? "";
}
