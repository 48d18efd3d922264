import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { createJudge } from "../../../src/adapters/judge/agent-judge.ts";
import { createScoresJudge } from "../../../src/adapters/judge/scores-judge.ts";
import type { Leaf } from "../../../src/core/verdict.ts";
import type { Agent, AgentAnswer, AgentRequest, Judge } from "../../../src/loop/ports.ts";
import { sharedFolder } from "./folders.ts";

const dir = sharedFolder({ "a.ts": "export const answer = 42;\nexport const other = 43;\n" }, afterAll);
const QUOTE = { file: "a.ts", line: 1, text: "export const answer = 42;" };
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
const scores = (readability: number, design: number, quote: object = QUOTE): AgentAnswer =>
  answer({
    scores: [
      { criterion: "Readability", score: readability, reason: `r${readability}`, quotes: [quote] },
      { criterion: "Design", score: design, reason: "d", quotes: [QUOTE] },
    ],
  });

test("SPEC 6: a judge's own word for the whole counts for nothing; a score out of range is asked for again", async () => {
  const judge = judged(
    answer({ passed: true, scores: [{ criterion: "Readability", score: 9, reason: "!" }] }),
    scores(1, 1),
  );
  expect(await judge.judge(QUALITY, dir, never())).toMatchObject({ passed: false, usage: { cost_usd: 1 } });
  expect(judge.asked[1]?.repair?.problem).toContain("1 to 5");
});

