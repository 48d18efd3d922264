/** The codex adapter over a real process that speaks the client's wire; the real client: tests/e2e/codex.test.ts. */
import { describe, expect, test } from "vitest";
import { DRAFT_SCHEMA, WORKER_SCHEMA } from "../../../src/loop/answer-types.ts";
import { codexArguments, createCodexAgent } from "../../../src/adapters/agents/codex.ts";
import {
  codexAnswer,
  NOTHING_SAID,
  withCodexEvent,
  type CodexReport,
} from "../../../src/adapters/agents/codex-answer.ts";
import { strictSchema } from "../../../src/adapters/agents/strict-schema.ts";
import { agentContract, workerRequest } from "../../contracts/agent.ts";
import { tempFolder } from "../../fixtures/programs.ts";
import { behaving, fixture, hangingParent } from "./clients.ts";

const command = fixture("fake-codex.mjs");

describe.skipIf(process.platform === "win32")("a fake codex (a program by its first line)", () => {
  agentContract({
    name: "codex",
    agent: (behaviour) => Promise.resolve(createCodexAgent({ command, env: behaving(behaviour) })),
    usage: { input_tokens: 12, output_tokens: 3 },
    patience_ms: 3_000,
    processes: true,
    retry_after_ms: 7_000,
    parent: (cwd) => hangingParent("codex", command, cwd),
    skips: { over_budget: "codex cannot be given a budget and tells no cost" },
  });

  test("SPEC 7: a client that waits for its network for ever is ended; it is no failure of the atom", async () => {
    const made = createCodexAgent({ command, env: behaving("no_network"), longest_wait_ms: 300 });
    const unreachable = { kind: "unavailable", reason: expect.stringContaining("network"), retry_after_ms: 30_000 };
    expect(await made.call(workerRequest(tempFolder()), new AbortController().signal)).toMatchObject(unreachable);
    const patient = createCodexAgent({ command, env: behaving("no_network") });
    const request = workerRequest(tempFolder(), { timeout_ms: 2_000 });
    expect(await patient.call(request, new AbortController().signal)).toMatchObject(unreachable);
    expect(await patient.call(request, AbortSignal.timeout(1_000))).toEqual({ kind: "aborted" });
  });

  test("SPEC 10: available() tells the version, or what to install", async () => {
    expect(await createCodexAgent({ command, env: behaving("success") }).available()).toEqual({
      ok: true,
      version: "9.8.7",
    });
    expect(await createCodexAgent({ env: { PATH: tempFolder() } }).available()).toMatchObject({
      ok: false,
      reason: expect.stringContaining("npm install -g @openai/codex"),
    });
  });
});

test("SPEC 10: the model is passed on; a reader's sandbox cannot write, whatever is set for workers", () => {
  const options = { model: "gpt-x", sandbox: "danger-full-access" } as const;
  const worker = codexArguments(workerRequest("/w"), options, "/s.json");
  expect(worker).toEqual(expect.arrayContaining(["--model", "gpt-x", "--output-schema", "/s.json"]));
  expect(worker).toContain('sandbox_mode="danger-full-access"');
  for (const role of ["judge", "probe", "planner"] as const)
    expect(codexArguments(workerRequest("/w", { role }), options, undefined)).toContain('sandbox_mode="read-only"');
  // SPEC 6: what is judged does not instruct its judge.
  expect(codexArguments(workerRequest("/w", { role: "judge" }), options, undefined)).toContain(
    "project_doc_max_bytes=0",
  );
  expect(worker).not.toContain("project_doc_max_bytes=0");
});

test("SPEC 7: what cannot be read is asked for again in the same session", () => {
  const repair = { answer: "hm", problem: "no JSON", session: "thread-1" };
  const args = codexArguments(workerRequest("/w", { repair }), {}, undefined);
  expect(args.slice(0, 2)).toEqual(["exec", "resume"]);
  expect(args.slice(-2)).toEqual(["thread-1", "-"]);
});

const ended = { exit_code: 0, signal: null, stderr: "" };
const after = (...events: object[]): CodexReport =>
  events.reduce((seen: CodexReport, event) => withCodexEvent(seen, event as Record<string, unknown>), NOTHING_SAID);
const said = { type: "item.completed", item: { type: "agent_message", text: '{"success":true,"summary":"s"}' } };
const done = { type: "turn.completed", usage: { input_tokens: 1, output_tokens: 2 } };

test("SPEC 10: exit code 0 without a finished turn is no success, whatever was said", () => {
  expect(codexAnswer(ended, after(said))).toMatchObject({ kind: "failed", reason: expect.stringContaining("turn") });
  expect(codexAnswer(ended, after(said, done))).toMatchObject({ kind: "answer" });
  expect(codexAnswer(ended, after(said, { type: "turn.failed", error: { message: "no" } }, done)).kind).toBe("failed");
});

test("SPEC 7: an answer with null for what it leaves out is read without it", () => {
  const text = JSON.stringify({ success: true, summary: "s", artifacts: ["a"], split: null, reason: null });
  expect(codexAnswer(ended, after({ ...said, item: { ...said.item, text } }, done))).toMatchObject({
    value: { success: true, summary: "s", artifacts: ["a"] },
  });
});

test.each([
  ["unexpected status 401 Unauthorized: Incorrect API key provided, url: x", "unavailable", /codex login/, undefined],
  ["exceeded retry limit, last status: 429 Too Many Requests, request id: r", "unavailable", /rate limited/, 60_000],
  ["You've hit your usage limit. Try again in 2 hours 5 minutes.", "unavailable", /rate limited/, 7_500_000],
  ["Rate limit reached for gpt-x. Please try again in 1.5s.", "unavailable", /rate limited/, 1_500],
  ["unexpected status 429: You exceeded your current quota, please check your plan", "unavailable", /pay/, undefined],
  ["unexpected status 503 Service Unavailable: x", "unavailable", /503/, 30_000],
  ["stream disconnected before completion: error sending request for url", "unavailable", /no connection/, 30_000],
  ["unexpected status 404 Not Found: The model `x` does not exist", "unavailable", /model/, undefined],
  ['{"error":{"message":"bad","type":"invalid_request_error"}}', "failed", /400/, undefined],
  ["the sandbox could not be set up", "failed", /codex stopped/, undefined],
])("SPEC 7: a turn that failed with %j", (message, kind, reason, wait) => {
  const answer = codexAnswer({ ...ended, exit_code: 1 }, after({ type: "turn.failed", error: { message } }));
  expect(answer).toMatchObject({ kind, reason: expect.stringMatching(reason) });
  expect("retry_after_ms" in answer ? answer.retry_after_ms : undefined).toBe(wait);
});

test("the schema that is passed on is closed and requires everything; what was optional may be null", () => {
  const given = {
    type: "object",
    properties: { said: { type: "string", minLength: 1 }, kind: { type: "string", enum: ["a", "b"] } },
    required: ["said"],
  };
  expect(strictSchema(given)).toEqual({
    type: "object",
    properties: { said: { type: "string" }, kind: { type: ["string", "null"], enum: ["a", "b", null] } },
    required: ["said", "kind"],
    additionalProperties: false,
  });
  expect(strictSchema(WORKER_SCHEMA)).toMatchObject({ properties: { success: { type: ["boolean", "null"] } } });
  // A base case may be any object: there is no strict form, the prompt alone says what is wanted.
  expect(strictSchema(DRAFT_SCHEMA)).toBeUndefined();
});
