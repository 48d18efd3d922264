import { expect, test } from "vitest";
import { readWorkerAnswer } from "../../src/loop/answers.ts";
import { ask, repairPrompt } from "../../src/loop/ask.ts";
import type { Agent, AgentAnswer, AgentRequest } from "../../src/loop/ports.ts";

const REQUEST: AgentRequest = {
  role: "worker",
  call: "A1.1",
  atom: { id: "A1", description: "d" },
  prompt: "write the lexer",
  bindings: {},
  nogoods: [],
  schema: { type: "object" },
  cwd: "/",
  timeout_ms: 1_000,
};
const GOOD: AgentAnswer = {
  kind: "answer",
  value: { success: true, summary: "s" },
  usage: { cost_usd: 1, input_tokens: 10 },
};
const NONSENSE: AgentAnswer = {
  kind: "unreadable",
  text: "I am done!",
  problem: "no JSON object",
  usage: { cost_usd: 2 },
  session: "s-1",
};
const UNFIT: AgentAnswer = { kind: "answer", value: { success: "true" }, usage: { cost_usd: 2, output_tokens: 5 } };

/** Answers in this order and keeps what it was asked. */
function scripted(...answers: AgentAnswer[]): Agent & { readonly asked: AgentRequest[] } {
  const asked: AgentRequest[] = [];
  return {
    name: "scripted",
    asked,
    call(request) {
      asked.push(request);
      const next = answers.shift();
      return next === undefined ? Promise.reject(new Error("asked once too often")) : Promise.resolve(next);
    },
    available: () => Promise.resolve({ ok: true }),
    close: () => Promise.resolve(),
  };
}
/** Every outcome says who answered. */
const go = async (agent: Agent, request = REQUEST, signal = new AbortController().signal) => {
  const { agent: by, ...outcome } = await ask(agent, request, readWorkerAnswer, signal);
  expect(by).toBe(agent.name);
  return outcome;
};

test("SPEC 7: an answer that fits is read at once", async () => {
  const agent = scripted(GOOD);
  expect(await go(agent)).toEqual({
    kind: "answered",
    value: { kind: "result", success: true, summary: "s", artifacts: [] },
    usage: { ...GOOD.usage, calls: 1 },
  });
  expect(agent.asked).toHaveLength(1);
});

test("SPEC 7: nonsense is asked for once more, with what it said, what was wrong and its session", async () => {
  const agent = scripted(NONSENSE, GOOD);
  expect(await go(agent)).toMatchObject({ kind: "answered", usage: { calls: 2, cost_usd: 3, input_tokens: 10 } });
  expect(agent.asked.map((request) => request.repair)).toEqual([
    undefined,
    { answer: "I am done!", problem: "no JSON object", session: "s-1" },
  ]);
});

test("SPEC 7: an object that does not fit is asked for once more, too", async () => {
  const agent = scripted(UNFIT, GOOD);
  expect(await go(agent)).toMatchObject({
    kind: "answered",
    usage: { cost_usd: 3, input_tokens: 10, output_tokens: 5 },
  });
  expect(agent.asked[1]?.repair).toEqual({ answer: '{"success":"true"}', problem: expect.stringContaining("success") });
});

test("SPEC 7: the second unreadable answer is a failure that tells what was said; there is no third call", async () => {
  const agent = scripted(UNFIT, NONSENSE);
  expect(await go(agent)).toEqual({
    kind: "failed",
    failure: "unreadable",
    reason: expect.stringMatching(/no JSON object.*I am done!/),
    usage: { calls: 2, cost_usd: 4, output_tokens: 5 },
  });
  expect(agent.asked).toHaveLength(2);
});

test.each<[AgentAnswer, object]>([
  [
    { kind: "failed", reason: "exit 1" },
    { kind: "failed", failure: "failed", reason: "exit 1", died: true },
  ],
  [
    { kind: "failed", reason: "slow", timed_out: true },
    { kind: "failed", failure: "timeout", reason: "slow" },
  ],
  [
    { kind: "unavailable", reason: "429", retry_after_ms: 5 },
    { kind: "unavailable", reason: "429", retry_after_ms: 5 },
  ],
  [{ kind: "aborted" }, { kind: "aborted" }],
])("SPEC 7: %j is no matter of form: never asked again, in the first call or the second", async (answer, outcome) => {
  const calls = answer.kind === "unavailable" ? 0 : 1;
  expect(await go(scripted(answer))).toEqual({ ...outcome, ...(calls > 0 && { usage: { calls } }) });
  expect(await go(scripted(NONSENSE, answer))).toEqual({ ...outcome, usage: { calls: calls + 1, cost_usd: 2 } });
});

