/** The acp adapter over a real process that speaks the protocol; real agents: tests/e2e/acp.test.ts. */
import { describe, expect, test } from "vitest";
import { createAcpAgent } from "../../../src/adapters/agents/acp.ts";
import { acpAnswer } from "../../../src/adapters/agents/acp-answer.ts";
import { permit, readingMode } from "../../../src/adapters/agents/acp-policy.ts";
import type { Agent } from "../../../src/loop/ports.ts";
import { agentContract, workerRequest } from "../../contracts/agent.ts";
import { tempFolder } from "../../fixtures/programs.ts";
import { behaving, hangingParent, nodeLine } from "./clients.ts";

const line = nodeLine("fake-acp.mjs");
const agent = (behaviour: string, more: Readonly<Record<string, string>> = {}): Agent =>
  createAcpAgent(line, { env: behaving(behaviour, more) });
const never = (): AbortSignal => new AbortController().signal;
const usage = { cost_usd: 0.25, input_tokens: 12, output_tokens: 3 };
const skips = { over_budget: "the protocol has no budget" };

agentContract({
  name: "acp:",
  agent: (behaviour) => Promise.resolve(agent(behaviour)),
  usage,
  patience_ms: 3_000,
  processes: true,
  retry_after_ms: 7_000,
  parent: (cwd) => hangingParent("acp", line, cwd),
  skips,
});

// As codex-acp does: a 400, 401 or 429 comes as a proper end of the turn, with the error for words.
agentContract({
  name: "acp: with errors as words",
  agent: (behaviour) => Promise.resolve(agent(behaviour, { FAKE_ERRORS: "as words" })),
  usage,
  patience_ms: 3_000,
  processes: true,
  retry_after_ms: 7_000,
  parent: (cwd) => hangingParent("acp", line, cwd),
  skips: {
    ...skips,
    hang: "as above",
    "time-out": "as above",
    silence: "as above",
    abort: "as above",
    SIGINT: "as above",
    "killed parent": "as above",
    flood: "as above",
  },
});

describe("SPEC 10: permission requests are answered by policy", () => {
  test("a worker is allowed everything, once", async () => {
    expect(await agent("tools").call(workerRequest(tempFolder()), never())).toMatchObject({
      value: { answers: { read: "yes", edit: "yes", execute: "yes", unnamed: "yes" } },
    });
  });
  test.each(["judge", "probe", "planner"] as const)("a %s may read, in the mode that only reads", async (role) => {
    expect(await agent("tools").call(workerRequest(tempFolder(), { role }), never())).toMatchObject({
      value: { answers: { read: "yes", edit: "no", execute: "no", unnamed: "no" }, mode: "plan" },
    });
  });
  test("SPEC 7: also where an agent has its modes among its settings; a worker's are left alone", async () => {
    const settings = agent("tools", { FAKE_MODES: "settings" });
    expect(await settings.call(workerRequest(tempFolder(), { role: "judge" }), never())).toMatchObject({
      value: { mode: "how: plan" },
    });
    const worker = await settings.call(workerRequest(tempFolder()), never());
    expect(worker).toMatchObject({ kind: "answer" });
    expect(worker.kind === "answer" ? worker.value : null).not.toHaveProperty("mode");
  });
  test("where the wanted answer is not offered the question is cancelled, never answered otherwise", () => {
    expect(permit("judge", "edit", [{ optionId: "y", kind: "allow_once" }])).toEqual({ outcome: "cancelled" });
    expect(permit("worker", "edit", [{ optionId: "n", kind: "reject_once" }])).toEqual({ outcome: "cancelled" });
    expect(readingMode("judge", ["default", "yolo"])).toBeUndefined();
    expect(readingMode("worker", ["plan"])).toBeUndefined();
  });
});

test.each(["max_tokens", "max_turn_requests", "refusal", "cancelled"])(
  "SPEC 10: a turn that stopped by %s is no success, whatever was said",
  async (stop) => {
    const answer = await agent("stops", { FAKE_STOP: stop }).call(workerRequest(tempFolder()), never());
    expect(answer).toMatchObject({ kind: "failed" });
  },
);

test("SPEC 7: an agent that only tries its service again until its time is over has not failed the atom", async () => {
  const request = workerRequest(tempFolder(), { timeout_ms: 3_000 });
  expect(await agent("retries").call(request, never())).toMatchObject({
    kind: "unavailable",
    reason: expect.stringContaining("rate limited"),
    retry_after_ms: 60_000,
  });
  // One that had begun to work has used up its time.
  expect(await agent("retries", { FAKE_WORKS: "1" }).call(request, never())).toMatchObject({
    kind: "failed",
    timed_out: true,
  });
});

test.skipIf(process.platform === "win32")("SPEC 7: a program that is not there is unavailable, and named", async () => {
  const answer = await createAcpAgent("aot-no-such-agent --acp").call(workerRequest(tempFolder()), never());
  expect(answer).toMatchObject({ kind: "unavailable", reason: expect.stringContaining("aot-no-such-agent") });
});

test("a program that speaks something else has failed, with what it said on stderr", async () => {
  const program = `"${process.execPath}" -e "console.log('hello'); console.error('no such flag'); process.exitCode = 9"`;
  const answer = await createAcpAgent(program).call(workerRequest(tempFolder()), never());
  expect(answer).toMatchObject({ kind: "failed", reason: expect.stringMatching(/exit code 9.*no such flag/s) });
});

test("SPEC 10: an error for words is not an answer; an answer that speaks of an error is", () => {
  const ended = { exit_code: 0, signal: null, stderr: "" };
  const meaning = (said: string): string => acpAnswer("x", { kind: "stopped", reason: "end_turn" }, said, ended).kind;
  expect(meaning('API Error: 429 {"type":"error","error":{"type":"rate_limit_error"}}')).toBe("unavailable");
  expect(meaning('[API Error: 401 {"error":{"message":"no key"}}]')).toBe("unavailable");
  expect(meaning('{"success":false,"summary":"API Error: 429 is what the server gives"}')).toBe("answer");
  expect(meaning('The handler gave status 429 Too Many Requests before.\n{"success":true,"summary":"s"}')).toBe(
    "answer",
  );
});