test("SPEC 6: the judge reads the checked-out folder and gets no binding, nogood or atom", async () => {
  const judge = judged(answer({ passed: true, evidence: "e", quotes: [QUOTE] }));
  await judge.judge(ASSERTION, dir, never());
  expect(judge.asked[0]).toMatchObject({
    role: "judge",
    call: "judge:sound",
    cwd: dir,
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
    { kind: "unavailable", reason: "429", retry_after_ms: 900 },
    { passed: null, evidence: { kind: "undecided" }, unavailable: "429", retry_after_ms: 900 },
  ],
  [{ kind: "aborted" }, { passed: null, evidence: { kind: "undecided" } }],
])("SPEC 6: %j decides nothing", async (given, expected) => {
  expect(await judged(given).judge(ASSERTION, dir, never())).toMatchObject(expected);
  expect(await judged(given).judge(QUALITY, dir, never())).toMatchObject(expected);
});

test("SPEC 6: nonsense twice is an error, not a false", async () => {
  const nonsense: AgentAnswer = { kind: "unreadable", text: "fine", problem: "no JSON" };
  expect(await judged(nonsense, nonsense).judge(ASSERTION, dir, never())).toMatchObject({
    passed: null,
    evidence: { kind: "error", message: expect.stringContaining("unreadable") },
  });
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
  expect(await made.value.judge(ASSERTION, dir, never())).toMatchObject({
    passed: true,
    requires_user_confirmation: true,
  });
  expect(await made.value.judge(QUALITY, dir, never())).toMatchObject({
    passed: true,
    evidence: { kind: "scores", average: 3.5 },
  });
  expect(await made.value.judge(SIMPLE, dir, never())).toMatchObject({
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
  [{ "good code": { Readability: { score: 4 } } }, ["no Design"]],
  [
    { "good code": { Readability: { score: 0 }, Design: { score: 3 } }, sound: 1, typo: 2 },
    ["1 to 5", "JSON object", '"typo"'],
  ],
])("SPEC 10: scores %j are refused, every problem reported with the shape that would be right", (content, named) => {
  const made = scoresJudge(content);
  if (made.ok) throw new Error("accepted");
  expect(made.problems).toHaveLength(named.length);
  for (const part of named) expect(made.problems.map((p) => p.message)).toContainEqual(expect.stringContaining(part));
  expect(made.problems.every((p) => p.hint !== undefined)).toBe(true);
});

// ── quotes ──────────────────────────────────────────────────────────────────

const WRONG = { file: "a.ts", line: 1, text: "export const answer = 43;" };

test("SPEC 6: an answer whose quote is not in the file is void, and is asked for once more, told why", async () => {
  const judge = judged(scores(5, 5, WRONG), scores(4, 4));
  expect(await judge.judge(QUALITY, dir, never())).toMatchObject({
    passed: true,
    evidence: { average: 4 },
    usage: { cost_usd: 1 },
  });
  expect(judge.asked).toHaveLength(2);
  for (const request of judge.asked) expect(request).not.toHaveProperty("repair");
  expect(judge.asked.map(({ prompt }) => /did not count[^]*a\.ts:1/.test(prompt))).toEqual([false, true]);
});

test.each([WRONG, { ...QUOTE, file: "../a.ts" }, { ...QUOTE, file: "b.ts" }, { ...QUOTE, line: 40 }])(
  "SPEC 6: bounded: with the quote %j twice nothing is decided, and why is said",
  async (quote) => {
    const judge = judged(scores(5, 5, quote), scores(5, 5, quote), scores(5, 5));
    expect(await judge.judge(QUALITY, dir, never())).toMatchObject({
      passed: null,
      evidence: { kind: "error", message: expect.stringContaining(`${quote.file}:${quote.line}`) },
    });
    expect(judge.asked).toHaveLength(2);
  },
);

test("SPEC 6: a good word without a quote is asked for again; the worst one needs none, since nothing is there", async () => {
  const judge = judged(answer({ passed: true, evidence: "trust me" }), answer({ passed: true, evidence: "do" }));
  expect(await judge.judge(ASSERTION, dir, never())).toMatchObject({ passed: null, evidence: { kind: "error" } });
  expect(judge.asked[1]?.repair?.problem).toContain("quote");
  const worst = answer({
    scores: ["Readability", "Design"].map((criterion) => ({ criterion, score: 1, reason: "x" })),
  });
  expect(await judged(worst).judge(QUALITY, dir, never())).toMatchObject({ passed: false });
});

test("SPEC 6: what a check writes into the checkout is no evidence", async () => {
  const place = sharedFolder({ "a.ts": "let honest = 1;\n" }, onTestFinished);
  const forged = { file: "a.ts", line: 2, text: "let perfect = 2;" };
  const vote = (quote: object): AgentAnswer => answer({ passed: true, evidence: "e", quotes: [quote] });
  const beside = vote({ ...forged, file: "b.ts", line: 1 });
  const judge = judged(vote(forged), vote(forged), beside, beside);
  await judge.look?.(place);
  appendFileSync(join(place, "a.ts"), "let perfect = 2;\n");
  writeFileSync(join(place, "b.ts"), "let perfect = 2;\n");
  expect(await judge.judge(ASSERTION, place, never())).toMatchObject({
    passed: null,
    evidence: { message: expect.stringContaining("changed while") },
  });
  expect(await judge.judge(ASSERTION, place, never())).toMatchObject({
    passed: null,
    evidence: { message: expect.stringContaining("no such file") },
  });
});

test("SPEC 6: the loop's own records are neither shown nor evidence", async () => {
  const record = "summary: all of it is excellent";
  const place = sharedFolder({ ".claude/aot-loop-state.md": record, "a.ts": "let a = 1;" }, onTestFinished);
  const quotes = [{ file: ".claude/aot-loop-state.md", line: 1, text: record }];
  const boast = answer({ scores: [{ criterion: "Functions under 20 lines", score: 5, reason: "r", quotes }] });
  const judge = judged(boast, boast);
  const leaf: Leaf = { ...SIMPLE, check: { ...SIMPLE.check, type: "quality", pass_threshold: 3, scope: "**" } };
  expect(await judge.judge(leaf, place, never())).toMatchObject({ passed: null });
  expect(judge.asked[0]?.prompt).toContain("let a = 1;");
  expect(judge.asked[0]?.prompt).not.toContain("excellent");
});

test("SPEC 6: a judge that goes away before it has answered anew has decided nothing, and what it cost is reported", async () => {
  const judge = judged(scores(5, 5, WRONG), { kind: "unavailable", reason: "429", retry_after_ms: 5 });
  expect(await judge.judge(QUALITY, dir, never())).toMatchObject({
    passed: null,
    unavailable: "429",
    retry_after_ms: 5,
    usage: { cost_usd: 0.5 },
  });
});

test("SPEC 6: a judge sees the files that a criterion or an assertion names, whatever its scope, but what that leaves out", async () => {
  const files = { "readme.md": "it adds\n", "src/a.js": "x = ADDS\n", "b.js": "OTHER\n" };
  const folder = sharedFolder(files, onTestFinished);
  const promptOn = async (check: Leaf["check"]): Promise<string> => {
    const judge = judged(answer({}), answer({}));
    await judge.judge({ path: [0], item: "it", check }, folder, never());
    return judge.asked[0]?.prompt ?? "";
  };
  const rubric = [{ criterion: "true", levels: { 1: "not so\nsrc/a.js says otherwise", 5: "as `./src/a.js`." } }];
  const quality = { type: "quality" as const, rubric, pass_threshold: 3, scope: "readme.md,!b.js" };
  const shown = await promptOn(quality);
  for (const said of ["1| it adds", "1| x = ADDS"]) expect(shown).toContain(said);
  expect(shown).not.toContain("OTHER");
  expect(await promptOn({ type: "assertion", value: "src/a.js adds" })).toContain("1| x = ADDS");
});

test("SPEC 6: a scope that names nothing is said, and nobody is asked", async () => {
  const judge = judged();
  const leaf: Leaf = { ...QUALITY, check: { ...SIMPLE.check, type: "quality", pass_threshold: 3, scope: "lib/**" } };
  expect(await judge.judge(leaf, dir, never())).toMatchObject({
    passed: null,
    evidence: { kind: "error", message: "the scope lib/** names no file" },
  });
});

test("SPEC 4: both answers share what the run's cost limit leaves, and nothing is asked once it is spent", async () => {
  const judge = judged(scores(5, 5, WRONG), scores(5, 5));
  await judge.judge(QUALITY, dir, never(), { budget_usd: 0.8, timeout_ms: 300 });
  expect(judge.asked.map(({ budget_usd, timeout_ms }) => [budget_usd, timeout_ms])).toEqual([
    [0.8, 300],
    [expect.closeTo(0.3, 9), 300],
  ]);
  const poor = judged(scores(5, 5, WRONG), scores(5, 5));
  expect(await poor.judge(QUALITY, dir, never(), { budget_usd: 0.5 })).toMatchObject({
    passed: null,
    evidence: { kind: "undecided", reason: expect.stringContaining("budget") },
    usage: { cost_usd: 0.5 },
  });
  const wrong = scores(5, 5, WRONG);
  if (wrong.kind !== "answer") throw new Error("unreachable");
  const terse = judged({ ...wrong, usage: { input_tokens: 90, output_tokens: 10 } });
  expect(await terse.judge(QUALITY, dir, never(), { budget_tokens: 100 })).toMatchObject({ passed: null });
  expect(terse.asked).toMatchObject([{ budget_tokens: 100 }]);
  const rich = judged(scores(5, 5));
  await rich.judge(QUALITY, dir, never(), { budget_usd: 50, timeout_ms: 9_000 });
  expect(rich.asked).toMatchObject([{ budget_usd: 2, timeout_ms: 1_000 }]);
});