test("ASK-3: the second call may cost what the first left, and nothing left is no second call", async () => {
  const agent = scripted(NONSENSE, GOOD);
  await go(agent, { ...REQUEST, budget_usd: 5 });
  expect(agent.asked[1]?.budget_usd).toBe(3);
  const spent = scripted(NONSENSE);
  expect(await go(spent, { ...REQUEST, budget_usd: 2 })).toMatchObject({
    kind: "failed",
    failure: "unreadable",
    reason: expect.stringContaining("no budget"),
  });
});

test("SPEC 7: an abort between the calls asks no more", async () => {
  const stop = new AbortController();
  const agent: Agent = { ...scripted(), call: () => (stop.abort(), Promise.resolve(NONSENSE)) };
  expect(await go(agent, REQUEST, stop.signal)).toEqual({ kind: "aborted", usage: { calls: 1, cost_usd: 2 } });
});

test("a repair's text carries the schema; without a session also the task and the answer", () => {
  const repair = { answer: "I am done!", problem: "no JSON object" };
  expect(repairPrompt(REQUEST)).toBe("write the lexer");
  for (const part of ["write the lexer", "I am done!", "no JSON object", '{"type":"object"}'])
    expect(repairPrompt({ ...REQUEST, repair })).toContain(part);
  expect(repairPrompt({ ...REQUEST, repair: { ...repair, session: "s" } })).not.toContain("write the lexer");
});

test("SPEC 7, ASK-3: the second call gets the tokens that the first left, and is not made without any", async () => {
  const used = { ...NONSENSE, usage: { input_tokens: 60, output_tokens: 10 } };
  const agent = scripted(used, GOOD);
  await go(agent, { ...REQUEST, budget_tokens: 100 });
  expect(agent.asked.map((request) => request.budget_tokens)).toEqual([100, 30]);
  const spent = scripted(used);
  expect(await go(spent, { ...REQUEST, budget_tokens: 70 })).toMatchObject({ kind: "failed", failure: "unreadable" });
});

test("SPEC 9: who died is distinguished from who worked and failed, and from who only took too long", async () => {
  const died = async (...answers: AgentAnswer[]): Promise<boolean> => {
    const outcome = await go(scripted(...answers));
    return outcome.kind === "failed" && outcome.died === true;
  };
  const silent: AgentAnswer = { kind: "unreadable", text: " ", problem: "stdout was empty" };
  expect(await died({ kind: "failed", reason: "exit code 1" })).toBe(true);
  expect(await died(silent, silent), "an immediate exit").toBe(true);
  expect(await died({ kind: "failed", reason: "too long", timed_out: true })).toBe(false);
  expect(await died({ kind: "failed", reason: "its turns are used up", usage: { output_tokens: 9 } })).toBe(false);
  expect(await died(NONSENSE, NONSENSE), "it said something").toBe(false);
  expect(await died({ kind: "answer", value: { success: false, summary: "red" } })).toBe(false);
});

test("SPEC 8: whatever its size, a reason or a problem is bounded before it becomes part of a loop", async () => {
  const HUGE = "x".repeat(20_000_000);
  const answers: readonly AgentAnswer[] = [
    { kind: "failed", reason: HUGE },
    { kind: "unavailable", reason: HUGE },
    { kind: "unreadable", text: HUGE, problem: HUGE },
    { kind: "answer", value: { success: HUGE } },
  ];
  for (const answer of answers) {
    const agent = scripted(answer, answer);
    const outcome = await go(agent);
    expect(JSON.stringify(outcome).length, answer.kind).toBeLessThan(12_000);
    for (const { repair } of agent.asked) expect(JSON.stringify(repair ?? {}).length).toBeLessThan(6_000);
  }
  const wordy = scripted({ kind: "answer", value: {} }, { kind: "answer", value: {} });
  const unfit = await ask(wordy, REQUEST, () => ({ ok: false, problem: HUGE }), new AbortController().signal);
  expect(JSON.stringify(unfit).length).toBeLessThan(12_000);
});
