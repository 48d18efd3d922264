/**
 * The contract of `Agent` (src/loop/ports.ts), one suite for every implementation. A subject makes an agent that
 * behaves as a case says; a case that cannot apply to it is skipped with the reason as data.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { WORKER_SCHEMA } from "../../src/loop/answer-types.ts";
import { readWorkerAnswer } from "../../src/loop/answers.ts";
import { isAlive } from "../../src/host/process.ts";
import { ask } from "../../src/loop/ask.ts";
import type { Agent, AgentAnswer, AgentRequest } from "../../src/loop/ports.ts";
import { pidsIn, reapLater, tempFolder, until } from "../fixtures/programs.ts";

/**
 * success: makes made.txt, answers success with a summary and the usage that the subject names. failure: fails, saying "boom".
 * nonsense: says "all done, trust me". empty: says nothing. half_then_repaired: half an object, when asked again a whole.
 * hang: writes its process ids to the file pids, then never ends; ends on SIGINT. flood: much output, then as success.
 * bad_request, no_login, rate_limited, overloaded: the model service answers 400 ("boom"), 401, 429 and 529.
 * cut: what it says breaks off in the middle of the wire. over_budget: its next turn costs more than it may.
 */
export type Behaviour =
  | "success"
  | "failure"
  | "nonsense"
  | "empty"
  | "half_then_repaired"
  | "hang"
  | "flood"
  | "bad_request"
  | "no_login"
  | "rate_limited"
  | "overloaded"
  | "cut"
  | "over_budget";
export type Case = Behaviour | "time-out" | "silence" | "abort" | "abort before the call" | "SIGINT" | "killed parent";

export interface AgentSubject {
  readonly name: string;
  /** Makes an agent that behaves so; what it needs is gone when the test ends. */
  agent(behaviour: Behaviour): Promise<Agent>;
  readonly usage: object;
  /** Milliseconds within which a call that behaves surely begins to. */
  readonly patience_ms: number;
  /** Whether a hanging call's processes can be seen. */
  readonly processes: boolean;
  /** What a rate limit's `retry_after_ms` is; default: any number. */
  readonly retry_after_ms?: unknown;
  /** A client that tries again by itself answers although its stream was cut; default: no answer. */
  readonly cut?: "answers";
  /** Starts a process that calls an agent which hangs in `cwd`, under a guardian; gives its process id. */
  parent?(cwd: string): Promise<number>;
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
    refusals(subject, it);
    endings(subject, it);
    deaths(subject, it);
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

/** Rate limits and missing logins are not failures of an atom. */
function refusals(subject: AgentSubject, it: It): void {
  const answerTo = async (behaviour: Behaviour, cwd: string, more: Partial<AgentRequest> = {}): Promise<AgentAnswer> =>
    (await subject.agent(behaviour)).call(workerRequest(cwd, more), never());
  it("bad_request", "a request that the model service refuses (400) is a failure that says why", async (cwd) => {
    expect(await answerTo("bad_request", cwd)).toMatchObject({
      kind: "failed",
      reason: expect.stringContaining("boom"),
    });
  });
  it("no_login", "a missing login (401) is unavailable, says what to do, and no waiting helps", async (cwd) => {
    const answer = await answerTo("no_login", cwd);
    expect(answer).toMatchObject({ kind: "unavailable", reason: expect.stringMatching(/log ?in|key/) });
    expect(answer).not.toHaveProperty("retry_after_ms");
  });
  it("rate_limited", "a rate limit (429) is unavailable, with the time to wait", async (cwd) => {
    expect(await answerTo("rate_limited", cwd)).toMatchObject({
      kind: "unavailable",
      retry_after_ms: subject.retry_after_ms ?? expect.any(Number),
    });
  });
  it("overloaded", "an overloaded service (529) is unavailable, with a time to wait", async (cwd) => {
    expect(await answerTo("overloaded", cwd)).toMatchObject({
      kind: "unavailable",
      retry_after_ms: expect.any(Number),
    });
  });
  it("cut", "a stream that is cut is never taken for an answer", async (cwd) => {
    const answer = await answerTo("cut", cwd);
    if (subject.cut === "answers") expect(answer).toMatchObject({ kind: "answer", value: { success: true } });
    else expect(["failed", "unreadable", "unavailable"]).toContain(answer.kind);
  });
  it("over_budget", "a budget that is reached is a failure that says so, with its cost", async (cwd) => {
    const answer = await answerTo("over_budget", cwd, { budget_usd: 0.01 });
    expect(answer).toMatchObject({ kind: "failed", reason: expect.stringContaining("budget") });
    expect(answer.usage?.cost_usd).toBeGreaterThan(0.01);
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

function deaths(subject: AgentSubject, it: It): void {
  it("SIGINT", "a client that is interrupted from outside has failed, whatever its exit code", async (cwd) => {
    const agent = await subject.agent("hang");
    const call = agent.call(workerRequest(cwd), never());
    await until(() => pids(cwd).length > 1, "the call has begun", 60_000);
    reapLater(pids(cwd));
    process.kill(pids(cwd)[0] ?? 0, "SIGINT");
    expect(await call).toMatchObject({ kind: "failed", reason: expect.any(String) });
    expectGone(cwd, subject);
  });
  it("killed parent", "when the loop is SIGKILLed nothing of the call is left", async (cwd) => {
    const parent = (await subject.parent?.(cwd)) ?? 0;
    await until(() => pids(cwd).length > 1, "the call has begun", 60_000);
    reapLater([parent, ...pids(cwd)]);
    expect(pids(cwd).every(isAlive)).toBe(true);
    process.kill(parent, "SIGKILL");
    await until(() => !pids(cwd).some(isAlive), "the death of the call's processes", 30_000);
  });
}

function expectGone(cwd: string, subject: AgentSubject): void {
  const known = pids(cwd);
  reapLater(known);
  if (subject.processes) expect(known).not.toEqual([]);
  expect(known.filter(isAlive)).toEqual([]);
}

/** They get signals: an id that a sandbox's own namespace gave away could be anybody's here. */
function pids(cwd: string): number[] {
  const file = join(cwd, "pids");
  const known = existsSync(file) ? pidsIn(readFileSync(file, "utf8")) : [];
  if (known.some((pid) => pid < 50)) throw new Error(`process ids of another namespace: ${known.join(", ")}`);
  return known;
}
