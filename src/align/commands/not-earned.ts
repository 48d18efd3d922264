import type { Call } from "../../command/call.ts";
import type { Answer } from "../../command/spec.ts";
import type { RedFirstReport } from "../../adapters/checks/red-first.ts";
import { whyNotEarned } from "../align-loop.ts";

interface Words {
  readonly shown: readonly string[];
  readonly title: string;
  readonly otherwise: string;
  readonly asked: boolean;
}

/**
 * The refusal of a goal whose checks would prove nothing (SPEC section 6); null: they prove something, or --force.
 * @param words `shown` first, `title` over the reasons, `otherwise` what --force does; `asked`: a person is, before anything is written
 * @param json beside the errors
 */
export function notEarned(
  call: Call,
  report: RedFirstReport,
  { shown, title, otherwise, asked }: Words,
  json: object = {},
): Answer | null {
  const reasons = whyNotEarned(report, asked);
  if (reasons.length === 0 || call.isSet("force")) return null;
  const hint = `mend that, or ${otherwise} all the same with --force`;
  const errors = reasons.map((message) => ({ code: "not_red", message, hint }));
  const trouble = [...shown, title, ...reasons.map((reason) => `  ${reason}`), hint].join("\n");
  return { exit: 1, json: { success: false, errors, ...json }, text: "", trouble };
}
