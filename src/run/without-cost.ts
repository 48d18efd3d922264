/** Agents that tell tokens and no cost (SPEC section 4): a budget in USD does not bound them. */
import { agentLabel } from "../loop/agent-label.ts";
import type { Agent } from "../loop/ports.ts";

/** The agent. @param note called once for each that answers so */
export function tellsWithoutCost(agent: Agent, note: (message: string) => void): Agent {
  const told = new Set<string>();
  return {
    ...agent,
    call: async (request, signal) => {
      const answer = await agent.call(request, signal);
      // Of several that replace each other: the one that answered.
      const name = agentLabel(answer.agent ?? agent.name);
      if (answer.usage === undefined || answer.usage.cost_usd !== undefined || told.has(name)) return answer;
      told.add(name);
      note(`${name} reports tokens but no cost: limits in USD do not apply to it; bound it with --set max_tokens=N`);
      return answer;
    },
  };
}
