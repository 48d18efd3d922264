import type { AgentRequest } from "../../loop/ports.ts";

/**
 * What marks an outer Claude Code session, when the loop itself was started in one. What configures the
 * client (provider, token, limits: also CLAUDE_CODE_*) is the user's and passes.
 */
const OUTER_SESSION =
  /^CLAUDE(?:CODE|_CODE_(?:SESSION_ID|PARENT_SESSION_ID|CHILD_SESSION|ENTRYPOINT|SSE_PORT|EXECPATH|MESSAGING_SOCKET|MESSAGING_TOKEN|TASK_LIST_ID|TEAM_NAME|AGENT_ID|AGENT_NAME)|_(?:PID|EFFORT|ENV_FILE|PROJECT_DIR|PLUGIN_ROOT|PLUGIN_DATA))$/;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The environment of one call: the user's own (`base`; default: this process's), without an outer session's marks, what belongs to the place of work, and
 * AOT_ROLE, AOT_ATOM, AOT_ATTEMPT (both empty where there is none) and AOT_CALL,
 * and what the call may take at most, for programs that can keep to it: AOT_BUDGET_USD, AOT_BUDGET_TOKENS (empty: no limit). Hooks of the aot
 * plugin see AOT_ROLE and keep still, so that a loop never drives itself.
 */
export function callEnvironment(request: AgentRequest, base: Environment = process.env): Environment {
  const env: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(base)) if (!OUTER_SESSION.test(name)) env[name] = value;
  const attempt = request.role === "worker" || request.role === "probe" ? request.call : "";
  return {
    ...env,
    ...request.env,
    AOT_ROLE: request.role,
    AOT_ATOM: request.atom?.id ?? "",
    AOT_ATTEMPT: attempt,
    AOT_CALL: request.call,
    AOT_BUDGET_USD: numberOr(request.budget_usd),
    AOT_BUDGET_TOKENS: numberOr(request.budget_tokens),
  };
}

/** Empty: there is no limit. */
function numberOr(value: number | undefined): string {
  return value === undefined ? "" : String(value);
}
