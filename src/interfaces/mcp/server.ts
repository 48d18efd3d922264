/**
 * The MCP server (SPEC section 10): the command table as tools, the loop as resources.
 *
 * MCP-SERVER-1 a person's mistake is a result with `isError`, its code, message and next step; a protocol error is for
 *    a client's;
 * MCP-SERVER-2 a call that was cancelled, or whose client left, ends what it started;
 * MCP-SERVER-3 who asks for progress hears of a call that goes on, so that it does not give it up;
 * MCP-SERVER-4 an answer is bounded, whatever the loop's size (`page.ts`); resources are whole.
 */
import { Server, type CallToolResult, type ServerContext } from "@modelcontextprotocol/server";
import { nearest as suggestion } from "../../core/nearest.ts";
import type { CommandSpec } from "../../command/spec.ts";
import { VERSION } from "../../command/version.ts";
import { callCommand, isFailure, reportedOf, unusable, type Reported } from "./call-command.ts";
import { described, listed, MORE } from "./offered.ts";
import { pageOfDocument, pageOfText } from "./page.ts";
import { placeAmong, type McpTarget } from "./place.ts";
import { invalid, serveResources } from "./serve-resources.ts";
import { callProcess, type Launch } from "./run-process.ts";
import { hintsFor, PAGE, toolsOf, type CommandTool } from "./tool-list.ts";
import { toolValues } from "./tool-values.ts";

export interface McpOptions {
  readonly commands: readonly CommandSpec[];
  readonly place: McpTarget;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How the program itself is started, for what is a process of its own. */
  readonly launch: Launch;
  /** `modern`: the client has no roots to show, and subscribes at the transport. */
  readonly era: "legacy" | "modern";
  /** Every tool is in the list, instead of those that a goal needs. */
  readonly all: boolean;
  readonly warn: (message: string) => void;
}

export interface McpServer {
  readonly server: Server;
  /** Ends what the calls in flight have started, and waits for it, but no longer than that. */
  close(most_ms: number): Promise<void>;
}

const INSTRUCTIONS =
  "AoT Loop drives coding agents until a goal is verified. aot_align settles a goal and its checks, aot_run works it, aot_status shows its state, aot_stop ends it, aot_redirect changes its course. A tool that is named and not in the list is called with aot_more. aot_phases_* work a loop of phases with gates: a gate that waits for a person is answered only as that person says. Code decides what runs next and whether the goal is met: never call it reached before the status is completed.";

const ROOTS_MS = 5_000;
const HEARTBEAT_MS = 5_000;

export function createMcpServer(options: McpOptions): McpServer {
  const tools = toolsOf(options.commands, "aot");
  const server = new Server(
    { name: "aot", title: "AoT Loop", version: VERSION },
    { capabilities: { tools: {}, resources: { subscribe: true } }, instructions: INSTRUCTIONS },
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

  serveTools(server, tools, options.all, (one, given, gone, tell) => inFlight(call(one, given, gone, tell)));
  serveResources(server, options.era, {
    place,
    closing: closing.signal,
    ask: (tool, given, gone) => inFlight(call(toolNamed(tools, tool), given, gone, () => {})),
  });
  return {
    server,
    close: async (most_ms) => {
      closing.abort();
      await Promise.race([Promise.allSettled(flights), new Promise((resolve) => setTimeout(resolve, most_ms).unref())]);
    },
  };
}

type Asked = (one: CommandTool, given: Given, gone: AbortSignal, tell: (text: string) => void) => Promise<Reported>;

/** @param all every tool is in the list */
function serveTools(server: Server, tools: readonly CommandTool[], all: boolean, ask: Asked): void {
  const list = listed(tools, all);
  const inHints = hintsFor(tools, "aot");
  server.setRequestHandler("tools/list", () => ({ tools: list }));
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const wanted = calledBy(tools, params.name, params.arguments ?? {});
    if ("answer" in wanted) return resultOf(reportedOf(wanted.answer, ""), 1);
    const { one, given } = wanted;
    const progress = progressOf(context, one.tool.name);
    try {
      const reported = await ask(one, given, context.mcpReq.signal, progress.tell);
      const page = given[PAGE.name];
      return resultOf(inTools(reported, inHints), typeof page === "number" ? page : 1);
    } finally {
      progress.end();
    }
  });
}

type Given = Readonly<Record<string, unknown>>;

function toolNamed(tools: readonly CommandTool[], name: string): CommandTool {
  const found = tools.find(({ tool }) => tool.name === name);
  if (found !== undefined) return found;
  const names = tools.map(({ tool }) => tool.name);
  throw invalid(`there is no tool ${name}: ${suggestion(name, names, `tools: ${names.join(", ")}`)}`);
}

/** What a call asks for: a tool with its arguments, or (`aot_more`) to hear of one. */
function calledBy(
  tools: readonly CommandTool[],
  name: string,
  given: Given,
): { readonly one: CommandTool; readonly given: Given } | { readonly answer: object } {
  if (name !== MORE) return { one: toolNamed(tools, name), given };
  const { tool, arguments: inner } = given;
  if (tool === undefined) return { answer: described(tools, null) };
  const one = toolNamed(tools, String(tool));
  if (inner === undefined) return { answer: described(tools, one) };
  return { one, given: typeof inner === "object" && inner !== null ? Object.fromEntries(Object.entries(inner)) : {} };
}

/** Keys of a document whose texts say what to do next. */
const HINT_KEYS = /^(?:hint|next_step|notes)$/;

/** The same, with next steps as tools: who reads it has no command line. */
function inTools({ document, text }: Reported, inHints: (text: string) => string): Reported {
  let words = text;
  const translated: unknown = JSON.parse(JSON.stringify(document), (key, value: unknown) => {
    if (!HINT_KEYS.test(key)) return value;
    const one = (said: unknown): unknown => {
      if (typeof said !== "string") return said;
      words = words.replaceAll(said, inHints(said));
      return inHints(said);
    };
    return Array.isArray(value) ? value.map(one) : one(value);
  });
  return reportedOf(Object(translated), words.replace(/^next: .*$/gm, inHints));
}

/** Characters of the structured content, which clients show a model where they know it. */
const LONGEST_DOCUMENT = 20_000;
/** Of the text beside it, for clients that do not. */
const LONGEST_TEXT = 4_000;

/** MCP-SERVER-1, MCP-SERVER-4. A document that has no words of its own is its own text. */
function resultOf(reported: Reported, page: number): CallToolResult {
  const { document, text } = reported;
  const shown =
    text === "" ? JSON.stringify(pageOfDocument(document, LONGEST_TEXT, page)) : pageOfText(text, LONGEST_TEXT, page);
  return {
    content: [{ type: "text", text: shown }],
    structuredContent: { ...pageOfDocument(document, LONGEST_DOCUMENT, page) },
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
function placeOf(server: Server, { place, era, warn }: McpOptions): () => Promise<McpTarget> {
  if (era === "modern" || place.stateFile !== undefined) return () => Promise.resolve(place);
  let known: Promise<McpTarget> | undefined;
  const ask = async (): Promise<McpTarget> => {
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
