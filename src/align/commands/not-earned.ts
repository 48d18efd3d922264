import type { Call } from "../../command/call.ts";
import type { Answer } from "../../command/spec.ts";
import type { RedFirstReport } from "../../adapters/checks/red-first.ts";
import { whyNotEarned } from "../align-loop.ts";

/**
 * The refusal of a goal whose checks would prove nothing (SPEC section 6); null: they prove something, or --force.
 * @param words `shown` first, `title` over the reasons, `hint` what to do
 * @param json beside the errors
 */
export function notEarned(
  call: Call,
  report: RedFirstReport,
  { shown, title, hint }: { readonly shown: readonly string[]; readonly title: string; readonly hint: string },
  json: object = {},
): Answer | null {
  const reasons = whyNotEarned(report);
  if (reasons.length === 0 || call.isSet("force")) return null;
  const errors = reasons.map((message) => ({ code: "not_red", message, hint }));
  const trouble = [...shown, title, ...reasons.map((reason) => `  ${reason}`), hint].join("\n");
  return { exit: 1, json: { success: false, errors, ...json }, text: "", trouble };
}
