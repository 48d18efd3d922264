/** Which agent works in which role (SPEC section 10, Agents): one for all, or one for each. */
import { dearest } from "../adapters/agents/fallback.ts";
import { createAgent, firstInstalled, type AgentOptions } from "../adapters/agents/find.ts";
import { createRecorder } from "../adapters/agents/record.ts";
import { accepted, refused, type Refused } from "../core/problem.ts";
import { NEXT_AGENT } from "../loop/agent-kinds.ts";
import { agentLabel } from "../loop/agent-label.ts";
import type { Agent } from "../loop/ports.ts";
import { tellsWithoutCost } from "./without-cost.ts";

/** As given to the flags of these names. A list ("claude,codex"): the next while those before it are rate limited. */
export interface RoleNames {
  /** Who works in every role that is not named; absent: the worker, else the first that is installed. */
  readonly agent?: string;
  readonly worker?: string;
  readonly probe?: string;
  /** "none": nobody plans, each failing check becomes an atom. */
  readonly planner?: string;
  /** "none": nobody judges. */
  readonly judge?: string;
  /** Stronger agents, with commas: who works an atom after its first failure, its second and so on. */
  readonly escalate?: string;
}

export interface RoleAgents {
  readonly worker: Agent;
  readonly probe: Agent;
  readonly planner: Agent | null;
  /** Who works an atom after its first failure, its second and so on; the last one from there. Empty: the worker. */
  readonly escalation: readonly Agent[];
  readonly judge: Agent | null;
  /** Who works in which role, in one sentence; null: one agent in all. */
  readonly roles: string | null;
  /** Of any call of anybody, USD; absent: not known of everybody. */
  readonly max_call_usd?: number;
  close(): Promise<void>;
}

export interface RunAgentsHow extends AgentOptions {
  /** Every call is recorded in this file. */
  readonly record?: string;
  readonly warn?: (message: string) => void;
}

/** `unknown`: an agent that there is not, which is bad usage and not a state of the world. */
export type NoAgents = Refused & { readonly unknown?: true };

type Role = "worker" | "probe" | "planner" | "judge";

/** Refused when an agent is unknown or cannot work here. The same name in two roles is one agent. */
export async function gatherAgents(
  names: RoleNames,
  how: RunAgentsHow,
): Promise<{ readonly ok: true; readonly value: RoleAgents } | NoAgents> {
  const specs = specsOf(names);
  const found = new Map<string | undefined, Agent>();
  const users = (Object.entries(specs) as [Role, string | undefined][]).filter(([, spec]) => spec !== "none");
  for (const [role, spec] of users) {
    if (found.has(spec)) continue;
    const one = await find(role, spec, how);
    if (!one.ok) return one;
    found.set(spec, one.value);
  }
  const stronger = await escalationOf(names, found, how);
  if (!stronger.ok) return stronger;
  const of = (role: Role): Agent | null => (specs[role] === "none" ? null : (found.get(specs[role]) ?? null));
  const [worker, probe] = [of("worker"), of("probe")];
  if (worker === null || probe === null)
    return { ...refused("a loop needs a worker and a probe", "name agents, not `none`"), unknown: true };
  const agents = [...found.values()];
  return accepted({
    worker,
    probe,
    planner: of("planner"),
    escalation: stronger.value,
    judge: of("judge"),
    roles:
      found.size === 1 ? null : users.map(([role]) => `${role} ${agentLabel(of(role)?.name ?? "none")}`).join(", "),
    ...dearest(agents),
    close: async () => void (await Promise.all(agents.map((agent) => agent.close()))),
  });
}

function specsOf({ agent, worker, probe, planner, judge }: RoleNames): Readonly<Record<Role, string | undefined>> {
  const anyone = agent ?? worker;
  return {
    worker: worker ?? agent,
    probe: probe ?? anyone,
    planner: planner ?? anyone,
    judge: judge ?? anyone,
  };
}

/** @param found gets those that are new */
async function escalationOf(
  { escalate }: RoleNames,
  found: Map<string | undefined, Agent>,
  how: RunAgentsHow,
): Promise<{ readonly ok: true; readonly value: readonly Agent[] } | NoAgents> {
  const agents: Agent[] = [];
  for (const spec of escalate === undefined ? [] : escalate.split(NEXT_AGENT).map((name) => name.trim())) {
    const one = found.get(spec);
    const made = one === undefined ? await find("worker", spec, how) : accepted(one);
    if (!made.ok) return made;
    found.set(spec, made.value);
    agents.push(made.value);
  }
  return accepted(agents);
}

async function find(
  role: Role,
  spec: string | undefined,
  how: RunAgentsHow,
): Promise<{ readonly ok: true; readonly value: Agent } | NoAgents> {
  const made = spec === undefined ? await firstInstalled(how) : createAgent(spec, how);
  if (!made.ok) return spec === undefined ? made : { ...made, unknown: true };
  const agent = how.tell === undefined ? made.value : tellsWithoutCost(made.value, how.tell);
  const there = await agent.available();
  if (!there.ok)
    return refused(
      `the ${role}'s agent ${agent.name} is not available: ${there.reason}`,
      `install it or log in, or name another with --agent or --${role}`,
    );
  return how.record === undefined ? accepted(agent) : createRecorder(agent, how.record, how.warn ?? (() => {}));
}
