/** A client's session with the built server over stdin and stdout, and loops to try it on. */
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { Client, type CallToolResult, type ClientOptions } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { onTestFinished } from "vitest";
import { aotPath, cleanEnv } from "../../support/aot.ts";

export interface Session {
  readonly client: Client;
  readonly pid: number;
  readonly stderr: () => string;
  call(name: string, given?: Record<string, unknown>): Promise<Called>;
}

export interface Called {
  readonly json: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly isError: boolean;
}

export function calledOf(result: CallToolResult): Called {
  const [first] = result.content;
  return {
    json: Object(result.structuredContent),
    text: first?.type === "text" ? first.text : "",
    isError: result.isError === true,
  };
}

export interface SessionOptions extends ClientOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Before the client connects. */
  readonly prepare?: (client: Client) => void;
}

/** Closed when the test is over. */
export async function openSession(cwd: string, options: SessionOptions = {}): Promise<Session> {
  const { args = [], env = {}, prepare, ...clientOptions } = options;
  const client = new Client({ name: "tests", version: "1" }, clientOptions);
  const wire = new StdioClientTransport({
    command: process.execPath,
    args: [aotPath(), "mcp", ...args],
    cwd,
    env: cleanEnv(env),
    stderr: "pipe",
  });
  let stderr = "";
  wire.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  prepare?.(client);
  await client.connect(wire);
  onTestFinished(() => client.close());
  return {
    client,
    pid: wire.pid ?? 0,
    stderr: () => stderr,
    call: async (name, given = {}) => calledOf(await client.callTool({ name, arguments: given })),
  };
}

export interface Raw {
  readonly child: ChildProcessWithoutNullStreams;
  readonly closed: Promise<unknown[]>;
  readonly out: () => string;
  readonly err: () => string;
  send(message: object): void;
}

/** The server without any client: what is written is what it gets. */
export function openRaw(cwd: string, args: readonly string[] = []): Raw {
  const child = spawn(process.execPath, [aotPath(), "mcp", ...args], { cwd, env: cleanEnv() });
  onTestFinished(() => void child.kill("SIGKILL"));
  let out = "";
  let err = "";
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
  child.stdin.on("error", () => undefined);
  return {
    child,
    closed: once(child, "close"),
    out: () => out,
    err: () => err,
    send: (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`),
  };
}

export const INITIALIZE = {
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};
