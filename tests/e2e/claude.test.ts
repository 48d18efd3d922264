import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ASSERTION_SCHEMA } from "../../src/loop/answer-types.ts";
import type { Agent, AgentRequest } from "../../src/loop/ports.ts";
import type { ClaudeOptions } from "../../src/adapters/agents/claude.ts";
import { agentContract, workerRequest, type Behaviour } from "../contracts/agent.ts";
import { hangingParent } from "../adapters/agents/clients.ts";
import { tempFolder } from "../fixtures/programs.ts";
import { claudeEnvironment, scrubbedClaude } from "./claude-client.ts";
import { scratchHome, withClient } from "./clients.ts";
import { refuse, say, suiteModel, use, type Script } from "./scripted-model.ts";

withClient("claude", suite);

function suite(path: string): void {
  const model = suiteModel();

  const agent = (script: Script, options: ClaudeOptions & { readonly cut?: boolean } = {}): Agent => {
    const home = scratchHome();
    const { cut, ...rest } = options;
    model.play(script, { cut: cut === true });
    return scrubbedClaude(path, model, home, rest);
  };
  const never = (): AbortSignal => new AbortController().signal;
  const call = (made: Agent, more: Partial<AgentRequest> = {}, cwd = tempFolder()): ReturnType<Agent["call"]> =>
    made.call(workerRequest(cwd, more), never());

  const good = { success: true, summary: "made it", artifacts: ["made.txt"] };
  const write = use("Bash", { command: "echo made > made.txt", description: "make it" });
  const hang = (): Promise<never> => new Promise(() => {});
  const dear: Script = ({ results }) => ({
    ...use("Bash", { command: `echo ${results.length}`, description: "x" }),
    usage: { input_tokens: 900_000, output_tokens: 90_000 },
  });
  const scripts: Record<Behaviour, Script> = {
    success: ({ results }) => [write, use("StructuredOutput", good)][results.length] ?? say("done"),
    failure: () => refuse(400, "invalid_request_error", "boom"),
    bad_request: () => refuse(400, "invalid_request_error", "boom"),
    no_login: () => refuse(401, "authentication_error", "invalid x-api-key"),
    rate_limited: () => refuse(429, "rate_limit_error", "slow down"),
    overloaded: () => refuse(529, "overloaded_error", "Overloaded"),
    cut: ({ results }) => [write, use("StructuredOutput", good)][results.length] ?? say("done"),
    over_budget: dear,
    nonsense: () => say("all done, trust me"),
    empty: () => say(""),
    // The client itself asks once for a structured answer before it gives up.
    half_then_repaired: ({ asked }) =>
      asked.includes("could not be used") ? use("StructuredOutput", good) : say(JSON.stringify(good).slice(0, 30)),
    hang: ({ results }) =>
      results.length === 0
        ? use("Bash", {
            command: "echo $PPID > pids; sh -c 'echo $$ >> pids; exec sleep 600'",
            description: "hang",
            timeout: 600_000,
          })
        : hang(),
    flood: ({ results }) =>
      [
        use("Bash", { command: "yes '{ noise }' | head -c 30000000", description: "flood" }),
        use("StructuredOutput", good),
      ][results.length] ?? say("done"),
  };
  const usage = expect.objectContaining({
    cost_usd: expect.any(Number),
    input_tokens: expect.any(Number),
    output_tokens: expect.any(Number),
  }) as object;
  agentContract({
    name: "claude",
    agent: (behaviour) =>
      Promise.resolve(
        agent(scripts[behaviour], behaviour === "cut" ? { cut: true, env: { CLAUDE_CODE_MAX_RETRIES: "2" } } : {}),
      ),
    cut: "answers",
    parent: (cwd) => {
      model.play(scripts.hang);
      return hangingParent("claude", path, cwd, claudeEnvironment(model, scratchHome()));
    },
    usage,
    patience_ms: 12_000,
    processes: true,
    skips: {},
  });

  describe("SPEC 10: what the real client does, and what it means", { timeout: 120_000 }, () => {
    test("an account that cannot pay is unavailable, and no waiting helps", async () => {
      const said = "Your credit balance is too low to access the Anthropic API.";
      const answer = await call(agent(() => refuse(400, "invalid_request_error", said)));
      expect(answer).toMatchObject({ kind: "unavailable", reason: expect.stringMatching(/cannot pay.*[Cc]redit/) });
      expect(answer).not.toHaveProperty("retry_after_ms");
    });

    test("a service that is not there is unavailable, with a time to wait", async () => {
      const answer = await call(agent(() => say(""), { env: { ANTHROPIC_BASE_URL: "http://127.0.0.1:9" } }));
      expect(answer).toMatchObject({ kind: "unavailable", retry_after_ms: expect.any(Number) });
    });

    test("SIGINT at a tool is a failure", async () => {
      const answer = await call(
        agent(({ results }) =>
          results.length === 0
            ? use("Bash", { command: "kill -INT $PPID; sleep 20", description: "interrupt" })
            : hang(),
        ),
      );
      expect(answer).toMatchObject({ kind: "failed", reason: expect.stringContaining("aborted_tools") });
    });

    test("SIGINT before the model's first word is a failure", async () => {
      const folder = tempFolder();
      const wrapper = join(folder, "claude.sh");
      writeFileSync(wrapper, `#!/bin/sh\necho $$ > '${join(folder, "pid")}'\nexec '${path}' "$@"\n`, { mode: 0o755 });
      const interrupt = (): Promise<never> => {
        process.kill(Number(readFileSync(join(folder, "pid"), "utf8")), "SIGINT");
        return hang();
      };
      const answer = await call(agent(interrupt, { command: wrapper }));
      expect(answer).toMatchObject({
        kind: "failed",
        reason: expect.stringMatching(/aborted_streaming|without a result/),
      });
    });

    test("spent turns are a failure that says so", async () => {
      const answer = await call(
        agent(() => use("Bash", { command: "echo again", description: "x" }), { extra_args: ["--max-turns", "2"] }),
      );
      expect(answer).toMatchObject({ kind: "failed", reason: expect.stringContaining("turns") });
    });

    test("a structured answer that breaks the schema is put right by the client itself", async () => {
      const made = agent(
        ({ results }) =>
          [use("StructuredOutput", { success: "yes" }), use("StructuredOutput", good)][results.length] ?? say("done"),
      );
      expect(await call(made)).toMatchObject({ kind: "answer", value: good });
      expect(model.turns[1]?.results[0]).toContain("success");
    });

    test("SPEC 7: the repair call goes on in the same session and carries its cost alone", async () => {
      const made = agent(scripts.half_then_repaired);
      const cwd = tempFolder();
      const first = await call(made, {}, cwd);
      if (first.kind !== "unreadable" || first.session === undefined)
        throw new Error(`unexpected: ${JSON.stringify(first)}`);
      const again = await call(
        made,
        { repair: { answer: first.text, problem: first.problem, session: first.session } },
        cwd,
      );
      expect(again).toMatchObject({ kind: "answer", value: good, session: first.session });
      // One turn of 100 and 10 tokens, not the session's sum.
      expect(again.usage).toMatchObject({ input_tokens: 100, output_tokens: 10 });
    });

    test("SPEC 7: a repair call's budget is its own, whatever the session has spent", async () => {
      const made = agent(scripts.half_then_repaired);
      const cwd = tempFolder();
      const first = await call(made, {}, cwd);
      if (first.kind !== "unreadable" || first.session === undefined)
        throw new Error(`unexpected: ${JSON.stringify(first)}`);
      const repair = { answer: first.text, problem: first.problem, session: first.session };
      expect(await call(made, { repair, budget_usd: (first.usage?.cost_usd ?? 0) * 0.9 }, cwd)).toMatchObject({
        kind: "answer",
        value: good,
      });
    });

    test.each(["probe", "judge", "planner"] as const)(
      "SPEC 7: a %s can read and nothing else, whatever the project's settings allow",
      async (role) => {
        const cwd = tempFolder();
        const script: Script = ({ results }) =>
          [
            use("Bash", { command: "touch written", description: "x" }),
            use("Write", { file_path: join(cwd, "written"), content: "x" }),
            use("StructuredOutput", { passed: true, evidence: "e", quotes: [{ file: "a", line: 1, text: "x" }] }),
          ][results.length] ?? say("done");
        const made = agent(script, {
          extra_args: ["--settings", JSON.stringify({ permissions: { allow: ["Bash", "Write", "Edit"] } })],
        });
        expect(await call(made, { role, schema: ASSERTION_SCHEMA }, cwd)).toMatchObject({
          kind: "answer",
          value: { passed: true },
        });
        expect(existsSync(join(cwd, "written"))).toBe(false);
        const offered = model.turns[0]?.tools ?? [];
        expect(offered).toEqual(expect.arrayContaining(["Glob", "Grep", "Read", "StructuredOutput"]));
        expect(offered.filter((tool) => /bash|write|edit|agent|task|web|mcp|skill/i.test(tool))).toEqual([]);
      },
    );

    test("its tools see the AOT variables and nothing of an outer session", async () => {
      const cwd = tempFolder();
      const script: Script = ({ results }) =>
        [use("Bash", { command: "env > environment", description: "x" }), use("StructuredOutput", good)][
          results.length
        ] ?? say("done");
      await call(agent(script), {}, cwd);
      const environment = readFileSync(join(cwd, "environment"), "utf8");
      for (const line of ["AOT_ROLE=worker", "AOT_ATOM=A1", "AOT_ATTEMPT=A1.1", "AOT_CALL=A1.1"])
        expect(environment).toContain(`${line}\n`);
      expect(environment).not.toContain("CLAUDE_CODE_SESSION_ID=outer");
    });
  });
}
