import type { Result } from "../../core/problem.ts";
import { accepted, refused } from "../../core/problem.ts";
import type { Agent } from "../../loop/ports.ts";
import type { AcpOptions } from "./acp.ts";
import { createAcpAgent } from "./acp.ts";
import type { ClaudeOptions } from "./claude.ts";
import { createClaudeAgent } from "./claude.ts";
import type { CodexOptions } from "./codex.ts";
import { createCodexAgent } from "./codex.ts";
import { createCommandAgent } from "./command.ts";
import { createFallback } from "./fallback.ts";
import type { ReplayOptions } from "./replay.ts";
import { createReplayAgent } from "./replay.ts";

export interface AgentOptions {
  readonly claude?: ClaudeOptions;
  readonly codex?: CodexOptions;
  readonly acp?: AcpOptions;
  readonly replay?: ReplayOptions;
  /** The whole environment of the agents' processes; default: this process's. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Told when one of several agents takes over for another, and why. */
  readonly tell?: (message: string) => void;
  /** Wraps each agent, those of a list one by one: what is asked of it depends on which one it is. */
  readonly each?: (agent: Agent) => Agent;
}

/** What `--agent` and its kin take, one line each. */
export const AGENT_FORMS = [
  "claude",
  "claude:<model>",
  "codex",
  "codex:<model>",
  "acp:<command>",
  "command:<shell command>",
  "replay:<file>",
] as const;

/** A comma that an agent's name follows: commands may hold commas of their own. */
const NEXT_AGENT = /,\s*(?=(?:claude|codex)\s*(?:[:,]|$)|(?:acp|command|replay):)/;

/**
 * The agent of this name (SPEC section 10), or of several names with commas between them: the next one is taken while
 * those before it are rate limited or not there. Starts nothing; `available()` tells whether it can work here.
 */
export function createAgent(spec: string, options: AgentOptions = {}): Result<Agent> {
  const names = spec.split(NEXT_AGENT);
  const agents: Agent[] = [];
  for (const name of names) {
    const agent = createOne(names.length === 1 ? spec : name.trim(), options);
    if (!agent.ok) return agent;
    agents.push(options.each?.(agent.value) ?? agent.value);
  }
  const [only, ...others] = agents;
  if (only !== undefined && others.length === 0) return accepted(only);
  return accepted(createFallback(agents, options.tell === undefined ? {} : { tell: options.tell }));
}

function createOne(spec: string, options: AgentOptions): Result<Agent> {
  const colon = spec.indexOf(":");
  const kind = colon === -1 ? spec : spec.slice(0, colon);
  const rest = colon === -1 ? undefined : spec.slice(colon + 1);
  const env = options.env === undefined ? {} : { env: options.env };
  if (rest === undefined || rest.trim() !== "") {
    const model = rest === undefined ? {} : { model: rest };
    if (kind === "claude") return accepted(createClaudeAgent({ ...env, ...options.claude, ...model }));
    if (kind === "codex") return accepted(createCodexAgent({ ...env, ...options.codex, ...model }));
  }
  if (rest !== undefined && rest.trim() !== "") {
    if (kind === "acp") return accepted(createAcpAgent(rest, { ...env, ...options.acp }));
    if (kind === "command") return accepted(createCommandAgent(rest, env));
    if (kind === "replay") return createReplayAgent(rest, options.replay);
  }
  return unknownAgent(spec, AGENT_FORMS);
}

/** What a name that nobody has is: bad input, and which names there are. */
export function unknownAgent(spec: string, forms: readonly string[]): Extract<Result<never>, { ok: false }> {
  const message = `there is no agent ${JSON.stringify(spec)}`;
  return { ok: false, problems: [{ code: "unknown_value", message, hint: `agents are: ${forms.join(", ")}` }] };
}

/** Tried in this order where no agent is named. */
export const INSTALLABLE = ["claude", "codex"] as const;

/** The first agent that is installed; else what to install. Runs each candidate's `--version`, which spends nothing. */
export async function firstInstalled(options: AgentOptions = {}): Promise<Result<Agent>> {
  const reasons: string[] = [];
  for (const name of INSTALLABLE) {
    const agent = createAgent(name, options);
    if (!agent.ok) return agent;
    const found = await agent.value.available();
    if (found.ok) return agent;
    reasons.push(found.reason);
  }
  return refused(
    `no agent is installed: ${reasons.join(", ")}`,
    "install one, or name any program: --agent 'command:<shell command>'",
  );
}
