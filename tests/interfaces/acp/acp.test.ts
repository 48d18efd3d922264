/** SPEC 10: the loop as an agent of the Agent Client Protocol, with the protocol's own client as the editor. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { client, methods, ndJsonStream, type ClientContext } from "@agentclientprotocol/sdk";
import * as fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { isAlive } from "../../../src/host/process.ts";
import { askedIn } from "../../../src/interfaces/acp/prompt.ts";
import { aotJson, aotPath, cleanEnv } from "../../support/aot.ts";
import { eventually, temporaryFolder } from "../../support/bundle.ts";
import { letGo, MAKING, pidsIn, waitingAgent } from "../mcp/session.ts";

interface Editor {
  readonly agent: ClientContext;
  readonly id: string;
  readonly pid: number;
  said(): string;
  commands(): readonly string[];
  asked(): readonly string[];
  prompt(text: string): Promise<string>;
  leave(): Promise<unknown>;
}

/** An editor with one session in that folder, whose person answers so. */
async function open(cwd: string, script: string, agrees = true): Promise<Editor> {
  writeFileSync(join(cwd, "agent.mjs"), script);
  const words = [aotPath(), "acp", "--agent", `command:"${process.execPath}" agent.mjs`];
  const child = spawn(process.execPath, words, {
    cwd: temporaryFolder(),
    env: cleanEnv(),
    stdio: ["pipe", "pipe", "inherit"],
  });
  const closed = once(child, "close");
  onTestFinished(async () => {
    child.stdin.end();
    await closed;
  });
  let said = "";
  let commands: readonly string[] = [];
  const asked: string[] = [];
  const stream = ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>);
  const { agent } = client({ name: "editor" })
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      asked.push(params.toolCall.title ?? "");
      return { outcome: { outcome: "selected", optionId: agrees ? "yes" : "no" } };
    })
    .onNotification(methods.client.session.update, ({ params: { update } }) => {
      if (update.sessionUpdate === "available_commands_update")
        commands = update.availableCommands.map(({ name }) => name);
      if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text") said += update.content.text;
    })
    .connect(stream);
  const greeted = await agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} });
  expect(greeted).toMatchObject({ protocolVersion: 1, agentInfo: { name: "aot-loop" } });
  const { sessionId } = await agent.request(methods.agent.session.new, { cwd, mcpServers: [] });
  return {
    agent,
    id: sessionId,
    pid: child.pid ?? 0,
    said: () => said,
    commands: () => commands,
    asked: () => asked,
    prompt: async (text) => {
      const params = { sessionId, prompt: [{ type: "text", text }] };
      return (await agent.request<{ readonly stopReason: string }>(methods.agent.session.prompt, params)).stopReason;
    },
    leave: async () => {
      child.stdin.end();
      return await closed;
    },
  };
}

const GOAL = "Make it\ncheck: test -f made.txt";

describe.skipIf(process.platform === "win32")("SPEC 10: aot acp", () => {
  test("ACP-1: a goal with its check is planned, agreed to once, worked and verified, and its words come as they are said", async () => {
    const dir = temporaryFolder();
    const editor = await open(dir, MAKING);
    expect(await editor.prompt(GOAL)).toBe("end_turn");
    expect(editor.asked()).toHaveLength(1);
    expect(editor.said()).toMatch(/calls[^]*Verified/);
    expect((await aotJson(["status"], { cwd: dir })).json).toMatchObject({ outcome: "verified" });
    expect(editor.commands()).toEqual(["status", "run", "stop", "verify", "log", "diff"]);
    expect(await editor.prompt("/status")).toBe("end_turn");
    expect(editor.said()).toContain("attempts 1, cost");
    expect(editor.asked()).toHaveLength(1);
  });

  test("ACP-1: who does not agree starts nothing", async () => {
    const dir = temporaryFolder();
    const editor = await open(dir, MAKING, false);
    expect(await editor.prompt(GOAL)).toBe("end_turn");
    expect(editor.said()).toContain("Nothing was started");
    expect(existsSync(join(dir, ".claude", "aot-loop-state.md"))).toBe(false);
  });

  test("a goal without a check, an unknown command and a session that is not there are answered with what would be right", async () => {
    const dir = temporaryFolder();
    writeFileSync(join(dir, "package.json"), '{"scripts": {"test": "true"}}');
    const editor = await open(dir, MAKING);
    await editor.prompt("Make it");
    expect(editor.said()).toContain("check: npm test");
    await editor.prompt("/nothing");
    expect(editor.said()).toContain("There is no /nothing here");
    expect(editor.asked()).toEqual([]);
    const prompt = [{ type: "text" as const, text: "x" }];
    await expect(editor.agent.request(methods.agent.session.prompt, { sessionId: "x", prompt })).rejects.toThrow(
      "no such session",
    );
  });

  test("ACP-2: a prompt that is cancelled stops its run, and the session goes on", async () => {
    const [dir, signs] = [temporaryFolder(), temporaryFolder()];
    const editor = await open(dir, waitingAgent(signs));
    const turn = editor.prompt(GOAL);
    await eventually("the agent works", () => pidsIn(signs).length > 0);
    await editor.agent.notify(methods.agent.session.cancel, { sessionId: editor.id });
    letGo(signs);
    expect(await turn).toBe("cancelled");
    expect((await aotJson(["status"], { cwd: dir })).json).toMatchObject({ runner: null });
    expect(await editor.prompt("/status")).toBe("end_turn");
  });

  test("ACP-2: an editor that leaves leaves no process behind", async () => {
    const [dir, signs] = [temporaryFolder(), temporaryFolder()];
    const editor = await open(dir, waitingAgent(signs));
    const turn = editor.prompt(GOAL).catch(() => "gone");
    await eventually("the agent works", () => pidsIn(signs).length > 0);
    expect(await editor.leave()).toEqual([0, null]);
    await turn;
    await eventually("the agent is gone", () => !pidsIn(signs).some(isAlive));
  });
});

test("law: nothing of a goal or a check is taken for a flag, and nothing of them is lost", () => {
  fc.assert(
    fc.property(fc.string(), fc.array(fc.string({ minLength: 1 }), { minLength: 1 }), (goal, checks) => {
      const lines = checks.map((check) => check.replaceAll(/\s+/g, " ").trim() || "x");
      const said = goal
        .replaceAll(/[\n\r\u2028\u2029]/g, " ")
        .replace(/check:|^\s*\//gi, "")
        .trim();
      const asked = askedIn([said, ...lines.map((line) => `check: ${line}`)].join("\n"));
      const wanted = ["run", ...lines.map((line) => `--check=${line}`), ...(said === "" ? [] : ["--", said])];
      expect(asked).toEqual({ kind: "command", words: wanted, plan: true });
    }),
  );
});
