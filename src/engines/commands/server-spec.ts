/** An engine as a whole (SPEC section 13). */
import type { CommandSpec } from "../../command/spec.ts";

const MONITORING: CommandSpec = {
  name: "monitoring",
  summary: "Print a Grafana dashboard, or alert rules of Prometheus, for an engine's figures.",
  description: ["For what --metrics of `aot worker` tells (docs/engine-operation.md)."],
  args: [{ name: "what", summary: "What to print.", choices: ["grafana", "alerts"] }],
  examples: [
    { command: "aot engine monitoring grafana", note: "redirect it into a file, and import that in Grafana" },
    { command: "aot engine monitoring alerts", note: "a rule_files entry of Prometheus" },
  ],
  effect: "reads",
  load: () => import("./monitoring.ts"),
};

export const ENGINE_SERVER: CommandSpec = {
  name: "engine",
  summary: "What an engine keeps, and its figures.",
  commands: [MONITORING],
};
