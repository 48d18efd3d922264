/** A check as a person types it: `command: npm test` (SPEC section 6). Pure. */
import { CHECK_TYPE_NAMES, type CheckType } from "./check-types.ts";
import { distance } from "./nearest.ts";
import { accepted, refused, type Problem, type Result } from "./problem.ts";
import type { Check } from "./state.ts";

/** What the simple form of a quality check must reach when nothing else is said. */
const PASS_THRESHOLD = 3;

const CHECK = new RegExp(`^(${CHECK_TYPE_NAMES.join("|")})\\s*:\\s*([\\s\\S]*)$`);

/**
 * A first word with a colon that is no type of check, but close to one: `comand: npm test`. Null for anything else;
 * `npm run x:y` and `FOO:=1 make` are commands.
 */
export function mistypedCheck(text: string): Problem | null {
  const [, word = "", value = ""] = /^([A-Za-z][\w-]*)\s*:(?!=)\s*([\s\S]*)$/.exec(text.trim()) ?? [];
  const meant = CHECK_TYPE_NAMES.map((type) => ({ type, edits: distance(word.toLowerCase(), type, 3) }))
    .filter(({ edits }) => edits < 3)
    .toSorted((one, other) => one.edits - other.edits)[0]?.type;
  if (meant === undefined || meant === word) return null;
  return {
    code: "unknown_check_type",
    message: `${word} is not a type of check`,
    found: text.trim(),
    hint: `did you mean \`${meant}: ${value}\`? A command that begins so is written \`command: ${text.trim()}\``,
  };
}

/** `command: npm test`, `file: dist/x.js`, ...; without a type it is a command, unless that is a mistyped one. */
export function parseCheck(text: string): Result<Check> {
  const mistyped = mistypedCheck(text);
  if (mistyped !== null) return { ok: false, problems: [mistyped] };
  const match = CHECK.exec(text.trim());
  const type = (match?.[1] ?? "command") as CheckType;
  const value = (match?.[2] ?? text).trim();
  if (value === "")
    return refused(`the check ${JSON.stringify(text)} is empty`, "write TYPE: VALUE, such as `command: npm test`");
  return accepted(type === "quality" ? { type, criteria: value, pass_threshold: PASS_THRESHOLD } : { type, value });
}
