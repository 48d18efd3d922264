/** The codex adapter over the real client, pinned, against a scripted model. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ASSERTION_SCHEMA } from "../../src/loop/answer-types.ts";
import { createCodexAgent, type CodexOptions } from "../../src/adapters/agents/codex.ts";
import type { Agent, AgentRequest } from "../../src/loop/ports.ts";
import { hangingParent } from "../adapters/agents/clients.ts";
import { agentContract, workerRequest } from "../contracts/agent.ts";
import { tempFolder } from "../fixtures/programs.ts";
import { codexEnvironment, scratchHome, withClient } from "./clients.ts";
import { contractScripts } from "./contract-scripts.ts";
import { say, suiteModel, use, type Script } from "./scripted-model.ts";

withClient("codex", (path) => {
  const model = suiteModel();

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
  const scripts = contractScripts({
    answer,
    run,
    flood: 30_000_000,
    refusals: {
      bad_request: [400, "invalid_request_error", "boom"],
      no_login: [401, "authentication_error", "Incorrect API key provided"],
      rate_limited: [429, "rate_limit_error", "slow down"],
      overloaded: [529, "overloaded_error", "Overloaded"],
    },
  });
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
  });
});
