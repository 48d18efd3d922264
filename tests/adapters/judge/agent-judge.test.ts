import { expect, test } from "vitest";
import { createJudge } from "../../../src/adapters/judge/agent-judge.ts";
import { createScoresJudge } from "../../../src/adapters/judge/scores-judge.ts";
import type { Leaf } from "../../../src/core/verdict.ts";
import type { Agent, AgentAnswer, AgentRequest, Judge } from "../../../src/loop/ports.ts";

const never = (): AbortSignal => new AbortController().signal;
const ASSERTION: Leaf = { path: [0], item: "sound", check: { type: "assertion", value: "No dead code" } };
const QUALITY: Leaf = {
  path: [1],
  item: "good code",
  check: {
    type: "quality",
    rubric: [
      { criterion: "Readability", weight: 0.4 },
      { criterion: "Design", weight: 0.4 },
    ],
    pass_threshold: 3.5,
  },
};
const SIMPLE: Leaf = {
  path: [2],
  item: "short",
  check: { type: "quality", criteria: "Functions under 20 lines", pass_threshold: 3 },
};
const COMMAND: Leaf = { path: [3], item: "tests", check: { type: "command", value: "npm test" } };

function judged(...answers: AgentAnswer[]): Judge & { readonly asked: AgentRequest[] } {
  const asked: AgentRequest[] = [];
  const agent: Agent = {
    name: "scripted",
    call(request) {
      asked.push(request);
      return Promise.resolve(answers.shift() ?? { kind: "failed", reason: "asked once too often" });
    },
    available: () => Promise.resolve({ ok: true }),
    close: () => Promise.resolve(),
  };
  return { ...createJudge(agent, { timeout_ms: 1_000, budget_usd: 2 }), asked };
}
const answer = (value: unknown): AgentAnswer => ({ kind: "answer", value, usage: { cost_usd: 0.5 } });
const scores = (readability: number, design: number): AgentAnswer =>
  answer({
    scores: [
      { criterion: "Readability", score: readability, reason: "r" },
      { criterion: "Design", score: design, reason: "d" },
    ],
  });

test("SPEC 6: an assertion that the judge finds true needs a person's word; a false one does not", async () => {
  const usage = { cost_usd: 0.5 };
  expect(await judged(answer({ passed: true, evidence: "a.ts:1" })).judge(ASSERTION, "/w", never())).toEqual({
    passed: true,
    evidence: { kind: "judgement", reason: "a.ts:1" },
    requires_user_confirmation: true,
    usage,
  });
  expect(await judged(answer({ passed: false, evidence: "b.ts:2" })).judge(ASSERTION, "/w", never())).toEqual({
    passed: false,
    evidence: { kind: "judgement", reason: "b.ts:2" },
    usage,
  });
});

test("SPEC 6: the average is the code's, with weights normalised", async () => {
  expect(await judged(scores(4, 3)).judge(QUALITY, "/w", never())).toMatchObject({
    passed: true,
    evidence: { kind: "scores", average: 3.5, threshold: 3.5 },
  });
  expect(await judged(scores(3, 3)).judge(QUALITY, "/w", never())).toMatchObject({ passed: false });
  const simple = answer({ scores: [{ criterion: "Functions under 20 lines", score: 3, reason: "r" }] });
  expect(await judged(simple).judge(SIMPLE, "/w", never())).toMatchObject({ passed: true });
});

test("SPEC 6: a judge's own word for the whole counts for nothing; a score out of range is asked for again", async () => {
  const judge = judged(
    answer({ passed: true, scores: [{ criterion: "Readability", score: 9, reason: "!" }] }),
    scores(1, 1),
  );
  expect(await judge.judge(QUALITY, "/w", never())).toMatchObject({ passed: false, usage: { cost_usd: 1 } });
  expect(judge.asked[1]?.repair?.problem).toContain("from 1 to 5");
});

