/**
 * The real Claude Code against a scripted model on loopback. No credential and no setting of the machine can
 * reach it: its environment is the list below, its HOME a scratch folder, and its proxy a closed port,
 * so that anything but loopback is refused.
 */
import { spawnSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { LLMock } from "@copilotkit/aimock";
import type { ClaudeOptions } from "../../src/adapters/agents/claude.ts";
import { createClaudeAgent } from "../../src/adapters/agents/claude.ts";
import type { Agent } from "../../src/loop/ports.ts";

/** What the model sees, as far as a script needs it. */
export interface Turn {
  /** Text of the last user message. */
  readonly asked: string;
  /** Results of tools in this conversation, oldest first. */
  readonly results: readonly string[];
  readonly tools: readonly string[];
  /** The model that was asked for. */
  readonly model?: string;
}
export interface Reply {
  readonly content?: string;
  readonly toolCalls?: { readonly name: string; readonly arguments: string }[];
  readonly error?: { readonly message: string; readonly type: string };
  readonly status?: number;
  readonly retryAfter?: number;
  readonly usage?: { readonly input_tokens: number; readonly output_tokens: number };
}
export type Script = (turn: Turn) => Reply | Promise<Reply>;

export const use = (name: string, input: object): Reply => ({
  toolCalls: [{ name, arguments: JSON.stringify(input) }],
  usage: { input_tokens: 100, output_tokens: 10 },
});
export const say = (content: string): Reply => ({ content, usage: { input_tokens: 100, output_tokens: 10 } });
export const refuse = (status: number, type: string, message: string): Reply => ({
  error: { message, type },
  status,
  retryAfter: 1,
});

/** Where the client is, or why it cannot be had. */
export function findClaude(): { readonly path: string } | { readonly missing: string } {
  const given = process.env["AOT_E2E_CLAUDE"];
  if (given !== undefined)
    return existsSync(given) ? { path: given } : { missing: `AOT_E2E_CLAUDE names ${given}, which does not exist` };
  const script = fileURLToPath(new URL("../../scripts/install-clients.mjs", import.meta.url));
  const run = spawnSync(process.execPath, [script], { encoding: "utf8", timeout: 300_000 });
  const path = /^claude \S+ (.+)$/m.exec(run.stdout)?.[1];
  return path === undefined ? { missing: `scripts/install-clients.mjs: ${run.stderr.trim().slice(-400)}` } : { path };
}

export interface Model {
  readonly url: string;
  /** What the model answers from now on; `cut`: its first answer breaks off in the middle of the stream. */
  play(script: Script, options?: { readonly cut?: boolean }): void;
  readonly turns: Turn[];
  stop(): Promise<void>;
}

export async function startModel(): Promise<Model> {
  const mock = new LLMock({ port: 0, host: "127.0.0.1" });
  let script: Script = () => say("no script");
  let cuts = 0;
  const turns: Turn[] = [];
  type Body = {
    model?: string;
    messages: readonly { role: string; content: unknown }[];
    tools?: readonly { function: { name: string } }[];
  };
  const reply = (body: Body): ReturnType<Script> => {
    const of = (role: string): string[] => body.messages.filter((m) => m.role === role).map((m) => textOf(m.content));
    const turn = {
      asked: of("user").at(-1) ?? "",
      results: of("tool"),
      tools: (body.tools ?? []).map((tool) => tool.function.name),
      ...(body.model === undefined ? {} : { model: body.model }),
    };
    turns.push(turn);
    return script(turn);
  };
  mock.on({ predicate: () => cuts-- > 0 }, (body) => reply(body), {
    truncateAfterChunks: 2,
    chunkSize: 4,
  });
  mock.on({ predicate: () => true }, (body) => reply(body));
  await mock.start();
  return {
    url: mock.url,
    turns,
    play(next, options) {
      script = next;
      cuts = options?.cut === true ? 1 : 0;
      turns.length = 0;
    },
    stop: () => mock.stop(),
  };
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return Array.isArray(content)
    ? content.map((part: { text?: unknown }) => (typeof part.text === "string" ? part.text : "")).join("\n")
    : "";
}

/** The agent under test, with nothing of this machine in its environment. */
export function scrubbedClaude(command: string, model: Model, home: string, more: ClaudeOptions = {}): Agent {
  return createClaudeAgent({ command, env: { ...claudeEnvironment(model, home), ...more.env }, ...without(more) });
}

/** Nothing of this machine but its PATH; HOME is a scratch folder, the only address the scripted model. */
export function claudeEnvironment(model: Model, home: string): Record<string, string | undefined> {
  return {
    PATH: process.env["PATH"],
    HOME: home,
    TMPDIR: home,
    TERM: "dumb",
    LANG: "C.UTF-8",
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: "dummy",
    HTTPS_PROXY: "http://127.0.0.1:9",
    HTTP_PROXY: "http://127.0.0.1:9",
    NO_PROXY: "127.0.0.1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
    DISABLE_AUTOUPDATER: "1",
    CLAUDE_CODE_MAX_RETRIES: "0",
    // What an outer session would leave behind; the agent has to take it out.
    CLAUDECODE: "1",
    CLAUDE_CODE_SESSION_ID: "outer",
  };
}

function without({ env: _, ...rest }: ClaudeOptions): ClaudeOptions {
  return rest;
}

/** For a folder that a client which is just ending may still write to. */
export function removeFolder(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}
