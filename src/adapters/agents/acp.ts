import { Writable } from "node:stream";
import type { AnyMessage, ClientConnection as Connection, Stream } from "@agentclientprotocol/sdk";
import type { GroupResult } from "../../host/process.ts";
import { repairPrompt } from "../../loop/ask.ts";
import type { Confinement, PlaceUse } from "../../loop/confinement.ts";
import type { Agent, AgentAnswer, AgentRequest } from "../../loop/ports.ts";
import { acpAnswer, acpWaited, type AcpEnd } from "./acp-answer.ts";
import { createHearing, type Hearing } from "./acp-hearing.ts";
import { permit, readingMode, readingSetting } from "./acp-policy.ts";
import { callEnvironment } from "./call-environment.ts";
import { cutShort, runCall } from "./call-end.ts";

export interface AcpOptions {
  /** Where its programs run; default: in the request's folder, with all rights. */
  readonly place?: Confinement;
  /** Whose needs count there; default: those of any client. */
  readonly user?: PlaceUse["user"];
  /** The whole environment; default: this process's. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

type Sdk = typeof import("@agentclientprotocol/sdk");

/** How long a program may take to end by itself after its answer. */
const FAREWELL_MS = 2_000;
/** How long an agent may take to confirm that it was cancelled, before its processes are ended. */
const CANCEL_MS = 1_000;
/** Bytes that may wait to be read; a program that prints faster is ended. */
const MOST_WAITING = 64 * 1024 * 1024;

/**
 * `acp:<command>`: any agent that speaks the Agent Client Protocol on its stdin and stdout (SPEC section 10), one
 * process and one session per call. Its permission requests are answered by acp-policy.ts. It cannot be given a budget.
 */
export function createAcpAgent(command: string, options: AcpOptions = {}): Agent {
  const name = `acp:${command}`;
  return {
    name,
    async call(request, signal) {
      if (signal.aborted) return { kind: "aborted" };
      const sdk = await loadSdk();
      if (sdk === undefined) return { kind: "unavailable", reason: MISSING };
      return converse(sdk, command, { request, signal }, options);
    },
    available: async () => {
      if (command.trim() === "")
        return { ok: false, reason: "acp: names no command; write --agent 'acp:<command>', such as acp:gemini --acp" };
      return (await loadSdk()) === undefined ? { ok: false, reason: MISSING } : { ok: true };
    },
    close: () => Promise.resolve(),
  };
}

const MISSING =
  "the Agent Client Protocol needs the package @agentclientprotocol/sdk (the command `aot` has it built in, a program that uses the library installs it): npm install @agentclientprotocol/sdk";

/** Loaded on first use: other agents do not need it. */
async function loadSdk(): Promise<Sdk | undefined> {
  try {
    return await import("@agentclientprotocol/sdk");
  } catch {
    return undefined;
  }
}

/** One process, one session, one prompt. */
async function converse(
  sdk: Sdk,
  command: string,
  { request, signal }: { readonly request: AgentRequest; readonly signal: AbortSignal },
  options: AcpOptions,
): Promise<AgentAnswer> {
  const over = new AbortController();
  const pipe = createBytePipe(MOST_WAITING, () => over.abort());
  const heard = createHearing();
  let talk: Promise<AcpEnd> = Promise.resolve({ kind: "closed", message: "it did not start" });
  const program = {
    command,
    shell: true,
    env: callEnvironment(request, options.env),
    signal: over.signal,
    onStdout: pipe.push,
    converse: (stdin: Writable, cwd: string) => {
      const connection = connect(sdk, sdk.ndJsonStream(Writable.toWeb(stdin), pipe.readable), request, heard);
      talk = converseIn(sdk, connection, { ...request, cwd }, { signal, kill: () => over.abort() }).then((end) => {
        connection.close();
        stdin.end();
        setTimeout(() => over.abort(), FAREWELL_MS).unref();
        return end;
      });
    },
  };
  const result = await runCall(request, program, { user: options.user ?? "acp", place: options.place });
  pipe.end();
  const end = pipe.overflowed() ? FLOODED : await talk;
  const usage = heard.usage();
  return { ...meaning(end, result, request, { signal, heard }), ...(usage === undefined ? {} : { usage }) };
}

const FLOODED: AcpEnd = {
  kind: "error",
  message: `it printed faster than it could be read (more than ${MOST_WAITING / 1024 / 1024} MB waited)`,
};

function meaning(
  end: AcpEnd,
  result: GroupResult,
  request: AgentRequest,
  { signal, heard }: { readonly signal: AbortSignal; readonly heard: Hearing },
): AgentAnswer {
  if (signal.aborted) return { kind: "aborted" };
  // That the program had to be ended after its answer says nothing about the answer.
  if (end.kind !== "closed") return acpAnswer(NAME, end, heard.said(), result);
  const waited = result.timed_out !== false && !heard.active() ? acpWaited(NAME, result.stderr) : undefined;
  return waited ?? cutShort({ ...result, aborted: false }, request) ?? acpAnswer(NAME, end, heard.said(), result);
}

const NAME = "the agent";

/** The client's side of the connection: it lets the agent work by itself, and answers its questions by policy. */
function connect(sdk: Sdk, stream: Stream, request: AgentRequest, heard: Hearing): Connection {
  const listening = new TransformStream<AnyMessage, AnyMessage>({
    transform: (message, controller) => {
      heard.message(message);
      controller.enqueue(message);
    },
  });
  return sdk
    .client({ name: "aot-loop" })
    .onRequest(sdk.methods.client.session.requestPermission, ({ params }) => ({
      outcome: permit(request.role, params.toolCall.kind, params.options),
    }))
    .onNotification(sdk.methods.client.session.update, () => {})
    .connect({ readable: stream.readable.pipeThrough(listening), writable: stream.writable });
}

/**
 * From the handshake to the end of the prompt. Never rejects. @param kill ends an agent that does not stop when it is
 * asked to
 */
async function converseIn(
  sdk: Sdk,
  { agent }: Connection,
  request: AgentRequest,
  { signal, kill }: { readonly signal: AbortSignal; readonly kill: () => void },
): Promise<AcpEnd> {
  const { agent: to } = sdk.methods;
  let session: string | undefined;
  const cancel = (): void => {
    if (session === undefined) return kill();
    agent.notify(to.session.cancel, { sessionId: session }).catch(() => {});
    setTimeout(kill, CANCEL_MS).unref();
  };
  signal.addEventListener("abort", cancel, { once: true });
  try {
    await agent.request(to.initialize, {
      protocolVersion: sdk.PROTOCOL_VERSION,
      clientCapabilities: {},
      clientInfo: { name: "aot-loop", version: "0" },
    });
    const opened = await agent.request(to.session.new, { cwd: request.cwd, mcpServers: [] });
    session = opened.sessionId;
    const mode = readingMode(request.role, opened.modes?.availableModes.map(({ id }) => id) ?? []);
    const setting = readingSetting(request.role, opened.configOptions ?? []);
    if (mode !== undefined) await agent.request(to.session.setMode, { sessionId: session, modeId: mode });
    else if (setting !== undefined) await agent.request(to.session.setConfigOption, { sessionId: session, ...setting });
    if (signal.aborted) return { kind: "stopped", reason: "cancelled" };
    const { stopReason } = await agent.request(to.session.prompt, {
      sessionId: session,
      prompt: [{ type: "text", text: repairPrompt(request) }],
    });
    return { kind: "stopped", reason: stopReason };
  } catch (error) {
    return endOf(sdk, error);
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

function endOf(sdk: Sdk, error: unknown): AcpEnd {
  const message = error instanceof Error ? error.message : String(error);
  return error instanceof sdk.RequestError
    ? { kind: "error", message, code: error.code, data: error.data }
    : { kind: "closed", message };
}

interface BytePipe {
  readonly readable: ReadableStream<Uint8Array>;
  push(chunk: Uint8Array): void;
  end(): void;
  /** More than it may hold was waiting: it took no more. */
  overflowed(): boolean;
}

/**
 * Bytes that come by calls, to be read as a stream.
 * @param most bytes that may wait to be read
 * @param onOverflow called once when more would wait
 */
function createBytePipe(most: number, onOverflow: () => void): BytePipe {
  let sink: ReadableStreamDefaultController<Uint8Array> | undefined;
  let overflowed = false;
  const readable = new ReadableStream<Uint8Array>(
    { start: (controller) => void (sink = controller), cancel: () => void (sink = undefined) },
    new ByteLengthQueuingStrategy({ highWaterMark: most }),
  );
  const end = (): void => {
    sink?.close();
    sink = undefined;
  };
  return {
    readable,
    push(chunk) {
      if (sink === undefined) return;
      sink.enqueue(chunk);
      if ((sink.desiredSize ?? 0) > 0) return;
      overflowed = true;
      end();
      onOverflow();
    },
    end,
    overflowed: () => overflowed,
  };
}
