/**
 * A command that is for a person to decide, typed by a model (SPEC section 10): the client asks the person; if nobody can
 * be asked it is refused, with what to do instead.
 *
 * DECISION-1 a permission that covers `aot` covers no person's decision: the hook's `ask` outranks it.
 */
import { decisionIn } from "./guard.ts";
import type { HookInput } from "./hook-input.ts";
import { isLook } from "./permission.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Set to `allow` by whoever starts a client that no person attends: its model may decide. */
const DECISIONS_VARIABLE = "AOT_DECISIONS";

/** @returns what the hook answers; undefined: nothing is decided */
export function decisionReply(input: HookInput, env: Environment): object | undefined {
  if (isLook(input))
    return { hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "allow" } } };
  if (input.event !== "PreToolUse" || env[DECISIONS_VARIABLE] === "allow") return undefined;
  const command = decisionIn(input);
  if (command === null) return undefined;
  const said = `\`aot ${command.length > LONGEST_COMMAND ? `${command.slice(0, LONGEST_COMMAND)}…` : command}\``;
  const otherwise = `Do not look for a way around it: tell the user to type it in a terminal, or to start the client with ${DECISIONS_VARIABLE}=allow.`;
  return personDecides(input, env, said, otherwise);
}

/** Has the client ask the person, even for what its settings allow. @param otherwise advice if nobody can be asked */
export function personDecides(input: HookInput, env: Environment, what: string, otherwise: string): object {
  const asked = canAsk(input, env);
  const hookSpecificOutput = {
    hookEventName: "PreToolUse",
    permissionDecision: asked ? "ask" : "deny",
    permissionDecisionReason: asked
      ? `AoT loop: ${what} is for you to decide, whatever else is allowed.`
      : `AoT loop: ${what} is for a person to decide, and nobody can be asked in this session. ${otherwise}`,
  };
  return { hookSpecificOutput };
}

const LONGEST_COMMAND = 200;

/** Only Claude Code knows `ask`, and with `-p` (`sdk-cli`) nobody is there to answer. */
function canAsk({ permissionMode }: HookInput, env: Environment): boolean {
  const entrypoint = env["CLAUDE_CODE_ENTRYPOINT"];
  return entrypoint !== undefined && entrypoint !== "sdk-cli" && permissionMode !== "dontAsk";
}
