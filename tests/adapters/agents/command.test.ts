import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { readWorkerAnswer } from "../../../src/loop/answers.ts";
import { ask } from "../../../src/loop/ask.ts";
import { createCommandAgent } from "../../../src/adapters/agents/command.ts";
import type { AgentAnswer, AgentRequest } from "../../../src/loop/ports.ts";
import { agentContract, workerRequest } from "../../contracts/agent.ts";
import { tempFolder } from "../../fixtures/programs.ts";
import { hangingParent } from "./clients.ts";

const program = fileURLToPath(new URL("../../fixtures/agents/agent.mjs", import.meta.url));
const line = (...args: string[]): string => [process.execPath, program, ...args].map((word) => `"${word}"`).join(" ");
const never = (): AbortSignal => new AbortController().signal;

agentContract({
  name: "command:",
  agent: (behaviour) => Promise.resolve(createCommandAgent(line(behaviour))),
  usage: { cost_usd: 0.25, input_tokens: 12, output_tokens: 3 },
  patience_ms: 3_000,
  processes: true,
  retry_after_ms: 7_000,
  parent: (cwd) => hangingParent("command", line("hang"), cwd),
  skips: {
    no_login: "a program has no exit code for it: what is wrong is told by its own words, as a failure",
    over_budget: "a program is not told a budget",
    nonsense: "exit code 0 without JSON claims success: see below",
    empty: "exit code 0 without JSON claims success: see below",
  },
});

test("SPEC 10: stdin is the request in exactly these keys, in the attempt's folder, with the AOT variables", async () => {
  const cwd = tempFolder();
  const bindings = { A0: { summary: "s", artifacts: ["a"] } };
  const nogoods = [{ atom: "A1", attempt: "A1.0", reason: "r" }];
  const env = {
    PATH: process.env["PATH"],
    KEPT: "yes",
    CLAUDECODE: "1",
    CLAUDE_CODE_SESSION_ID: "outer",
    CLAUDE_CODE_USE_BEDROCK: "1",
  };
  const answer = await createCommandAgent(line("echo"), { env }).call(
    workerRequest(cwd, { bindings, nogoods, schema: { type: "object" } }),
    never(),
  );
  const request = {
    role: "worker",
    atom: { id: "A1", description: "make made.txt" },
    prompt: "Make made.txt.",
    bindings,
    nogoods,
    schema: { type: "object" },
  };
  const marks = {
    AOT_ROLE: "worker",
    AOT_ATOM: "A1",
    AOT_ATTEMPT: "A1.1",
    AOT_CALL: "A1.1",
    AOT_BUDGET_USD: "",
    AOT_BUDGET_TOKENS: "",
  };
  expect(answer).toEqual({
    kind: "answer",
    value: { request, cwd, env: { ...marks, KEPT: "yes", CLAUDE_CODE_USE_BEDROCK: "1" } },
  });
});

test("SPEC 10: a role without an atom sends null; asked again it learns what was wrong", async () => {
  const repair = { answer: "hm", problem: "no JSON", session: "s" };
  const { atom: _, ...rest } = workerRequest(tempFolder(), {
    role: "judge",
    call: "judge:sound",
    repair,
    budget_usd: 1.5,
    budget_tokens: 2_000,
  });
  const answer = await createCommandAgent(line("echo")).call(rest, never());
  expect(answer).toMatchObject({
    value: {
      request: { role: "judge", atom: null, repair: { answer: "hm", problem: "no JSON" } },
      env: { AOT_ATOM: "", AOT_ATTEMPT: "", AOT_CALL: "judge:sound", AOT_BUDGET_USD: "1.5", AOT_BUDGET_TOKENS: "2000" },
    },
  });
});

test.skipIf(process.platform === "win32")("SPEC 7: a program that is not there is unavailable, and named", async () => {
  const answer = await createCommandAgent("aot-no-such-program --x").call(workerRequest(tempFolder()), never());
  expect(answer).toMatchObject({
    kind: "unavailable",
    reason: expect.stringMatching(/aot-no-such-program.*not found.*installed/s),
  });
  expect(answer).not.toHaveProperty("retry_after_ms");
});

test("SPEC 7: exit code 75 asks to be tried later; any other one is a failure with stderr's tail", async () => {
  const request = workerRequest(tempFolder());
  expect(await createCommandAgent(line("exit", "75")).call(request, never())).toEqual({
    kind: "unavailable",
    reason: expect.stringContaining("later, please"),
    retry_after_ms: 60_000,
  });
  expect(await createCommandAgent(line("exit", "9")).call(request, never())).toEqual({
    kind: "failed",
    reason: "exit code 9: later, please",
  });
});

test("a folder that is not there is reported as such", async () => {
  const answer = await createCommandAgent(line("success")).call(workerRequest("/aot/no/such/folder"), never());
  expect(answer).toMatchObject({ kind: "unavailable", reason: expect.stringContaining("/aot/no/such/folder") });
});

test("SPEC 7: exit code 0 without a JSON answer has claimed success; half an answer, and no plan, have not", async () => {
  const answer = (behaviour: string, more: Partial<AgentRequest> = {}): Promise<AgentAnswer> =>
    createCommandAgent(line(behaviour)).call(workerRequest(tempFolder(), more), never());
  expect(await answer("nonsense")).toEqual({
    kind: "answer",
    value: { success: true, summary: "all done, trust me", artifacts: [] },
  });
  expect(await answer("empty")).toMatchObject({ value: { success: true, summary: "exit code 0, no output" } });
  expect(await answer("nonsense", { role: "probe" })).toMatchObject({ value: { feasible: true } });
  expect(await answer("cut")).toMatchObject({ kind: "unreadable" });
  for (const role of ["planner", "judge"] as const)
    expect(await answer("nonsense", { role })).toMatchObject({
      kind: "failed",
      reason: expect.stringContaining(`which a ${role} has to give: all done, trust me`),
    });
});

// Clients that tell success on an API error, with exit code 0: their last JSON object is no worker's answer.
test.each([
  ["qwen", { type: "result", subtype: "success", is_error: false, result: "[API Error: 401 no key]" }],
  ["pi", { type: "agent_end", messages: [{ role: "assistant", stopReason: "error", errorMessage: "401" }] }],
  ["claude after its cap of blocked stops", { type: "result", subtype: "success", is_error: false, result: "" }],
])("SPEC 10: the false success of %s is asked for once more, then a failure", async (_, last) => {
  const program = `"${process.execPath}" -e "process.stdin.resume(); console.log(process.env.LAST)"`;
  const agent = createCommandAgent(program, { env: { PATH: process.env["PATH"], LAST: JSON.stringify(last) } });
  expect(await ask(agent, workerRequest(tempFolder()), readWorkerAnswer, never())).toMatchObject({
    kind: "failed",
    failure: "unreadable",
  });
});
