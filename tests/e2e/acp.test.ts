/**
 * The acp adapter over a real agent, pinned, against a scripted model: gemini. It starts slowly and retries a refused
 * call for minutes, so that what needs that is run only by `npm run evidence -- --full clients`.
 */
import { existsSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, test } from "vitest";
import { ASSERTION_SCHEMA } from "../../src/loop/answer-types.ts";
import { createAcpAgent } from "../../src/adapters/agents/acp.ts";
import { createAgent } from "../../src/adapters/agents/find.ts";
import type { Agent, AgentRequest } from "../../src/loop/ports.ts";
import { hangingParent } from "../adapters/agents/clients.ts";
import { agentContract, workerRequest } from "../contracts/agent.ts";
import { tempFolder } from "../fixtures/programs.ts";
import { geminiEnvironment, scratchHome, withClient } from "./clients.ts";
import { contractScripts } from "./contract-scripts.ts";
import { say, suiteModel, use, type Script } from "./scripted-model.ts";

const slow = process.env["MODE"] === "complete";

withClient("gemini", (path) => {
  const model = suiteModel();

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
  const scripts = contractScripts({
    answer,
    run,
    flood: 3_000_000,
    refusals: {
      bad_request: [400, "INVALID_ARGUMENT", "boom"],
      no_login: [401, "UNAUTHENTICATED", "API key not valid"],
      rate_limited: [429, "RESOURCE_EXHAUSTED", "slow down"],
      overloaded: [503, "UNAVAILABLE", "Overloaded"],
    },
  });
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
            rate_limited: "slow: it retries for a minute; --full",
            overloaded: "slow: it retries for a minute; --full",
            empty: "slow: it asks an empty model again; --full",
            "time-out": "slow; --full",
            silence: "slow; --full",
          }),
    },
  });

  test.runIf(process.platform !== "win32")(
    "SPEC 10: `gemini:MODEL` is the client on PATH, with that model",
    async () => {
      const home = scratchHome();
      writeFileSync(join(home, "gemini"), `#!/bin/sh\nexec "${process.execPath}" "${path}" "$@"\n`, { mode: 0o755 });
      model.play(() => answer);
      const environment = geminiEnvironment(model, home);
      const env = { ...environment, PATH: [home, environment["PATH"]].join(delimiter) };
      const found = createAgent("gemini:gemini-2.5-pro", { env });
      if (!found.ok) throw new Error("unreachable");
      expect(await found.value.available()).toMatchObject({ ok: true, version: expect.stringMatching(/^\d+\.\d+/) });
      expect(await call(found.value)).toMatchObject({ kind: "answer", value: good });
      // The settings in that HOME name another one.
      expect(model.turns.at(-1)?.model).toBe("gemini-2.5-pro");
    },
    120_000,
  );

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
