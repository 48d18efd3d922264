/**
 * The contract of `Agent` (src/loop/ports.ts), one suite for every implementation. A subject makes an agent that
 * behaves as a case says; a case that cannot apply to it is skipped with the reason as data.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { WORKER_SCHEMA } from "../../src/core/answer-schema.ts";
import { readWorkerAnswer } from "../../src/core/answer.ts";
import { isAlive } from "../../src/host/process.ts";
import { ask } from "../../src/loop/ask.ts";
import type { Agent, AgentRequest } from "../../src/loop/ports.ts";
import { pidsIn, reapLater, tempFolder, until } from "../fixtures/programs.ts";

/**
 * success: makes made.txt, answers success with a summary and the usage that the subject names. failure: fails, saying "boom".
 * nonsense: says "all done, trust me". empty: says nothing. half_then_repaired: half an object, when asked again a whole.
 * hang: writes its process ids to the file pids, then never ends. flood: much output, then as success.
 */
export type Behaviour = "success" | "failure" | "nonsense" | "empty" | "half_then_repaired" | "hang" | "flood";
export type Case = Behaviour | "time-out" | "silence" | "abort" | "abort before the call";

export interface AgentSubject {
  readonly name: string;
  /** Makes an agent that behaves so; what it needs is gone when the test ends. */
  agent(behaviour: Behaviour): Promise<Agent>;
  readonly usage: object;
  /** Milliseconds within which a call that behaves surely begins to. */
  readonly patience_ms: number;
  /** Whether a hanging call's processes can be seen. */
  readonly processes: boolean;
  readonly skips: Partial<Record<Case, string>>;
}

export function workerRequest(cwd: string, more: Partial<AgentRequest> = {}): AgentRequest {
  return {
    role: "worker",
    call: "A1.1",
    atom: { id: "A1", description: "make made.txt" },
    prompt: "Make made.txt.",
    bindings: {},
    nogoods: [],
    schema: WORKER_SCHEMA,
    cwd,
    timeout_ms: 60_000,
    ...more,
  };
}

const never = (): AbortSignal => new AbortController().signal;

export function agentContract(subject: AgentSubject): void {
  const it = (name: Case, title: string, run: (cwd: string) => Promise<void>): void => {
    const reason = subject.skips[name];
    if (reason === undefined) test(`SPEC 7: ${title}`, { timeout: 120_000 }, () => run(tempFolder()));
    else test.skip(`SPEC 7: ${title} (not of ${subject.name}: ${reason})`);
  };

  describe(`agent contract: ${subject.name}`, () => {
    answers(subject, it);
    endings(subject, it);
  });
}

type It = (name: Case, title: string, run: (cwd: string) => Promise<void>) => void;

function answers(subject: AgentSubject, it: It): void {
  it("success", "an answer comes with its usage, and the work is in the folder", async (cwd) => {
    const agent = await subject.agent("success");
    const answer = await agent.call(workerRequest(cwd), never());
    expect(answer).toMatchObject({
      kind: "answer",
      value: { success: true, summary: expect.any(String) },
      usage: subject.usage,
    });
    expect(readFileSync(join(cwd, "made.txt"), "utf8")).toBe("made\n");
  });
  it("failure", "a failure says why", async (cwd) => {
    const agent = await subject.agent("failure");
    expect(await agent.call(workerRequest(cwd), never())).toMatchObject({
      kind: "failed",
      reason: expect.stringContaining("boom"),
    });
  });
  it("nonsense", "nonsense is unreadable, with what was said", async (cwd) => {
    const agent = await subject.agent("nonsense");
    expect(await agent.call(workerRequest(cwd), never())).toMatchObject({
      kind: "unreadable",
      text: expect.stringContaining("all done, trust me"),
      problem: expect.any(String),
    });
  });
  it("empty", "an empty answer is unreadable, never a success", async (cwd) => {
    const agent = await subject.agent("empty");
    expect(await agent.call(workerRequest(cwd), never())).toMatchObject({
      kind: "unreadable",
      problem: expect.stringContaining("empty"),
    });
  });
  it("half_then_repaired", "half an object is asked for once more and then read", async (cwd) => {
    const agent = await subject.agent("half_then_repaired");
    expect(await ask(agent, workerRequest(cwd), readWorkerAnswer, never())).toMatchObject({
      kind: "answered",
      value: { success: true },
    });
  });
  it("flood", "much output does no harm to the answer", async (cwd) => {
    const agent = await subject.agent("flood");
    expect(await agent.call(workerRequest(cwd), never())).toMatchObject({ kind: "answer", value: { success: true } });
  });
}

function endings(subject: AgentSubject, it: It): void {
  it("time-out", "a call that does not end in time is a time-out, and nothing of it is left", async (cwd) => {
    const agent = await subject.agent("hang");
    const answer = await agent.call(workerRequest(cwd, { timeout_ms: subject.patience_ms }), never());
    expect(answer).toMatchObject({ kind: "failed", timed_out: true });
    expectGone(cwd, subject);
  });
  it("silence", "a call that falls silent is a time-out, and nothing of it is left", async (cwd) => {
    const agent = await subject.agent("hang");
    const answer = await agent.call(workerRequest(cwd, { idle_timeout_ms: subject.patience_ms }), never());
    expect(answer).toMatchObject({ kind: "failed", timed_out: true, reason: expect.stringContaining("no output") });
    expectGone(cwd, subject);
  });
  it("abort", "an aborted call settles as aborted, and nothing of it is left", async (cwd) => {
    const agent = await subject.agent("hang");
    const stop = new AbortController();
    const call = agent.call(workerRequest(cwd), stop.signal);
    if (subject.processes) await until(() => pids(cwd).length > 0, "the call has begun", 60_000);
    reapLater(pids(cwd));
    stop.abort();
    expect(await call).toMatchObject({ kind: "aborted" });
    expectGone(cwd, subject);
  });
  it("abort before the call", "a call that is aborted already does nothing", async (cwd) => {
    const agent = await subject.agent("success");
    expect(await agent.call(workerRequest(cwd), AbortSignal.abort())).toMatchObject({ kind: "aborted" });
    expect(existsSync(join(cwd, "made.txt"))).toBe(false);
  });
}

function expectGone(cwd: string, subject: AgentSubject): void {
  const known = pids(cwd);
  reapLater(known);
  if (subject.processes) expect(known).not.toEqual([]);
  expect(known.filter(isAlive)).toEqual([]);
}

function pids(cwd: string): number[] {
  const file = join(cwd, "pids");
  return existsSync(file) ? pidsIn(readFileSync(file, "utf8")) : [];
}
