import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createFallback } from "../../../src/adapters/agents/fallback.ts";
import type { Agent, AgentAnswer, AgentRequest } from "../../../src/loop/ports.ts";
import { workerRequest } from "../../contracts/agent.ts";

const never = (): AbortSignal => new AbortController().signal;
const good: AgentAnswer = { kind: "answer", value: { success: true }, usage: { cost_usd: 1 } };
const limited = (retry_after_ms: number): AgentAnswer => ({
  kind: "unavailable",
  reason: "slow down",
  retry_after_ms,
  usage: { input_tokens: 5 },
});
const lost: AgentAnswer = { kind: "unavailable", reason: "not logged in" };

interface Scripted extends Agent {
  readonly asked: AgentRequest[];
}
/** Gives these answers in turn, the last for ever. */
function scripted(name: string, answers: readonly AgentAnswer[], more: Partial<Agent> = {}): Scripted {
  const asked: AgentRequest[] = [];
  return {
    name,
    asked,
    call: (request) => {
      asked.push(request);
      return Promise.resolve(answers[Math.min(asked.length, answers.length) - 1] ?? good);
    },
    available: () => Promise.resolve({ ok: true }),
    close: () => Promise.resolve(),
    ...more,
  };
}

function runAgentsOf(...agents: readonly Agent[]): { agent: Agent; reported: string[]; clock: { now: number } } {
  const reported: string[] = [];
  const clock = { now: 0 };
  const agent = createFallback(agents, { monotonic: () => clock.now, tell: (message) => void reported.push(message) });
  return { agent, reported, clock };
}

test("FALLBACK-1: the next agent works while the first is rate limited, and the first again when its limit ends", async () => {
  const first = scripted("claude", [limited(60_000), good]);
  const second = scripted("codex", [good]);
  const { agent, reported, clock } = runAgentsOf(first, second);
  // FALLBACK-4: what the refused call cost is counted.
  expect(await agent.call(workerRequest("/w"), never())).toEqual({
    ...good,
    agent: "codex",
    usage: { cost_usd: 1, input_tokens: 5 },
  });
  clock.now = 59_999;
  expect(await agent.call(workerRequest("/w"), never())).toMatchObject({ agent: "codex" });
  expect(first.asked).toHaveLength(1);
  clock.now = 60_000;
  expect(await agent.call(workerRequest("/w"), never())).toMatchObject({ agent: "claude" });
  expect(reported).toEqual(["claude rests for 1m 0s, codex takes over: slow down"]);
});

test("FALLBACK-1: an agent that is not logged in is not asked again", async () => {
  const first = scripted("claude", [lost]);
  const { agent, reported, clock } = runAgentsOf(first, scripted("codex", [good]));
  await agent.call(workerRequest("/w"), never());
  clock.now = 1e12;
  await agent.call(workerRequest("/w"), never());
  expect(first.asked).toHaveLength(1);
  expect(reported).toEqual(["claude cannot work, codex takes over: not logged in"]);
});

test("SPEC 7: when all are rate limited the wait is the shortest, and nobody is asked meanwhile", async () => {
  const agents = [scripted("a", [limited(9_000)]), scripted("b", [limited(4_000)]), scripted("c", [lost])];
  const { agent, clock } = runAgentsOf(...agents);
  expect(await agent.call(workerRequest("/w"), never())).toMatchObject({
    kind: "unavailable",
    retry_after_ms: 4_000,
    reason: "a: slow down; b: slow down; c: not logged in",
  });
  clock.now = 1_000;
  expect(await agent.call(workerRequest("/w"), never())).toMatchObject({ retry_after_ms: 3_000 });
  expect(agents.map(({ asked }) => asked.length)).toEqual([1, 1, 1]);
});

test("SPEC 7: when none can ever work no waiting helps", async () => {
  const answer = await runAgentsOf(scripted("a", [lost]), scripted("b", [lost])).agent.call(
    workerRequest("/w"),
    never(),
  );
  expect(answer).toMatchObject({ kind: "unavailable" });
  expect(answer).not.toHaveProperty("retry_after_ms");
});

test("a failure of the work is a failure: no other agent is asked", async () => {
  const second = scripted("b", [good]);
  const { agent } = runAgentsOf(scripted("a", [{ kind: "failed", reason: "no way" }]), second);
  expect(await agent.call(workerRequest("/w"), never())).toEqual({ kind: "failed", reason: "no way", agent: "a" });
  expect(second.asked).toEqual([]);
});

test("FALLBACK-3: a repair goes to whoever answered; another one is not given its session", async () => {
  const repair = { answer: "hm", problem: "no JSON", session: "s1" };
  const unreadable: AgentAnswer = { kind: "unreadable", text: "hm", problem: "no JSON", session: "s1" };
  const first = scripted("a", [unreadable, limited(1_000)]);
  const second = scripted("b", [good]);
  const { agent } = runAgentsOf(first, second);
  await agent.call(workerRequest("/w"), never());
  await agent.call(workerRequest("/w", { repair }), never());
  expect(first.asked[1]?.repair).toEqual(repair);
  expect(second.asked[0]?.repair).toEqual({ answer: "hm", problem: "no JSON" });
});

test("SPEC 10: those that are not installed are left out, and it is reported; only if none is there is it refused", async () => {
  const gone = (name: string): Agent =>
    scripted(name, [], { available: () => Promise.resolve({ ok: false, reason: "not installed" }) });
  const { agent, reported } = runAgentsOf(gone("a"), scripted("b", [good]));
  expect(await agent.available()).toEqual({ ok: true });
  expect(reported).toEqual(["a cannot work, b takes over: not installed"]);
  expect(await agent.call(workerRequest("/w"), never())).toMatchObject({ agent: "b" });
  expect(await runAgentsOf(gone("a"), gone("b")).agent.available()).toEqual({
    ok: false,
    reason: "a: not installed; b: not installed",
  });
});

test("a price is known only where each one's is", () => {
  const priced = (name: string, max_call_usd: number): Agent => scripted(name, [], { max_call_usd });
  expect(createFallback([priced("a", 1), priced("b", 3)]).max_call_usd).toBe(3);
  expect(createFallback([priced("a", 1), scripted("b", [])])).not.toHaveProperty("max_call_usd");
});

test("law: whatever the agents answer, none is asked while it rests, and the answer is the first that could be had", async () => {
  const answers = fc.array(fc.constantFrom(good, lost, limited(10), limited(1_000)), { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(answers, { minLength: 1, maxLength: 4 }),
      fc.array(fc.nat(500), { maxLength: 20 }),
      async (scripts, steps) => {
        const clock = { now: 0 };
        const rests = scripts.map(() => 0);
        const agents = scripts.map((script, index) => {
          let turn = 0;
          return scripted(String(index), [], {
            call: () => {
              expect(rests[index]).toBeLessThanOrEqual(clock.now);
              const answer = script[Math.min(turn++, script.length - 1)] ?? good;
              if (answer.kind === "unavailable") rests[index] = clock.now + (answer.retry_after_ms ?? Infinity);
              return Promise.resolve(answer);
            },
          });
        });
        const agent = createFallback(agents, { monotonic: () => clock.now });
        for (const ms of steps) {
          clock.now += ms;
          const answer = await agent.call(workerRequest("/w"), never());
          const awake = rests.findIndex((until) => until <= clock.now);
          if (awake === -1) expect(answer.kind).toBe("unavailable");
          else expect(answer).toMatchObject({ kind: "answer", agent: String(awake) });
        }
      },
    ),
  );
});
