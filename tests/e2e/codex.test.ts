/** The codex adapter over the real client, pinned, against a scripted model. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ASSERTION_SCHEMA } from "../../src/core/answer-schema.ts";
import type { CodexOptions } from "../../src/adapters/agents/codex.ts";
import { createCodexAgent } from "../../src/adapters/agents/codex.ts";
import type { Agent, AgentRequest } from "../../src/loop/ports.ts";
import { hangingParent } from "../adapters/agents/clients.ts";
import type { Behaviour } from "../contracts/agent.ts";
import { agentContract, workerRequest } from "../contracts/agent.ts";
import { tempFolder } from "../fixtures/programs.ts";
import type { Model, Script } from "./claude-client.ts";
import { refuse, say, startModel, use } from "./claude-client.ts";
import { codexEnvironment, scratchHome, withClient } from "./clients.ts";

withClient("codex", (path) => {
  let model: Model;
  beforeAll(async () => {
    model = await startModel();
  });
  afterAll(() => model.stop());

  interface Wish extends CodexOptions {
    readonly cut?: boolean;
    readonly retries?: number;
  }
  const agent = (script: Script, { cut, retries, ...options }: Wish = {}): Agent => {
    model.play(script, { cut: cut === true });
    return createCodexAgent({
      command: path,
      // In its sandbox process ids are those of a namespace, which say nothing here; readers' sandbox has a test of its own.
      sandbox: "danger-full-access",
      env: codexEnvironment(model, scratchHome(), retries),
      ...options,
    });
  };
  const never = (): AbortSignal => new AbortController().signal;
  const call = (made: Agent, more: Partial<AgentRequest> = {}, cwd = tempFolder()): ReturnType<Agent["call"]> =>
    made.call(workerRequest(cwd, more), never());

  const good = { success: true, summary: "made it", artifacts: ["made.txt"] };
  const answer = say(JSON.stringify({ ...good, split: null, reason: null }));
  const run = (cmd: string): ReturnType<typeof use> => use("exec_command", { cmd });
  const hang = (): Promise<never> => new Promise(() => {});
  const success: Script = ({ results }) => (results.length === 0 ? run("echo made > made.txt") : answer);
  const scripts: Record<Behaviour, Script> = {
    success,
    failure: () => refuse(400, "invalid_request_error", "boom"),
    nonsense: () => say("all done, trust me"),
    empty: () => say(""),
    half_then_repaired: ({ asked }) =>
      asked.includes("could not be used") ? answer : say(JSON.stringify(good).slice(0, 30)),
    hang: ({ results }) =>
      results.length === 0 ? run("echo $PPID > pids; sh -c 'echo $$ >> pids; exec sleep 600'") : hang(),
    flood: ({ results }) => (results.length === 0 ? run("yes noise | head -c 30000000") : answer),
    bad_request: () => refuse(400, "invalid_request_error", "boom"),
    no_login: () => refuse(401, "authentication_error", "Incorrect API key provided"),
    rate_limited: () => refuse(429, "rate_limit_error", "slow down"),
    overloaded: () => refuse(529, "overloaded_error", "Overloaded"),
    cut: success,
    over_budget: success,
  };
  agentContract({
    name: "codex",
    agent: (behaviour) =>
      Promise.resolve(agent(scripts[behaviour], behaviour === "cut" ? { cut: true, retries: 2 } : {})),
    usage: { input_tokens: 200, output_tokens: 20 },
    patience_ms: 12_000,
    processes: true,
    cut: "answers",
    parent: (cwd) => {
      model.play(scripts.hang);
      return hangingParent("codex-unboxed", path, cwd, codexEnvironment(model, scratchHome()));
    },
    skips: { over_budget: "codex cannot be given a budget and tells no cost" },
  });

  describe("SPEC 10: what the real client does, and what it means", { timeout: 120_000 }, () => {
    test("a service that is not there is unavailable, with a time to wait", async () => {
      const home = scratchHome();
      const gone = { ...model, url: "http://127.0.0.1:9" };
      const made = createCodexAgent({ command: path, env: codexEnvironment(gone, home), longest_wait_ms: 5_000 });
      expect(await call(made)).toMatchObject({ kind: "unavailable", retry_after_ms: expect.any(Number) });
    });

    test("SPEC 7: the repair call goes on in the same session and carries its tokens alone", async () => {
      const made = agent(scripts.half_then_repaired);
      const cwd = tempFolder();
      const first = await call(made, {}, cwd);
      if (first.kind !== "unreadable" || first.session === undefined)
        throw new Error(`unexpected: ${JSON.stringify(first)}`);
      const repair = { answer: first.text, problem: first.problem, session: first.session };
      const again = await call(made, { repair }, cwd);
      expect(again).toMatchObject({ kind: "answer", value: good, session: first.session });
      expect(again.usage).toEqual({ input_tokens: 100, output_tokens: 10 });
    });

    test("the model is the one that was asked for", async () => {
      const asked: (string | undefined)[] = [];
      const made = agent(({ model: name }) => (asked.push(name), answer), { model: "gpt-of-choice" });
      expect(await call(made)).toMatchObject({ kind: "answer", value: good });
      expect(asked).toEqual(["gpt-of-choice"]);
    });

    test.each(["probe", "judge", "planner"] as const)("SPEC 7: a %s cannot write", async (role) => {
      const cwd = tempFolder();
      const script: Script = ({ results }) =>
        results.length === 0 ? run(`touch '${join(cwd, "written")}'`) : say('{"passed":true,"evidence":"e"}');
      expect(await call(agent(script), { role, schema: ASSERTION_SCHEMA }, cwd)).toMatchObject({
        kind: "answer",
        value: { passed: true },
      });
      expect(model.turns.at(-1)?.results[0]).not.toContain("exit code: 0");
      expect(existsSync(join(cwd, "written"))).toBe(false);
    });

    test("its tools see the AOT variables", async () => {
      const cwd = tempFolder();
      await call(
        agent(({ results }) => (results.length === 0 ? run("env > environment") : answer)),
        {},
        cwd,
      );
      const environment = readFileSync(join(cwd, "environment"), "utf8");
      for (const line of ["AOT_ROLE=worker", "AOT_ATOM=A1", "AOT_ATTEMPT=A1.1", "AOT_CALL=A1.1"])
        expect(environment).toContain(`${line}\n`);
    });

    test("available() tells the version", async () => {
      expect(await agent(() => say("")).available()).toEqual({
        ok: true,
        version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      });
    });
  });
});
