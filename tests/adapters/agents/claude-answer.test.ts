import * as fc from "fast-check";
import { expect, test } from "vitest";
import { claudeAnswer, claudeUsage } from "../../../src/adapters/agents/claude.ts";
import { createClaudeStream, type ClaudeReport } from "../../../src/adapters/agents/claude-stream.ts";
import type { Json } from "../../../src/adapters/agents/json-lines.ts";
import { claudeArguments } from "../../../src/adapters/agents/claude.ts";
import { workerRequest } from "../../contracts/agent.ts";

const NOW = 1_800_000_000_000;
const ENDED = { exit_code: 0, signal: null, stderr: "" };
const value = { success: true, summary: "s" };
const answerOf = (result: Json | undefined, more: Partial<ClaudeReport> = {}, ended = ENDED) =>
  claudeAnswer(
    ended,
    { results: result === undefined ? 0 : 1, skipped_lines: 0, ...(result === undefined ? {} : { result }), ...more },
    NOW,
  );
const good: Json = {
  type: "result",
  subtype: "success",
  is_error: false,
  terminal_reason: "completed",
  result: "done",
  structured_output: value,
};

/** Feeds the events as one text, cut into pieces at these places. */
function reported(text: string, cuts: readonly number[] = []): ClaudeReport {
  const bytes = Buffer.from(text);
  const stream = createClaudeStream();
  let from = 0;
  for (const cut of [...cuts.map((c) => c % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]) {
    stream.take(bytes.subarray(from, cut));
    from = cut;
  }
  return stream.report();
}
const lines = (...events: object[]): string => events.map((event) => `${JSON.stringify(event)}\n`).join("");

test("law: however the stream is cut into chunks, the report is the same", () => {
  const text =
    lines(
      { type: "system", subtype: "init", session_id: "é-1" },
      { type: "assistant", parent_tool_use_id: null, message: { content: [{ type: "text", text: "größer 😀" }] } },
      good,
    ) +
    "not json\n\n" +
    lines({ ...good, result: "last" }).trimEnd();
  const whole = reported(text);
  expect(whole).toMatchObject({ results: 2, session: "é-1", said: "größer 😀", result: { result: "last" } });
  fc.assert(
    fc.property(fc.array(fc.nat()), (cuts) => {
      expect(reported(text, cuts)).toEqual(whole);
    }),
  );
});

test("law: any event at all is passed over or read, never thrown at, and gives a closed answer", () => {
  const keys = fc.constantFrom(
    ...(
      "type subtype session_id message is_error terminal_reason result structured_output usage modelUsage " +
      "total_cost_usd api_error_status rate_limit_info errors parent_tool_use_id"
    ).split(" "),
  );
  const words = fc.constantFrom<unknown>(
    "result",
    "assistant",
    "system",
    "rate_limit_event",
    "api_retry",
    "success",
    "completed",
    "api_error",
    null,
    true,
    429,
  );
  const event = fc.dictionary(keys, fc.oneof(words, fc.jsonValue({ maxDepth: 3 })), { noNullPrototype: true });
  fc.assert(
    fc.property(fc.array(event), (events) => {
      const report = reported(lines(...events));
      expect(["answer", "unreadable", "failed", "unavailable"]).toContain(claudeAnswer(ENDED, report, NOW).kind);
      if (report.result !== undefined) claudeUsage(report.result);
    }),
    { numRuns: 1_000 },
  );
});

test("law JSON-LINES-1: a line too long to keep is skipped and counted; what follows is read", () => {
  const stream = createClaudeStream();
  const block = Buffer.alloc(1024 * 1024, "x");
  for (let i = 0; i < 40; i++) stream.take(block);
  stream.take(Buffer.from(`\n${lines(good)}`));
  expect(stream.report()).toMatchObject({ skipped_lines: 1, result: { result: "done" } });
});

test("SPEC 10: of several results the last one counts", () => {
  const report = reported(lines(good, { ...good, structured_output: undefined, result: "" }));
  expect(claudeAnswer(ENDED, report, NOW)).toMatchObject({
    kind: "unreadable",
    problem: expect.stringContaining("empty"),
  });
  expect(
    claudeAnswer(ENDED, reported(lines({ ...good, structured_output: undefined, result: "" }, good)), NOW),
  ).toMatchObject({ kind: "answer", value });
});

test("SPEC 10: exit code 0 without a result is a failure", () => {
  expect(answerOf(undefined)).toMatchObject({
    kind: "failed",
    reason: expect.stringContaining("without a result (exit code 0)"),
  });
  expect(
    answerOf(undefined, {}, { exit_code: 1, signal: null, stderr: "Invalid API key · Please run /login" }),
  ).toMatchObject({ kind: "unavailable", reason: expect.stringContaining("not logged in") });
});

test.each<[string, Json, object]>([
  ["structured output wins over text", { ...good, result: '{"success":false}' }, { kind: "answer", value }],
  [
    "text is read where there is no structured output",
    { ...good, structured_output: undefined, result: 'ok {"success":true}' },
    { kind: "answer", value: { success: true } },
  ],
  [
    "an old client without terminal_reason",
    { type: "result", subtype: "success", is_error: false, result: '{"success":true}' },
    { kind: "answer" },
  ],
  [
    "success, empty result: the Stop hook cap tripped",
    { ...good, structured_output: undefined, result: "" },
    { kind: "unreadable" },
  ],
  [
    "is_error beats subtype success",
    { ...good, is_error: true, terminal_reason: "api_error", api_error_status: 529, result: "Overloaded" },
    { kind: "unavailable", retry_after_ms: 30_000 },
  ],
  [
    "an API error told in words alone",
    {
      ...good,
      is_error: true,
      terminal_reason: undefined,
      structured_output: undefined,
      result: "API Error: 401 Unauthorized",
    },
    { kind: "unavailable", reason: expect.stringContaining("/login") },
  ],
  [
    "no connection",
    { ...good, is_error: true, terminal_reason: "api_error", result: "Unable to connect" },
    { kind: "unavailable", retry_after_ms: 30_000 },
  ],
  [
    "budget",
    { ...good, is_error: true, subtype: "error_max_budget_usd", terminal_reason: "budget_exhausted" },
    { kind: "failed", reason: expect.stringContaining("budget") },
  ],
  [
    "turns",
    { ...good, is_error: true, subtype: "error_max_turns", terminal_reason: "max_turns" },
    { kind: "failed", reason: expect.stringContaining("turns") },
  ],
  [
    "an interrupt",
    {
      ...good,
      is_error: false,
      subtype: "error_during_execution",
      terminal_reason: "aborted_streaming",
      structured_output: undefined,
      errors: ["[x]"],
    },
    { kind: "failed", reason: expect.stringContaining("aborted_streaming") },
  ],
  [
    "a deferred tool",
    { ...good, terminal_reason: "tool_deferred", structured_output: undefined },
    { kind: "failed", reason: expect.stringContaining("tool_deferred") },
  ],
  [
    "a prompt too long",
    { ...good, is_error: true, terminal_reason: "prompt_too_long", result: "Prompt is too long" },
    { kind: "failed", reason: expect.stringContaining("prompt_too_long") },
  ],
])("SPEC 10: %s", (_name, result, expected) => {
  expect(answerOf(result)).toMatchObject(expected);
});

test("SPEC 7: a rate limit waits until the time the service named, else a minute", () => {
  const limited = { ...good, is_error: true, terminal_reason: "api_error", api_error_status: 429, result: "limit" };
  expect(answerOf(limited)).toMatchObject({ retry_after_ms: 60_000 });
  const report = reported(
    lines({ type: "rate_limit_event", rate_limit_info: { status: "rejected", resetsAt: NOW / 1000 + 300 } }, limited),
  );
  expect(claudeAnswer(ENDED, report, NOW)).toMatchObject({ retry_after_ms: 300_000 });
});

test("cost and tokens are those of all models, cached input included; without them none is reported", () => {
  const modelUsage = {
    a: { inputTokens: 1, cacheReadInputTokens: 10, cacheCreationInputTokens: 100, outputTokens: 2 },
    b: { inputTokens: 1000, outputTokens: 3 },
  };
  expect(claudeUsage({ total_cost_usd: 0.5, modelUsage })).toEqual({
    cost_usd: 0.5,
    input_tokens: 1111,
    output_tokens: 5,
  });
  expect(claudeUsage({ usage: { input_tokens: 7, output_tokens: 8 } })).toEqual({ input_tokens: 7, output_tokens: 8 });
  expect(claudeUsage({})).toBe(undefined);
});

test("SPEC 7: only a worker gets tools that change something; the prompt is never an argument", () => {
  const worker = claudeArguments(workerRequest("/", { budget_usd: 0.5 }), {
    model: "sonnet",
    extra_args: ["--effort", "low"],
  });
  expect(worker).toEqual(
    expect.arrayContaining("--model sonnet --permission-mode dontAsk --max-budget-usd 0.5 --effort low".split(" ")),
  );
  expect(worker).not.toContain("--tools");
  expect(worker.join(" ")).not.toContain("Make made.txt.");
  for (const role of ["probe", "judge", "planner"] as const) {
    const args = claudeArguments(workerRequest("/", { role }), {});
    expect(args).toEqual(
      expect.arrayContaining(
        "--permission-mode dontAsk --allowedTools Read,Grep,Glob --tools Read,Grep,Glob --strict-mcp-config".split(" "),
      ),
    );
    // SPEC 6: what is judged does not instruct its judge.
    expect(args.join(" ").includes("--setting-sources user")).toBe(role === "judge");
  }
  expect(claudeArguments(workerRequest("/", { repair: { answer: "", problem: "p", session: "s-1" } }), {})).toEqual(
    expect.arrayContaining(["--resume", "s-1"]),
  );
});
