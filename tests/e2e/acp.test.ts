/**
 * The acp adapter over a real agent, pinned, against a scripted model: gemini. It starts slowly and retries a refused
 * call for minutes, so that what needs that is run only with AOT_E2E_SLOW=1.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ASSERTION_SCHEMA } from "../../src/core/answer-schema.ts";
import { createAcpAgent } from "../../src/adapters/agents/acp.ts";
import type { Agent, AgentRequest } from "../../src/loop/ports.ts";
import { hangingParent } from "../adapters/agents/clients.ts";
import type { Behaviour } from "../contracts/agent.ts";
import { agentContract, workerRequest } from "../contracts/agent.ts";
import { tempFolder } from "../fixtures/programs.ts";
import type { Model, Script } from "./claude-client.ts";
import { refuse, say, startModel, use } from "./claude-client.ts";
import { geminiEnvironment, scratchHome, withClient } from "./clients.ts";

const slow = process.env["AOT_E2E_SLOW"] === "1";

withClient("gemini", (path) => {
  let model: Model;
  beforeAll(async () => {
    model = await startModel();
  });
  afterAll(() => model.stop());

  const line = `"${process.execPath}" "${path}" --acp --skip-trust`;
  const agent = (script: Script): Agent => {
    model.play(script);
    return createAcpAgent(line, { env: geminiEnvironment(model, scratchHome()) });
  };
  const never = (): AbortSignal => new AbortController().signal;
  const call = (made: Agent, more: Partial<AgentRequest> = {}, cwd = tempFolder()): ReturnType<Agent["call"]> =>
    made.call(workerRequest(cwd, more), never());

  const good = { success: true, summary: "made it", artifacts: ["made.txt"] };
  const answer = say(JSON.stringify(good));
  const run = (command: string): ReturnType<typeof use> => use("run_shell_command", { command, description: "x" });
  const hang = (): Promise<never> => new Promise(() => {});
  const success: Script = ({ results }) => (results.length === 0 ? run("echo made > made.txt") : answer);
  const scripts: Record<Behaviour, Script> = {
    success,
    failure: () => refuse(400, "INVALID_ARGUMENT", "boom"),
    nonsense: () => say("all done, trust me"),
    empty: () => say(""),
    half_then_repaired: ({ asked }) =>
      asked.includes("could not be used") ? answer : say(JSON.stringify(good).slice(0, 30)),
    hang: ({ results }) =>
      results.length === 0 ? run("echo $PPID > pids; sh -c 'echo $$ >> pids; exec sleep 600'") : hang(),
    flood: ({ results }) => (results.length === 0 ? run("yes noise | head -c 3000000") : answer),
    bad_request: () => refuse(400, "INVALID_ARGUMENT", "boom"),
    no_login: () => refuse(401, "UNAUTHENTICATED", "API key not valid"),
    rate_limited: () => refuse(429, "RESOURCE_EXHAUSTED", "slow down"),
    overloaded: () => refuse(503, "UNAVAILABLE", "Overloaded"),
    cut: success,
    over_budget: success,
  };
  agentContract({
    name: "acp: (gemini)",
    agent: (behaviour) => Promise.resolve(agent(scripts[behaviour])),
    usage: { input_tokens: 200, output_tokens: 20 },
    patience_ms: 20_000,
    processes: true,
    parent: (cwd) => {
      model.play(scripts.hang);
      return hangingParent("acp", line, cwd, geminiEnvironment(model, scratchHome()));
    },
    skips: {
      over_budget: "the protocol has no budget",
      cut: "the scripted model cannot cut this wire",
      ...(slow
        ? {}
        : {
            rate_limited: "slow: it retries for a minute; AOT_E2E_SLOW=1",
            overloaded: "slow: it retries for a minute; AOT_E2E_SLOW=1",
            empty: "slow: it asks an empty model again; AOT_E2E_SLOW=1",
            "time-out": "slow; AOT_E2E_SLOW=1",
            silence: "slow; AOT_E2E_SLOW=1",
          }),
    },
  });

  describe("SPEC 10: what the real agent does, and what it means", { timeout: 120_000 }, () => {
    test.each(["probe", "judge", "planner"] as const)("SPEC 7: a %s cannot write", async (role) => {
      const cwd = tempFolder();
      const script: Script = ({ results }) =>
        [use("write_file", { file_path: join(cwd, "written"), content: "x" }), run(`touch '${join(cwd, "written")}'`)][
          results.length
        ] ?? say('{"passed":true,"evidence":"e"}');
      expect(await call(agent(script), { role, schema: ASSERTION_SCHEMA }, cwd)).toMatchObject({
        kind: "answer",
        value: { passed: true },
      });
      expect(model.turns.at(-1)?.results.every((result) => result.includes("error"))).toBe(true);
      expect(existsSync(join(cwd, "written"))).toBe(false);
    });
  });
});
