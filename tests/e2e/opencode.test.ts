/**
 * The acp adapter over opencode, pinned, against a scripted model: another service's format, modes among its settings,
 * and no questions asked. A call takes it some ten seconds of CPU: only what differs is tried, with `--full`.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createAcpAgent } from "../../src/adapters/agents/acp.ts";
import { ASSERTION_SCHEMA } from "../../src/loop/answer-types.ts";
import type { AgentRequest } from "../../src/loop/ports.ts";
import { workerRequest } from "../contracts/agent.ts";
import { tempFolder } from "../fixtures/programs.ts";
import { opencodeEnvironment, scratchHome, withClient } from "./clients.ts";
import { refuse, say, suiteModel, use, type Script } from "./scripted-model.ts";

const LIMIT = { timeout: 180_000 };

if (process.env["MODE"] !== "complete") test.skip("slow: npm run evidence -- --full clients", () => {});
else withClient("opencode", suite);

function suite(path: string): void {
  const model = suiteModel();
  const call = (script: Script, cwd: string, more: Partial<AgentRequest> = {}): Promise<unknown> => {
    // It asks for a title of the session, too, and offers no tools then.
    model.play((turn) => (turn.tools.length === 0 ? say("a title") : script(turn)));
    const agent = createAcpAgent(`"${path}" acp`, { env: opencodeEnvironment(model, scratchHome()) });
    return agent.call(workerRequest(cwd, { timeout_ms: 150_000, ...more }), new AbortController().signal);
  };

  test("SPEC 10: a worker works, and its answer comes with its usage", LIMIT, async () => {
    const cwd = tempFolder();
    const good = { success: true, summary: "made it", artifacts: ["made.txt"] };
    const script: Script = ({ results }) =>
      results.length === 0
        ? use("bash", { command: "echo made > made.txt", description: "x" })
        : say(JSON.stringify(good));
    expect(await call(script, cwd)).toMatchObject({
      kind: "answer",
      value: good,
      usage: { input_tokens: expect.any(Number) },
    });
    expect(readFileSync(join(cwd, "made.txt"), "utf8")).toBe("made\n");
  });

  test("SPEC 7: a judge's edit is refused: it works in the mode that only reads", LIMIT, async () => {
    const cwd = tempFolder();
    const script: Script = ({ results }) =>
      results.length === 0
        ? use("write", { filePath: join(cwd, "written"), content: "x" })
        : say('{"passed":true,"evidence":"e"}');
    expect(await call(script, cwd, { role: "judge", schema: ASSERTION_SCHEMA })).toMatchObject({ kind: "answer" });
    expect(existsSync(join(cwd, "written"))).toBe(false);
    expect(model.turns.at(-1)?.results.join()).toContain("prevents you from using this specific tool call");
  });

  test("SPEC 7: a refusal of the service is a failure that says why", LIMIT, async () => {
    const said = refuse(400, "invalid_request_error", "boom");
    expect(await call(() => said, tempFolder())).toMatchObject({
      kind: "failed",
      reason: expect.stringContaining("boom"),
    });
  });
}
