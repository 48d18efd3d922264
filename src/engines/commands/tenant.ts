/** `aot engine tenant`: what the loops of one tenant may use together, and what they use. */
import { agentRefusal } from "../owned-loop.ts";
import { asking } from "../client.ts";
import { accepted, refused, type Result } from "../../core/problem.ts";
import type { Engine } from "../../loop/engine.ts";
import { NO_TENANT, readTenantName, whyTenantWaits, type Tenant, type TenantLimits } from "../../loop/tenant.ts";
import type { Call } from "../../command/call.ts";
import { engineOf } from "./call.ts";
import { failure } from "../../command/problem-text.ts";
import type { Run } from "../../command/spec.ts";

export const run: Run = async (call) => {
  const name = readTenantName(call.arg("name") ?? "");
  if (!name.ok) return failure(name.problems);
  const engine = await engineOf(call);
  if (!engine.ok) return failure(engine.problems);
  const reported = await limitedOrSeen(call, engine.value, name.value);
  if (!reported.ok) return failure(reported.problems);
  const { limits, granted, waiting, day, spent_usd } = reported.value;
  const why = waiting.length === 0 ? null : whyTenantWaits(reported.value);
  const json = { success: true, engine: engine.value.name, tenant: name.value, limits, granted, day, spent_usd };
  return { exit: 0, json: { ...json, waiting: waiting.map(shown) }, text: textOf(name.value, reported.value, why) };
};

async function limitedOrSeen(call: Call, engine: Engine, name: string): Promise<Result<Tenant>> {
  const { tenants } = engine;
  if (tenants === undefined) return refused(`${engine.name} keeps no tenants`, "ask an engine on Restate");
  const seen = await asking(() => tenants.view(name));
  if (!seen.ok) return seen;
  const known = seen.value ?? NO_TENANT;
  const [agents, cost] = [call.number("agents"), call.number("cost-per-day")];
  if (agents === undefined && cost === undefined) return accepted(known);
  const agent = agentRefusal(call.io.env);
  if (agent !== null) return agent;
  return await asking(() => tenants.limit(name, limitsWith(known.limits, agents, cost)));
}

/** 0: no limit any more; not given: as it was. */
function limitsWith(known: TenantLimits, agents = known.agents, cost = known.cost_per_day_usd): TenantLimits {
  return {
    ...(agents === undefined || agents === 0 ? {} : { agents }),
    ...(cost === undefined || cost === 0 ? {} : { cost_per_day_usd: cost }),
  };
}

function shown({ loop, task }: Tenant["waiting"][number]): Tenant["granted"][number] {
  return { loop, task };
}

function textOf(name: string, { limits, granted, waiting, spent_usd }: Tenant, why: string | null): string {
  const { agents, cost_per_day_usd: cost } = limits;
  const lines = [
    `${name}: ${granted.length} of ${agents ?? "any number of"} agents running, $${spent_usd.toFixed(2)} of ${cost === undefined ? "any sum" : `$${cost.toFixed(2)}`} spent today (UTC)`,
    ...granted.map(({ loop, task }) => `  ${task} of ${loop}`),
    ...(waiting.length === 0 ? [] : [`${waiting.length} waiting: ${why ?? "they are being let go"}`]),
    ...waiting.map(({ loop, task }) => `  ${task} of ${loop}`),
  ];
  return lines.join("\n");
}
