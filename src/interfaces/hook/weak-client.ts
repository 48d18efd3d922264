/** A client that lets a tool's call pass whose hook has failed (SPEC section 10): its person is told when a session starts. */
import type { HookInput } from "./hook-input.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The first Claude Code that knows `onFailure` of a hook. */
const KNOWS_ON_FAILURE = [2, 1, 295] as const;

/** @returns what the person reads; null: the client denies what its hook could not decide, or is none that is known */
export function weakClientWarning({ event, source }: HookInput, env: Environment): string | null {
  if (event !== "SessionStart" || source === "compact" || env["CLAUDECODE"] === undefined) return null;
  const said = /^claude-code[/_](\d+)[.-](\d+)[.-](\d+)/.exec(env["AI_AGENT"] ?? "");
  const version = said?.slice(1).map(Number);
  const differs = KNOWS_ON_FAILURE.findIndex((number, at) => version?.[at] !== number);
  if (version !== undefined && (differs === -1 || (version[differs] ?? 0) > (KNOWS_ON_FAILURE[differs] ?? 0)))
    return null;
  const which =
    version === undefined ? "Claude Code of a version that it does not tell" : `Claude Code ${version.join(".")}`;
  const maybe = version === undefined ? "may go" : "goes";
  return `AoT loop: in this ${which} a tool's call ${maybe} through without a word where the plugin's hook is killed, hangs or is missing, so that what guards the loop and your rules does not hold then. From ${KNOWS_ON_FAILURE.join(".")} on it is denied: update the client.`;
}
