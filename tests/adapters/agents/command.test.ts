import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createCommandAgent } from "../../../src/adapters/agents/command.ts";
import { agentContract, workerRequest } from "../../contracts/agent.ts";
import { tempFolder } from "../../fixtures/programs.ts";

const program = fileURLToPath(new URL("../../fixtures/agents/agent.mjs", import.meta.url));
const line = (...args: string[]): string => [process.execPath, program, ...args].map((word) => `"${word}"`).join(" ");
const never = (): AbortSignal => new AbortController().signal;

agentContract({
  name: "command:",
  agent: (behaviour) => Promise.resolve(createCommandAgent(line(behaviour))),
  usage: { cost_usd: 0.25, input_tokens: 12, output_tokens: 3 },
  patience_ms: 3_000,
  processes: true,
  skips: {},
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
  const marks = { AOT_ROLE: "worker", AOT_ATOM: "A1", AOT_ATTEMPT: "A1.1", AOT_CALL: "A1.1" };
  expect(answer).toEqual({
    kind: "answer",
    value: { request, cwd, env: { ...marks, KEPT: "yes", CLAUDE_CODE_USE_BEDROCK: "1" } },
  });
});

test("SPEC 10: a role without an atom sends null; asked again it is told what was wrong", async () => {
  const repair = { answer: "hm", problem: "no JSON", session: "s" };
  const { atom: _, ...rest } = workerRequest(tempFolder(), { role: "judge", call: "judge:sound", repair });
  const answer = await createCommandAgent(line("echo")).call(rest, never());
  expect(answer).toMatchObject({
    value: {
      request: { role: "judge", atom: null, repair: { answer: "hm", problem: "no JSON" } },
      env: { AOT_ATOM: "", AOT_ATTEMPT: "", AOT_CALL: "judge:sound" },
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

test("a folder that is not there is told as such", async () => {
  const answer = await createCommandAgent(line("success")).call(workerRequest("/aot/no/such/folder"), never());
  expect(answer).toMatchObject({ kind: "unavailable", reason: expect.stringContaining("/aot/no/such/folder") });
});
