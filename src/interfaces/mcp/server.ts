/**
 * The MCP server (SPEC section 10): the command table as tools, the loop as resources, the four commands as prompts.
 *
 * MCP-SERVER-1 a person's mistake is a result with `isError`, its code, message and next step; a protocol error is for
 *    a client's;
 * MCP-SERVER-2 a call that was cancelled, or whose client left, ends what it started;
 * MCP-SERVER-3 who asks for progress hears of a call that goes on, so that it does not give it up.
 */
import { Server, type CallToolResult, type ServerContext } from "@modelcontextprotocol/server";
import { suggestion } from "../../command/nearest.ts";
import type { CommandSpec } from "../../command/spec.ts";
import { VERSION } from "../../command/version.ts";
import { callCommand, isFailure, unusable, type Reported } from "./call-command.ts";
import { placeAmong, type Place } from "./place.ts";
import { PROMPTS, writtenPrompt } from "./prompts.ts";
import { invalid, serveResources } from "./serve-resources.ts";
import { callProcess, type Launch } from "./run-process.ts";
import { toolsOf, type CommandTool } from "./tool-list.ts";
import { toolValues } from "./tool-values.ts";

export interface McpOptions {
  readonly commands: readonly CommandSpec[];
  readonly place: Place;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How the program itself is started, for what is a process of its own. */
  readonly launch: Launch;
  /** `modern`: the client has no roots to show, and subscribes at the transport. */
  readonly era: "legacy" | "modern";
  readonly warn: (message: string) => void;
}

export interface McpServer {
  readonly server: Server;
  /** Ends what the calls in flight have started, and waits for it, but no longer than that. */
  close(most_ms: number): Promise<void>;
}

const INSTRUCTIONS =
  "AoT Loop drives coding agents until a goal is verified. aot_align settles a goal and its checks, aot_run works it, aot_status shows its state, aot_stop ends it, aot_redirect_* change its course. aot_phases_* work a loop of phases with gates: a gate that waits for a person is answered only as that person says. Code decides what runs next and whether the goal is met: never call it reached before the status is completed.";

const ROOTS_MS = 5_000;
const HEARTBEAT_MS = 5_000;

export function createMcpServer(options: McpOptions): McpServer {
  const tools = toolsOf(options.commands, "aot");
  const server = new Server(
    { name: "aot", title: "AoT Loop", version: VERSION },
    { capabilities: { tools: {}, resources: { subscribe: true }, prompts: {} }, instructions: INSTRUCTIONS },
  );
  const closing = new AbortController();
  const flights = new Set<Promise<unknown>>();
  const place = placeOf(server, options);

  const call = async (
    one: CommandTool,
    given: Given,
    gone: AbortSignal,
    tell: (text: string) => void,
  ): Promise<Reported> => {
    const read = toolValues(one.command, given);
    if (!read.ok) return unusable(read.complaint.message, read.complaint.hint);
    const { cwd, stateFile } = await place();
    const { flags, args } = read.values;
    // The server's own state file is that of its AoT loop; a phase loop is found by its id.
    const own = one.path[0] === "phases" ? undefined : stateFile;
    const named = new Map(own === undefined || flags.has("state-file") ? flags : [...flags, ["state-file", [own]]]);
    const values = { args, flags: named };
    const around = { cwd, env: options.env, gone: AbortSignal.any([gone, closing.signal]), tell };
    return one.command.lasting === true
      ? await callProcess(one.command, one.path, values, { ...around, launch: options.launch, closing: closing.signal })
      : await callCommand(one.command, values, around);
  };
  const inFlight = async <T>(work: Promise<T>): Promise<T> => {
    flights.add(work);
    try {
      return await work;
    } finally {
      flights.delete(work);
    }
  };

  server.setRequestHandler("tools/list", () => ({ tools: tools.map(({ tool }) => tool) }));
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const one = toolNamed(tools, params.name);
    const progress = progressOf(context, params.name);
    try {
      return resultOf(await inFlight(call(one, params.arguments ?? {}, context.mcpReq.signal, progress.tell)));
    } finally {
      progress.end();
    }
  });
  serveResources(server, options.era, {
    place,
    closing: closing.signal,
    ask: (tool, given, gone) => inFlight(call(toolNamed(tools, tool), given, gone, () => {})),
  });
  servePrompts(server);
  return {
    server,
    close: async (most_ms) => {
      closing.abort();
      await Promise.race([Promise.allSettled(flights), new Promise((resolve) => setTimeout(resolve, most_ms).unref())]);
    },
  };
}

type Given = Readonly<Record<string, unknown>>;

function toolNamed(tools: readonly CommandTool[], name: string): CommandTool {
  const found = tools.find(({ tool }) => tool.name === name);
  if (found !== undefined) return found;
  const names = tools.map(({ tool }) => tool.name);
  throw invalid(`there is no tool ${name}: ${suggestion(name, names, `tools: ${names.join(", ")}`)}`);
}

/**
 * MCP-SERVER-1. A document that has no words of its own is its own text: not every client shows a model the structured
 * one.
 */
function resultOf(reported: Reported): CallToolResult {
  const text = reported.text === "" ? JSON.stringify(reported.document) : reported.text;
  return {
    content: [{ type: "text", text }],
    structuredContent: { ...reported.document },
    ...(isFailure(reported) ? { isError: true } : {}),
  };
}

interface Progress {
  tell(text: string): void;
  end(): void;
}

/** MCP-SERVER-3. */
function progressOf({ mcpReq }: ServerContext, name: string): Progress {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return { tell: () => {}, end: () => {} };
  const begun = performance.now();
  let progress = 0;
  const tell = (message: string): void => {
    progress++;
    const params = { progressToken, progress, message };
    // A client that is gone hears nothing; the call's own signal says so.
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => undefined);
  };
  const timer = setInterval(
    () => tell(`${name}: running for ${Math.round((performance.now() - begun) / 1000)} s`),
    HEARTBEAT_MS,
  );
  timer.unref();
  return { tell: (text) => tell(text.trimEnd()), end: () => clearInterval(timer) };
}

/** The place of the next call; asked of the client once, and again when its roots change. */
function placeOf(server: Server, { place, era, warn }: McpOptions): () => Promise<Place> {
  if (era === "modern" || place.stateFile !== undefined) return () => Promise.resolve(place);
  let known: Promise<Place> | undefined;
  const ask = async (): Promise<Place> => {
    if (server.getClientCapabilities()?.roots === undefined) return place;
    try {
      const { roots } = await server.listRoots(undefined, { timeout: ROOTS_MS });
      return placeAmong(
        place,
        roots.map((root) => root.uri),
      );
    } catch (error) {
      warn(`the client did not say its roots (${String(error)}): calls work in ${place.cwd}`);
      return place;
    }
  };
  server.setNotificationHandler("notifications/roots/list_changed", () => {
    known = undefined;
  });
  return () => (known ??= ask());
}

function servePrompts(server: Server): void {
  server.setRequestHandler("prompts/list", () => ({ prompts: [...PROMPTS] }));
  server.setRequestHandler("prompts/get", ({ params }) => {
    const written = writtenPrompt(params.name, params.arguments ?? {});
    if (written.ok) return written.prompt;
    throw invalid(`${written.complaint.message}: ${written.complaint.hint}`);
  });
}
