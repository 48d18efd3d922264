/**
 * Several agents for one role, the first that can work before the others (SPEC section 10).
 *
 * FALLBACK-1 an agent that is rate limited rests until its limit ends; one that cannot work at all (no login) rests for
 *    good;
 * FALLBACK-2 who takes over, and for whom, is reported once for each rest;
 * FALLBACK-3 what an agent is asked to repair is its own: another one is given the whole request;
 * FALLBACK-4 usage is that of every agent that was asked.
 */
import { formatDuration } from "../../core/fuel.ts";
import { sum } from "../../loop/ask.ts";
import type { Agent, AgentAnswer, AgentRequest } from "../../loop/ports.ts";

export interface FallbackOptions {
  /** Milliseconds on a clock that never jumps. */
  readonly monotonic?: () => number;
  /** Called with who takes over for whom, and why. */
  readonly tell?: (message: string) => void;
}

interface Rest {
  /** Infinity: for good. */
  readonly until: number;
  readonly reason: string;
}

/** Calls whose answerer is remembered; only a repair asks, right after its call. */
const MOST_CALLS = 256;

/** @param agents at least one, the preferred first */
export function createFallback(agents: readonly Agent[], options: FallbackOptions = {}): Agent {
  const now = options.monotonic ?? (() => performance.now());
  const rests = new Map<Agent, Rest>();
  const answerers = new Map<string, Agent>();
  const isResting = (agent: Agent): boolean => (rests.get(agent)?.until ?? 0) > now();
  const rest = (agent: Agent, reason: string, retry_after_ms: number | undefined): void => {
    const wait = retry_after_ms ?? Infinity;
    const known = isResting(agent);
    rests.set(agent, { until: now() + wait, reason });
    const next = agents.find((other) => !isResting(other));
    if (known || next === undefined) return;
    const how = wait === Infinity ? "cannot work" : `rests for ${formatDuration(wait)}`;
    options.tell?.(`${agent.name} ${how}, ${next.name} takes over: ${reason}`);
  };
  const allRest = (): Extract<AgentAnswer, { kind: "unavailable" }> => {
    const resting = agents.flatMap((agent) => rests.get(agent) ?? []);
    const soonest = Math.min(...resting.map(({ until }) => until));
    const reason = agents.map((agent) => `${agent.name}: ${rests.get(agent)?.reason ?? ""}`).join("; ");
    return {
      kind: "unavailable",
      reason,
      ...(soonest === Infinity ? {} : { retry_after_ms: Math.max(0, Math.ceil(soonest - now())) }),
    };
  };

  return {
    name: agents.map(({ name }) => name).join(","),
    ...dearest(agents),
    async call(request, signal) {
      let usage: AgentAnswer["usage"];
      const before = answerers.get(request.call);
      for (const agent of agents) {
        if (isResting(agent)) continue;
        const own = agent === before || before === undefined ? request : asNew(request);
        const answer = await agent.call(own, signal);
        usage = sum(usage, answer.usage);
        if (answer.kind !== "unavailable") {
          remember(answerers, request.call, agent);
          return { agent: agent.name, ...answer, ...(usage === undefined ? {} : { usage }) };
        }
        rest(agent, answer.reason, answer.retry_after_ms);
      }
      return { ...allRest(), ...(usage === undefined ? {} : { usage }) };
    },
    async available() {
      const found = await Promise.all(agents.map(async (agent) => ({ agent, there: await agent.available() })));
      for (const { agent, there } of found) if (!there.ok) rests.set(agent, { until: Infinity, reason: there.reason });
      const first = found.find(({ there }) => there.ok);
      if (first === undefined) return { ok: false, reason: allRest().reason };
      for (const { agent, there } of found)
        if (!there.ok) options.tell?.(`${agent.name} cannot work, ${first.agent.name} takes over: ${there.reason}`);
      return first.there;
    },
    close: async () => void (await Promise.all(agents.map((agent) => agent.close()))),
  };
}

function remember(answerers: Map<string, Agent>, call: string, agent: Agent): void {
  answerers.delete(call);
  answerers.set(call, agent);
  const [oldest] = answerers.keys();
  if (answerers.size > MOST_CALLS && oldest !== undefined) answerers.delete(oldest);
}

/** FALLBACK-3: the session is another agent's. */
function asNew({ repair, ...request }: AgentRequest): AgentRequest {
  return repair === undefined ? request : { ...request, repair: { answer: repair.answer, problem: repair.problem } };
}

/** The highest price of a call; unknown if one agent's is, since any of them may be called. */
export function dearest(agents: readonly Agent[]): { readonly max_call_usd?: number } {
  const prices = agents.flatMap(({ max_call_usd }) => max_call_usd ?? []);
  return prices.length === agents.length && prices.length > 0 ? { max_call_usd: Math.max(...prices) } : {};
}
