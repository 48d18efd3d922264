/** Prices of agents that tell tokens and no cost (SPEC section 4: a budget in USD). */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { priced, pricedUsage, priceOf, readPrices, type Price } from "../../src/run/prices.ts";
import type { Usage } from "../../src/core/event.ts";
import type { Agent, AgentAnswer, AgentRequest } from "../../src/loop/ports.ts";
import { temporaryFolder } from "../support/bundle.ts";

const price = (agent: string, input = 1, output = 2): Price => ({ agent, input, output, source: "a page" });
const REQUEST: AgentRequest = {
  role: "worker",
  call: "A1.1",
  prompt: "p",
  bindings: {},
  nogoods: [],
  schema: {},
  cwd: "/",
  timeout_ms: 1,
};

test("the whole name wins, then the longest beginning; nothing fits where nothing is said", () => {
  const table = [
    price("*", 9),
    price("codex", 1),
    price("codex:*", 2),
    price("codex:gpt*", 3),
    price("codex:gpt-5", 4),
  ];
  const inputOf = (name: string): number | undefined => priceOf(name, table)?.input;
  expect(["codex", "codex:o3", "codex:gpt-4", "codex:gpt-5", "gemini"].map(inputOf)).toEqual([1, 2, 3, 4, 9]);
  expect(priceOf("gemini", table.slice(1))).toBe(undefined);
});

test("law: what an agent says it cost stands; else it is tokens times price, and never less for more", () => {
  const figure = fc.option(fc.nat(5_000_000), { nil: undefined });
  const usages = fc.record({ cost_usd: figure, input_tokens: figure, output_tokens: figure }, { requiredKeys: [] });
  const clean = (usage: object): Usage =>
    Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== undefined)) as Usage;
  fc.assert(
    fc.property(usages.map(clean), fc.nat(100), fc.nat(100), (usage, input, output) => {
      const cost = pricedUsage(usage, price("a", input, output)).cost_usd;
      const { cost_usd, input_tokens, output_tokens } = usage;
      const reported = input_tokens !== undefined || output_tokens !== undefined;
      const computed = reported ? ((input_tokens ?? 0) * input + (output_tokens ?? 0) * output) / 1e6 : undefined;
      expect(cost).toBe(cost_usd ?? computed);
    }),
  );
});

/** An agent of that name that always tells this usage. */
function telling(name: string, usage: Usage | undefined): Agent {
  const answer: AgentAnswer = { kind: "answer", value: {}, ...(usage === undefined ? {} : { usage }) };
  return {
    name,
    call: () => Promise.resolve(answer),
    available: () => Promise.resolve({ ok: true }),
    close: () => Promise.resolve(),
  };
}

test("the price and its source are reported once; so is that nobody knows one", async () => {
  const notes: string[] = [];
  const call = async (agent: Agent): Promise<Usage | undefined> =>
    (await agent.call(REQUEST, new AbortController().signal)).usage;
  const tokens = { input_tokens: 1_000_000, output_tokens: 500_000 };
  const known = priced(telling("codex", tokens), [price("codex", 1.25, 10)], (note) => notes.push(note));
  expect(await call(known)).toEqual({ ...tokens, cost_usd: 6.25 });
  await call(known);
  const unknown = priced(telling("gemini", tokens), [price("codex")], (note) => notes.push(note));
  expect(await call(unknown)).toEqual(tokens);
  await call(unknown);
  expect(notes).toEqual([
    "codex reports no cost: 1.25 USD per million tokens read, 10 written (a page)",
    expect.stringMatching(/^gemini reports tokens but no cost: limits in USD do not apply to it.*--prices/),
  ]);
  const first = { ...telling("codex,gemini", tokens) };
  const answered = {
    ...first,
    call: async (...asked: Parameters<Agent["call"]>) => ({ ...(await first.call(...asked)), agent: "codex" }),
  };
  expect(await call(priced(answered, [price("codex", 1, 0)], () => {})), "who answered counts").toMatchObject({
    cost_usd: 1,
  });
  await call(priced(telling("claude", { cost_usd: 1 }), [], (note) => notes.push(note)));
  await call(priced(telling("mute", undefined), [], (note) => notes.push(note)));
  expect(notes, "nothing to price, nothing to tell").toHaveLength(2);
});

test("a table is YAML or JSON; what is wrong in it is reported with its place", () => {
  const dir = temporaryFolder();
  const read = (name: string, text: string): ReturnType<typeof readPrices> => {
    writeFileSync(join(dir, name), text);
    return readPrices(join(dir, name), name);
  };
  const table = [{ agent: "codex", input: 1.25, output: 10, source: "openai.com, 2026-11" }];
  expect(read("p.yaml", 'codex: {input: 1.25, output: 10, source: "openai.com, 2026-11"}\n')).toEqual({
    ok: true,
    value: table,
  });
  expect(read("p.json", JSON.stringify({ "a*": { input: 0, output: 1 } }))).toEqual({
    ok: true,
    value: [{ agent: "a*", input: 0, output: 1, source: "no source in p.json" }],
  });
  expect(read("n.yaml", "codex: {input: -1, output: 10}")).toMatchObject({
    ok: false,
    problems: [{ path: ["codex", "input"] }],
  });
  expect(read("u.yaml", "codex: {input: 1, ouput: 10, output: 2}")).toMatchObject({
    ok: false,
    problems: [{ message: expect.stringContaining("ouput") }],
  });
  expect(readPrices(join(dir, "none"), "none")).toMatchObject({ ok: false });
});