test("SPEC 6: the judge reads the checked-out folder and gets no binding, nogood or atom", async () => {
  const judge = judged(answer({ passed: true, evidence: "e" }));
  await judge.judge(ASSERTION, "/checkout", never());
  expect(judge.asked[0]).toMatchObject({
    role: "judge",
    call: "judge:sound",
    cwd: "/checkout",
    bindings: {},
    nogoods: [],
    budget_usd: 2,
  });
  expect(judge.asked[0]).not.toHaveProperty("atom");
});

test.each<[AgentAnswer, object]>([
  [
    { kind: "failed", reason: "boom" },
    { passed: null, evidence: { kind: "error", message: expect.stringContaining("boom") } },
  ],
  [
    { kind: "unavailable", reason: "no login" },
    { passed: null, evidence: { kind: "undecided" }, unavailable: "no login" },
  ],
  [{ kind: "aborted" }, { passed: null, evidence: { kind: "undecided" } }],
])("SPEC 6: %j decides nothing", async (given, expected) => {
  expect(await judged(given).judge(ASSERTION, "/w", never())).toMatchObject(expected);
  expect(await judged(given).judge(QUALITY, "/w", never())).toMatchObject(expected);
});

test("SPEC 6: nonsense twice is an error, not a false", async () => {
  const nonsense: AgentAnswer = { kind: "unreadable", text: "fine", problem: "no JSON" };
  expect(await judged(nonsense, nonsense).judge(ASSERTION, "/w", never())).toMatchObject({
    passed: null,
    evidence: { kind: "error", message: expect.stringContaining("unreadable") },
  });
});

test("a mechanical check is none of its business", async () => {
  const judge = judged();
  expect(await judge.judge(COMMAND, "/w", never())).toMatchObject({ passed: null });
  expect(judge.asked).toEqual([]);
});

const LEAVES = [ASSERTION, QUALITY, SIMPLE, COMMAND];
const scoresJudge = (content: unknown) =>
  createScoresJudge(typeof content === "string" ? content : JSON.stringify(content), LEAVES);

test("SPEC 10: scores from a file decide as an agent's would; what they leave out stays undecided", async () => {
  const made = scoresJudge({
    sound: { passed: true, evidence: "seen" },
    "good code": { Readability: { score: 4, reason: "r" }, Design: { score: 3 } },
  });
  if (!made.ok) throw new Error(JSON.stringify(made));
  expect(await made.value.judge(ASSERTION, "/w", never())).toMatchObject({
    passed: true,
    requires_user_confirmation: true,
  });
  expect(await made.value.judge(QUALITY, "/w", never())).toMatchObject({
    passed: true,
    evidence: { kind: "scores", average: 3.5 },
  });
  expect(await made.value.judge(SIMPLE, "/w", never())).toMatchObject({
    passed: null,
    evidence: { kind: "undecided", reason: expect.stringContaining("short") },
  });
});

test.each<[unknown, string[]]>([
  ["{", ["not JSON"]],
  [[], ["one JSON object"]],
  [{ typo: {} }, ['"typo"']],
  [{ tests: { passed: true, evidence: "e" } }, ['"tests"']],
  [{ sound: { passed: "yes", evidence: "e" } }, ["true or false"]],
  [{ "good code": { Readability: { score: 4 } } }, ['"Design"']],
  [
    { "good code": { Readability: { score: 0 }, Design: { score: 3 } }, sound: 1, typo: 2 },
    ["from 1 to 5", "JSON object", '"typo"'],
  ],
])("SPEC 10: scores %j are refused, every problem told with the shape that would be right", (content, named) => {
  const made = scoresJudge(content);
  if (made.ok) throw new Error("accepted");
  expect(made.problems).toHaveLength(named.length);
  for (const part of named) expect(made.problems.map((p) => p.message)).toContainEqual(expect.stringContaining(part));
  expect(made.problems.every((p) => p.hint !== undefined)).toBe(true);
});
