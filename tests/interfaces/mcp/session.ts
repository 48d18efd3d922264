/** A client's session with the built server over stdin and stdout, and loops to try it on. */
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client, type CallToolResult, type ClientOptions } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { onTestFinished } from "vitest";
import { aot, aotPath, cleanEnv } from "../../support/aot.ts";
import { temporaryFolder } from "../../support/bundle.ts";
import { pidsWritten } from "../../support/pids.ts";

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

// ── loops ───────────────────────────────────────────────────────────────────

const RESULT = `console.log(JSON.stringify({success: true, summary: "made it", artifacts: []}));`;

/** An agent that makes what the base case wants. */
export const MAKING = `import { writeFileSync } from "node:fs"; writeFileSync("made.txt", ""); ${RESULT}`;

/** An agent that writes its pid outside the project and works until it is asked to go on. */
export function waitingAgent(signs: string): string {
  return `import { appendFileSync, existsSync, writeFileSync } from "node:fs";
    appendFileSync(${JSON.stringify(join(signs, "started"))}, process.pid + "\\n");
    const look = () => {
      if (!existsSync(${JSON.stringify(join(signs, "go"))})) return setTimeout(look, 20);
      writeFileSync("made.txt", "");
      ${RESULT}
    };
    look();`;
}

export function pidsIn(signs: string): number[] {
  return pidsWritten(join(signs, "started"));
}

export function letGo(signs: string): void {
  appendFileSync(join(signs, "go"), "");
}

/** A folder with an aligned loop and an agent that runs this script. */
export async function loopWith(
  script: string,
  ...align: string[]
): Promise<{ readonly dir: string; readonly agent: string }> {
  const dir = temporaryFolder();
  writeFileSync(join(dir, "agent.mjs"), script);
  const ran = await aot(["align", "Make it", "--check", "file: made.txt", "--yes", ...align], { cwd: dir });
  if (ran.code !== 0) throw new Error(ran.err);
  return { dir, agent: `command:"${process.execPath}" agent.mjs` };
}
