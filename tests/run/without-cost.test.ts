/** Agents that tell tokens and no cost (SPEC section 4: a budget in USD). */
import { expect, test } from "vitest";
import type { Usage } from "../../src/core/event.ts";
import type { Agent, AgentRequest } from "../../src/loop/ports.ts";
import { tellsWithoutCost } from "../../src/run/without-cost.ts";

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

function telling(name: string, usage: Usage | undefined, by?: string): Agent {
  const own = { ...(usage === undefined ? {} : { usage }), ...(by === undefined ? {} : { agent: by }) };
  return {
    name,
    call: () => Promise.resolve({ kind: "answer", value: {}, ...own }),
    available: () => Promise.resolve({ ok: true }),
    close: () => Promise.resolve(),
  };
}

test("SPEC 4: of who answers without a cost it is said once that limits in USD do not apply", async () => {
  const notes: string[] = [];
  const tokens = { input_tokens: 1_000_000, output_tokens: 500_000 };
  const call = async (agent: Agent): Promise<Usage | undefined> =>
    (await agent.call(REQUEST, new AbortController().signal)).usage;
  const codex = tellsWithoutCost(telling("codex", tokens), (note) => notes.push(note));
  for (let turn = 0; turn < 2; turn++) expect(await call(codex)).toEqual(tokens);
  await call(tellsWithoutCost(telling("claude,gemini", tokens, "gemini"), (note) => notes.push(note)));
  await call(tellsWithoutCost(telling("claude", { cost_usd: 1 }), (note) => notes.push(note)));
  await call(tellsWithoutCost(telling("mute", undefined), (note) => notes.push(note)));
  expect(notes).toEqual([
    expect.stringMatching(/^codex reports tokens but no cost.*max_tokens/),
    expect.stringMatching(/^gemini reports tokens but no cost/),
  ]);
});
