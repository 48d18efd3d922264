import { LLMock } from "@copilotkit/aimock";
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { createJudge } from "../../../src/adapters/judge/agent-judge.ts";
import { createModelAgent, modelTrouble, plainSchema, type Load } from "../../../src/adapters/judge/model-agent.ts";
import { qualitySchema } from "../../../src/core/answer-schema.ts";
import type { Leaf } from "../../../src/core/verdict.ts";
import type { Agent } from "../../../src/loop/ports.ts";
import { sharedFolder } from "./folders.ts";

// The real SDK and a real provider package against a scripted model on loopback.

type Reply = Awaited<ReturnType<Extract<Parameters<LLMock["on"]>[1], (...args: never[]) => unknown>>>;
let mock: LLMock;
let reply: Reply | (() => Reply | Promise<Reply>);
const prompts: string[] = [];

beforeAll(async () => {
  mock = new LLMock({ port: 0, host: "127.0.0.1" });
  mock.on({ predicate: () => true }, (body) => {
    prompts.push(JSON.stringify(body));
    return typeof reply === "function" ? reply() : reply;
  });
  await mock.start();
  vi.stubEnv("OPENAI_API_KEY", "dummy");
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await mock.stop();
});
afterEach(() => {
  prompts.length = 0;
});

/** The provider of the real package, at an address of ours. */
const loadAt =
  (baseURL: string): Load =>
  async (name) =>
    name === "ai" ? await import("ai") : { openai: (await import("@ai-sdk/openai")).createOpenAI({ baseURL }) };
const load: Load = (name) => loadAt(`${mock.url}/v1`)(name);
const never = (): AbortSignal => new AbortController().signal;
function modelNamed(spec: string, from: Load = load): Agent {
  const made = createModelAgent(spec, from);
  if (!made.ok) throw new Error(made.problems[0]?.message);
  return made.value;
}
const LEAF: Leaf = {
  path: [0],
  item: "good code",
  check: { type: "quality", criteria: "Design", pass_threshold: 3, scope: "src/**" },
};
const judgeIn = (
  dir: string,
  timeout_ms = 20_000,
  signal = never(),
): ReturnType<ReturnType<typeof createJudge>["judge"]> =>
  createJudge(modelNamed("ai:openai/gpt-5.1"), { timeout_ms, prompt_only: true }).judge(LEAF, dir, signal);
const place = (): string => sharedFolder({ "src/a.ts": "export const answer = 42;\n" }, onTestFinished);
const scored = (text: string): string =>
  JSON.stringify({
    scores: [{ criterion: "Design", score: 4, reason: "r", quotes: [{ file: "src/a.ts", line: 1, text }] }],
  });

test("SPEC 10: a model without a client judges what its prompt shows it", async () => {
  reply = { content: scored("export const answer = 42;") };
  expect(await judgeIn(place())).toMatchObject({
    passed: true,
    evidence: { kind: "scores", average: 4 },
    usage: { input_tokens: expect.any(Number), output_tokens: expect.any(Number) },
  });
  expect(prompts).toHaveLength(1);
  expect(prompts[0]).toContain("export const answer = 42;");
  expect(prompts[0]).toContain("gpt-5.1");
});

test("SPEC 6: a model that quotes what is not there has decided nothing", async () => {
  reply = { content: scored("export const answer = 43;") };
  expect(await judgeIn(place())).toMatchObject({ passed: null, evidence: { kind: "error" } });
});

test("SPEC 7: an answer that is no JSON is asked for once more", async () => {
  const answers = ["fine work!", scored("export const answer = 42;")];
  reply = () => ({ content: answers.shift() ?? "" });
  expect(await judgeIn(place())).toMatchObject({ passed: true });
  expect(prompts[1]).toContain("could not be used");
});

test.each([
  [
    429,
    "rate_limit_exceeded",
    "slow down",
    { unavailable: expect.stringContaining("429"), retry_after_ms: expect.any(Number) },
  ],
  [401, "invalid_api_key", "who are you", { unavailable: expect.stringContaining("401") }],
  [
    400,
    "invalid_request_error",
    "no such model",
    { evidence: { kind: "error", message: expect.stringContaining("400") } },
  ],
])("SPEC 7: HTTP %i", async (status, type, message, expected) => {
  reply = { error: { message, type }, status };
  const judgement = await judgeIn(place());
  expect(judgement).toMatchObject({ passed: null, ...expected });
  expect("retry_after_ms" in judgement).toBe(status === 429);
  expect(prompts).toHaveLength(1);
});

