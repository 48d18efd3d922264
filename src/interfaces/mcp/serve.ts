/** `aot mcp`: serves one client over stdin and stdout until it leaves (SPEC section 10). */
import { Console } from "node:console";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import type { Run } from "../../command/spec.ts";
import { Unusable } from "../../command/unusable.ts";
import { OFFERED } from "./offered.ts";
import { createMcpServer, type McpServer } from "./server.ts";

/** How long calls in flight may take to end when the client has left. Milliseconds. */
const END_MS = 1_500;
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The transport, with its end as a promise: its one callback belongs to whoever serves. */
class ClosingTransport extends StdioServerTransport {
  readonly closed: Promise<void>;
  #settle = (): void => {};

  constructor() {
    super();
    this.closed = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  override async close(): Promise<void> {
    await super.close();
    this.#settle();
  }
}

export const run: Run = async ({ io, json, stateFile, text }) => {
  if (json) throw new Unusable("aot mcp has no --json: stdout is the protocol's", "leave --json out");
  // Nothing but the protocol may be on stdout, whoever writes.
  globalThis.console = new Console(process.stderr);
  const warn = (message: string): void => io.err(`aot mcp: ${message}\n`);
  const servers = new Set<McpServer>();
  const launch = { command: process.execPath, args: process.argv.slice(1, 2) };
  const all = text("tools") === "all";
  const place = { cwd: io.cwd, ...(stateFile === undefined ? {} : { stateFile }) };
  const wire = new ClosingTransport();
  const handle = serveStdio(
    ({ era }) => {
      const made = createMcpServer({ commands: OFFERED, place, env: io.env, launch, era, all, warn });
      servers.add(made);
      return made.server;
    },
    { transport: wire, onerror: (error) => warn(error.message) },
  );
  const leave = (): void => void handle.close();
  for (const name of SIGNALS) process.on(name, leave);
  // Only now, because Ctrl-C works from here on.
  if (await io.isTerminal(0)) warn("a client starts this and speaks MCP to it (docs/clients.md). Ctrl-C ends it");
  await wire.closed;
  await Promise.all([...servers].map((server) => server.close(END_MS)));
  return { exit: 0, json: {}, text: "" };
};
