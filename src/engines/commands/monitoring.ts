import { alertRules, grafanaDashboard } from "../monitoring.ts";
import type { Run } from "../../command/spec.ts";

/** The document is what is printed, as JSON, whether --json is given or not. */
export const run: Run = (call) => {
  const document = call.arg("what") === "alerts" ? alertRules() : grafanaDashboard();
  return { exit: 0, json: { success: true, document }, text: JSON.stringify(document, null, 2) };
};
