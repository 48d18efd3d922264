/** The figures of a run as OpenTelemetry metrics. */
import type * as Api from "@opentelemetry/api";
import type { Attributes } from "@opentelemetry/api";
import type { Usage } from "../../core/event.ts";
import { agentKind } from "../../loop/agent-kinds.ts";

export interface RunMetrics {
  /** The loop's measure `M` after an iteration (SPEC section 3). */
  measure(m: number): void;
  /** @param ms how long the call took */
  call(about: Attributes, ms: number, usage: Usage | undefined, error: string | null): void;
  attempt(role: string, result: string, ms: number): void;
}

export function createRunMetrics(api: typeof Api): RunMetrics {
  const meter = api.metrics.getMeter("aot-loop");
  const measure = meter.createGauge("aot.measure", { description: "Atoms that are not resolved yet" });
  const tokens = meter.createHistogram("gen_ai.client.token.usage", { unit: "{token}" });
  const duration = meter.createHistogram("gen_ai.client.operation.duration", { unit: "s" });
  const cost = meter.createCounter("aot.cost", { unit: "USD", description: "Cost as reported by the agents" });
  const attempts = meter.createHistogram("aot.attempt.duration", { unit: "s" });
  return {
    measure: (m) => measure.record(m),
    call: (about, ms, usage, error) => {
      const call = { "gen_ai.operation.name": "invoke_agent", ...about };
      duration.record(ms / 1_000, error === null ? call : { ...call, "error.type": error });
      const { input_tokens, output_tokens, cost_usd } = usage ?? {};
      if (input_tokens !== undefined) tokens.record(input_tokens, { ...call, "gen_ai.token.type": "input" });
      if (output_tokens !== undefined) tokens.record(output_tokens, { ...call, "gen_ai.token.type": "output" });
      if (cost_usd !== undefined) cost.add(cost_usd, about);
    },
    attempt: (role, result, ms) => attempts.record(ms / 1_000, { "aot.role": role, "aot.result": result }),
  };
}

// An agent and what it used, in the words of the GenAI semantic conventions.

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
