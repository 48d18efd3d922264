/** An agent and what it used, in the words of the GenAI semantic conventions. */
import type { Attributes } from "@opentelemetry/api";
import type { Usage } from "../../core/event.ts";
import { agentKind } from "../../loop/agent-kinds.ts";

/** @param label as the journal names an agent: `claude`, `claude:opus`, `command:sh` */
export function agentAttributes(label: string | undefined): Attributes {
  if (label === undefined) return {};
  const [kind = label, ...rest] = label.split(":");
  const provider = agentKind(kind)?.provider;
  return {
    "gen_ai.agent.name": label,
    ...(provider === undefined ? {} : { "gen_ai.provider.name": provider }),
    ...(provider === undefined || rest.length === 0 ? {} : { "gen_ai.request.model": rest.join(":") }),
  };
}

/** The conventions know no cost: that one is ours. */
export function usageAttributes(usage: Usage | undefined): Attributes {
  const { input_tokens, output_tokens, cost_usd } = usage ?? {};
  return {
    ...(input_tokens === undefined ? {} : { "gen_ai.usage.input_tokens": input_tokens }),
    ...(output_tokens === undefined ? {} : { "gen_ai.usage.output_tokens": output_tokens }),
    ...(cost_usd === undefined ? {} : { "aot.cost_usd": cost_usd }),
  };
}
