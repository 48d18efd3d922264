/** Who judges, by the name that --judge gives (SPEC section 10): an agent, or a model without a client. */
import { createAgent, unknownAgent, type AgentOptions } from "../adapters/agents/find.ts";
import { createModelAgent } from "../adapters/judge/model-agent.ts";
import { accepted, type Result } from "../core/problem.ts";
import { AGENT_FORMS } from "../loop/agent-kinds.ts";
import type { Agent } from "../loop/ports.ts";

export interface FoundJudge {
  readonly agent: Agent;
  /** It sees its prompt and no folder. */
  readonly prompt_only: boolean;
}

const JUDGE_FORMS = [...AGENT_FORMS, "ai:<provider>/<model>", "none"];

/** Starts nothing; `agent.available()` tells whether it can judge here. */
export function findJudge(spec: string, options: AgentOptions = {}): Result<FoundJudge> {
  const prompt_only = spec === "ai" || spec.startsWith("ai:");
  const found = prompt_only ? createModelAgent(spec) : createAgent(spec, options);
  if (found.ok) return accepted({ agent: found.value, prompt_only });
  return prompt_only || spec.startsWith("replay:") ? found : unknownAgent(spec, JUDGE_FORMS);
}