test("SPEC 7: a service that is not there can be waited for; no key cannot", async () => {
  const nowhere = modelNamed("ai:openai/gpt-5.1", loadAt("http://127.0.0.1:9/v1"));
  const gone = createJudge(nowhere, { timeout_ms: 20_000, prompt_only: true });
  expect(await gone.judge(LEAF, place(), never())).toMatchObject({
    unavailable: expect.any(String),
    retry_after_ms: expect.any(Number),
  });
  vi.stubEnv("OPENAI_API_KEY", undefined);
  onTestFinished(() => void vi.stubEnv("OPENAI_API_KEY", "dummy"));
  const judgement = await judgeIn(place());
  expect(judgement).toMatchObject({ unavailable: expect.stringContaining("OPENAI_API_KEY") });
  expect(judgement).not.toHaveProperty("retry_after_ms");
});

test("SPEC 7: a model that does not answer is timed out, and aborted when nobody wants its answer", async () => {
  reply = () => new Promise(() => {});
  expect(await judgeIn(place(), 300)).toMatchObject({
    passed: null,
    evidence: { message: expect.stringContaining("0.3 s") },
  });
  const controller = new AbortController();
  const waiting = judgeIn(place(), 60_000, controller.signal);
  await vi.waitFor(() => expect(prompts).toHaveLength(2));
  controller.abort();
  expect(await waiting).toMatchObject({ passed: null, evidence: { kind: "undecided" } });
});

test("SPEC 10: packages that are missing are named with the command that installs them", async () => {
  const gone: Load = (name) => Promise.reject(Object.assign(new Error(name), { code: "ERR_MODULE_NOT_FOUND" }));
  expect(await modelNamed("ai:anthropic/claude-sonnet-5-5", gone).available()).toEqual({
    ok: false,
    reason: "ai and @ai-sdk/anthropic are not installed here; install with: npm install ai@6 @ai-sdk/anthropic@3",
  });
  const other: Load = (name) => (name === "ai" ? Promise.resolve({}) : import("@ai-sdk/openai"));
  expect(await modelNamed("ai:openai/x", other).available()).toMatchObject({
    ok: false,
    reason: expect.stringContaining("npm install ai@6"),
  });
  const broken: Load = () => Promise.reject(new Error("syntax"));
  expect(await modelNamed("ai:openai/x", broken).available()).toMatchObject({
    reason: expect.stringContaining("cannot be loaded: syntax"),
  });
  const camel: Load = (name) => (name === "ai" ? import("ai") : Promise.resolve({ bedrock: () => ({}) }));
  expect(await modelNamed("ai:amazon-bedrock/x", camel).available()).toEqual({ ok: true });
  expect(await modelNamed("ai:groq/x", camel).available()).toMatchObject({ ok: false });
  // The program's own way to the packages.
  const made = createModelAgent("ai:openai/gpt-5.1");
  expect(made.ok && (await made.value.available())).toEqual({ ok: true });
  const none = createModelAgent("ai:none-such/x");
  expect(none.ok && (await none.value.available())).toMatchObject({
    reason: expect.stringContaining("@ai-sdk/none-such"),
  });
});

test.each(["ai", "ai:", "ai:openai", "ai:openai/", "ai:../x/y", "ai:Open AI/x", "claude"])(
  "SPEC 10: %j names no model",
  (spec) => {
    expect(createModelAgent(spec)).toMatchObject({
      ok: false,
      problems: [{ hint: expect.stringContaining("ai:<provider>/<model>") }],
    });
  },
);

test("SPEC 7: how long to wait is the service's word, in each of its spellings", () => {
  const wait = (headers: object): unknown =>
    (
      modelTrouble({ name: "AI_APICallError", message: "m", statusCode: 429, responseHeaders: headers }, 0) as {
        retry_after_ms?: number;
      }
    ).retry_after_ms;
  expect(wait({ "retry-after": "7" })).toBe(7_000);
  expect(wait({ "retry-after-ms": "250", "retry-after": "1" })).toBe(250);
  expect(wait({ "retry-after": "Thu, 01 Jan 1970 00:00:30 GMT" })).toBe(30_000);
  for (const odd of [{}, { "retry-after": "soon" }, { "retry-after": "-3" }]) expect(wait(odd)).toBe(60_000);
  const poor = {
    name: "AI_APICallError",
    message: "m",
    statusCode: 429,
    responseBody: '{"code":"insufficient_quota"}',
  };
  expect(modelTrouble(poor, 0)).toEqual({ kind: "unavailable", reason: "HTTP 429: m" });
  expect(modelTrouble(new TypeError("odd"), 0)).toEqual({ kind: "failed", reason: "odd" });
});

test("strict modes: every object is closed, all it has is required, and no limit is left in", () => {
  const look = (schema: unknown): void => {
    if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return;
    for (const key of Object.keys(schema)) expect(key).not.toMatch(/^(min|max)/);
    if ("properties" in schema) {
      const { properties, required } = schema as { properties: object; required?: unknown };
      expect(schema).toMatchObject({ additionalProperties: false });
      expect(required).toEqual(Object.keys(properties));
      Object.values(properties).forEach(look);
    }
    if ("items" in schema) look(schema.items);
  };
  look(plainSchema(qualitySchema([{ criterion: "a" }])));
});
