/** Warns at the start of a session where the client allows a tool call whose hook failed (SPEC section 10). */
import type { HookInput } from "./hook-input.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The first Claude Code whose hooks have `onFailure`, which denies a call when its hook fails. */
const FIRST_SAFE_VERSION = [2, 1, 295] as const;

/** @returns the warning; null: the client denies such a call, or it is not Claude Code */
export function weakClientWarning({ event, source }: HookInput, env: Environment): string | null {
  if (event !== "SessionStart" || source === "compact" || env["CLAUDECODE"] === undefined) return null;
  const said = /^claude-code[/_](\d+)[.-](\d+)[.-](\d+)/.exec(env["AI_AGENT"] ?? "");
  const version = said?.slice(1).map(Number);
  const differs = FIRST_SAFE_VERSION.findIndex((number, at) => version?.[at] !== number);
  if (version !== undefined && (differs === -1 || (version[differs] ?? 0) > (FIRST_SAFE_VERSION[differs] ?? 0)))
    return null;
  const which = `Claude Code ${version?.join(".") ?? "does not tell its version here, and an old one"}`;
  return `AoT loop: ${which} allows a tool call without a word when the plugin's hook crashes, hangs or is missing. The loop's guards and your rules do not apply then. Update to ${FIRST_SAFE_VERSION.join(".")} or newer, which denies such a call.`;
}
