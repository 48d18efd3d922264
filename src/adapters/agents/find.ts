import { ACP_CLIENTS, type AcpClient } from "../../loop/acp-clients.ts";
import { accepted, problem, refused, type Refused, type Result } from "../../core/problem.ts";
import { AGENT_FORMS, agentKind, NEXT_AGENT, TRIED, type AgentKind } from "../../loop/agent-kinds.ts";
import type { Confinement } from "../../loop/confinement.ts";
import type { Agent } from "../../loop/ports.ts";
import { createAcpAgent, type AcpOptions } from "./acp.ts";
import { createClaudeAgent, type ClaudeOptions } from "./claude.ts";
import { createCodexAgent, type CodexOptions } from "./codex.ts";
import { installedVersion } from "./client-login.ts";
import { createCommandAgent } from "./command.ts";
import { createFallback } from "./fallback.ts";
import { createReplayAgent, type ReplayOptions } from "./replay.ts";

export interface AgentOptions {
  readonly claude?: ClaudeOptions;
  readonly codex?: CodexOptions;
  readonly acp?: AcpOptions;
  readonly replay?: ReplayOptions;
  /** The whole environment of the agents' processes; default: this process's. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Where the agents' processes run; default: in their folders, with all rights. */
  readonly place?: Confinement;
  /** Called when one of several agents takes over for another, and why. */
  readonly tell?: (message: string) => void;
  /** Wraps each agent, those of a list one by one: what is asked of it depends on which one it is. */
  readonly each?: (agent: Agent) => Agent;
}

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

/** How each kind is driven. @param given what follows the colon; a model may be undefined */
type Create = (given: string | undefined, options: AgentOptions) => Result<Agent>;

const withModel = (model: string | undefined): { readonly model?: string } => (model === undefined ? {} : { model });
const processOf = ({ env, place }: AgentOptions): Pick<AgentOptions, "env" | "place"> => ({
  ...(env && { env }),
  ...(place && { place }),
});

const acpClient =
  ({ name, args, install, model: named }: AcpClient): Create =>
  (model, { acp = {}, env = process.env, place }) => {
    if (model !== undefined && named === undefined)
      return refused(
        `${name} takes no model here`,
        `choose it in the client's own settings, and write --agent ${name}`,
      );
    const base = { ...(acp.env ?? env), ...(model === undefined ? {} : named?.(model)) };
    const agent = createAcpAgent(`${name} ${args}`, { ...(place && { place }), ...acp, env: base, user: name });
    return accepted({
      ...agent,
      name: model === undefined ? name : `${name}:${model}`,
      available: async () => {
        const protocol = await agent.available();
        return protocol.ok ? await installedVersion(name, base, install) : protocol;
      },
    });
  };

const CREATE: ReadonlyMap<string, Create> = new Map<AgentKind, Create>([
  ["claude", (model, how) => accepted(createClaudeAgent({ ...processOf(how), ...how.claude, ...withModel(model) }))],
  ["codex", (model, how) => accepted(createCodexAgent({ ...processOf(how), ...how.codex, ...withModel(model) }))],
  ...ACP_CLIENTS.map((client) => [client.name, acpClient(client)] as const),
  ["acp", (command = "", how) => accepted(createAcpAgent(command, { ...processOf(how), ...how.acp }))],
  ["command", (line = "", how) => accepted(createCommandAgent(line, processOf(how)))],
  ["replay", (file = "", how) => createReplayAgent(file, how.replay)],
]);

function createOne(spec: string, options: AgentOptions): Result<Agent> {
  const [, name = "", given] = /^([^:]*)(?::([^]*))?$/.exec(spec) ?? [];
  const create = CREATE.get(name);
  const isWhole = given === undefined ? agentKind(name)?.takes === "model" : given.trim() !== "";
  return create === undefined || !isWhole ? unknownAgent(spec) : create(given, options);
}

/** What a name that nobody has is: bad input, and which names there are. */
function unknownAgent(spec: string): Refused {
  return problem("unknown_value", `there is no agent ${JSON.stringify(spec)}`, `agents are: ${AGENT_FORMS.join(", ")}`);
}

/** The first agent that is installed; else what to install. Runs each candidate's `--version`, which spends nothing. */
export async function firstInstalled(options: AgentOptions = {}): Promise<Result<Agent>> {
  const reasons: string[] = [];
  for (const name of TRIED) {
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
