import type { Result } from "../../core/problem.ts";
import { accepted, refused } from "../../core/problem.ts";
import type { Agent } from "../../loop/ports.ts";
import type { ClaudeOptions } from "./claude.ts";
import { createClaudeAgent } from "./claude.ts";
import { createCommandAgent } from "./command.ts";
import type { ReplayOptions } from "./replay.ts";
import { createReplayAgent } from "./replay.ts";

export interface AgentOptions {
  readonly claude?: ClaudeOptions;
  readonly replay?: ReplayOptions;
  /** The whole environment of the agents' processes; default: this process's. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** What `--agent` and `--judge` take, one line each. */
const AGENT_FORMS = ["claude", "claude:<model>", "command:<shell command>", "replay:<file>"] as const;

/** The agent of this name (SPEC section 10). Starts nothing; `available()` tells whether it can work here. */
export function createAgent(spec: string, options: AgentOptions = {}): Result<Agent> {
  const colon = spec.indexOf(":");
  const kind = colon === -1 ? spec : spec.slice(0, colon);
  const rest = colon === -1 ? undefined : spec.slice(colon + 1);
  const env = options.env === undefined ? {} : { env: options.env };
  if (kind === "claude" && rest?.trim() !== "") {
    return accepted(
      createClaudeAgent({
        ...env,
        ...options.claude,
        ...(rest === undefined ? {} : { model: rest }),
      }),
    );
  }
  if (kind === "command" && rest !== undefined && rest.trim() !== "") return accepted(createCommandAgent(rest, env));
  if (kind === "replay" && rest !== undefined && rest !== "") return createReplayAgent(rest, options.replay);
  return refused(`there is no agent ${JSON.stringify(spec)}`, `agents are: ${AGENT_FORMS.join(", ")}`);
}

/** Tried in this order where no agent is named. */
const INSTALLABLE = ["claude"] as const;

/** The first agent that is installed; else what to install. Runs each candidate's `--version`, which spends nothing. */
export async function firstInstalled(options: AgentOptions = {}): Promise<Result<Agent>> {
  const reasons: string[] = [];
  for (const name of INSTALLABLE) {
    const agent = createAgent(name, options);
    if (!agent.ok) return agent;
    const found = await agent.value.available();
    if (found.ok) return agent;
    reasons.push(`${name}: ${found.reason}`);
  }
  return refused(
    `no agent is installed (${reasons.join("; ")})`,
    "install one, or name any program: --agent 'command:<shell command>'",
  );
}
