/**
 * What calls cost of agents that tell tokens and no price (SPEC section 4: a budget in USD needs one). No price is built
 * in: they change, and a wrong one is worse than none.
 */
import { readFileSync } from "node:fs";
import type { Usage } from "../core/event.ts";
import { accepted, refused, type Result } from "../core/problem.ts";
import { agentLabel } from "../loop/agent-label.ts";
import type { Agent } from "../loop/ports.ts";
import { FILLED, may, need, record, type Type } from "../statefile/field-types.ts";
import { readYamlValue } from "../statefile/read-yaml-value.ts";

/** USD per million tokens, and who says so. */
export interface Price {
  /** Agent name as given to --agent; one that ends with `*` is a beginning. */
  readonly agent: string;
  readonly input: number;
  readonly output: number;
  readonly source: string;
}

export type PriceTable = readonly Price[];

const USD: Type = { kind: "number", min: 0 };
const TABLE: Type = {
  kind: "table",
  name: "agent",
  as: "pairs",
  of: record({
    input: need(USD, "USD per million tokens read."),
    output: need(USD, "USD per million tokens written."),
    source: may(FILLED, "Where the price is from, and of when."),
  }),
};

/**
 * Reads a price table: YAML or JSON, one entry for each agent: `codex: {input: 1.25, output: 10, source: "..."}`.
 * @param shown the file as the person named it
 */
export function readPrices(file: string, shown: string): Result<PriceTable> {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return refused(`the price table ${shown} cannot be read: ${why}`, "name a YAML or JSON file");
  }
  const read = readYamlValue(text, TABLE, "a price table");
  if (!read.ok) return read;
  const entries = read.value as readonly (readonly [string, Omit<Price, "agent" | "source"> & { source?: string }])[];
  return accepted(
    entries.map(([agent, { input, output, source }]) => ({
      agent,
      input,
      output,
      source: source ?? `no source in ${shown}`,
    })),
  );
}

/** The whole name wins, then the longest beginning. */
export function priceOf(name: string, table: PriceTable): Price | undefined {
  const fits = (price: Price): boolean =>
    price.agent === name || (price.agent.endsWith("*") && name.startsWith(price.agent.slice(0, -1)));
  return table.filter(fits).toSorted((a, b) => rank(b, name) - rank(a, name))[0];
}

function rank(price: Price, name: string): number {
  return price.agent === name ? Infinity : price.agent.length;
}

/** The usage with its cost; what an agent says of its cost itself stands. */
export function pricedUsage(usage: Usage, price: Price): Usage {
  if (usage.cost_usd !== undefined) return usage;
  if (usage.input_tokens === undefined && usage.output_tokens === undefined) return usage;
  const cost_usd = ((usage.input_tokens ?? 0) * price.input + (usage.output_tokens ?? 0) * price.output) / 1e6;
  return { ...usage, cost_usd };
}

/**
 * The agent, its calls priced where it does not say itself what they cost.
 * @param note called once, when the first call is priced, with the price and its source; or when nobody knows a price
 */
export function priced(agent: Agent, table: PriceTable, note: (message: string) => void): Agent {
  const reported = new Set<string>();
  const tell = (name: string, price: Price | undefined): void => {
    if (reported.has(name)) return;
    reported.add(name);
    note(
      price === undefined
        ? `${name} reports tokens but no cost: limits in USD do not apply to it; give its price with --prices FILE`
        : `${name} reports no cost: ${price.input} USD per million tokens read, ${price.output} written (${price.source})`,
    );
  };
  return {
    ...agent,
    call: async (request, signal) => {
      const answer = await agent.call(request, signal);
      const { usage } = answer;
      if (usage === undefined || usage.cost_usd !== undefined) return answer;
      // Of several that replace each other: the one that answered.
      const name = answer.agent ?? agent.name;
      const price = priceOf(name, table);
      tell(agentLabel(name), price);
      return price === undefined ? answer : { ...answer, usage: pricedUsage(usage, price) };
    },
  };
}
