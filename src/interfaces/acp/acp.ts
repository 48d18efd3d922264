/**
 * `aot acp`: the loop as an agent of the Agent Client Protocol over stdin and stdout (SPEC section 10).
 *
 * ACP-1 what costs something is agreed to by the person, in the editor, on its worst case;
 * ACP-2 a prompt that is cancelled, or whose editor left, ends the run that it started;
 * ACP-3 a run is a process of its own: what it says is passed on as it comes.
 */
import { onceAborted } from "../../command/interrupt.ts";
import { Console } from "node:console";
import { spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { isAbsolute } from "node:path";
import { Readable, Writable } from "node:stream";
import type { AgentContext } from "@agentclientprotocol/sdk";
import { checkCandidates } from "../../align/check-candidates.ts";
import type { Call } from "../../command/call.ts";
import type { Run } from "../../command/spec.ts";
import { Unusable } from "../../command/unusable.ts";
import { VERSION } from "../../command/version.ts";
import { askedIn, EDITOR_COMMANDS, withFlags } from "./prompt.ts";

interface Session {
  readonly cwd: string;
  /** The prompt that is being answered; aborted when it is cancelled. */
  turn: AbortController | null;
}

/** One prompt's surroundings. */
interface Turn {
  readonly cwd: string;
  readonly cancelled: AbortSignal;
  readonly left: AbortSignal;
  say(text: string): Promise<void>;
  agrees(what: string): Promise<boolean>;
}

export const run: Run = async (call) => {
  if (call.json) throw new Unusable("aot acp has no --json: stdout is the protocol's", "leave --json out");
  globalThis.console = new Console(process.stderr);
  const sdk = await import("@agentclientprotocol/sdk");
  const sessions = new Map<string, Session>();
  const named = (id: string): Session => {
    const session = sessions.get(id);
    if (session === undefined) throw sdk.RequestError.invalidParams({ sessionId: id }, "there is no such session");
    return session;
  };
  const turns = new Set<Promise<unknown>>();
  const app = sdk
    .agent({ name: "aot-loop" })
    .onRequest(sdk.methods.agent.initialize, () => ({
      protocolVersion: sdk.PROTOCOL_VERSION,
      agentInfo: { name: "aot-loop", title: "AoT Loop", version: VERSION },
      agentCapabilities: { loadSession: false },
      authMethods: [],
    }))
    .onRequest(sdk.methods.agent.session.new, ({ params: { cwd }, client }) => {
      if (!isAbsolute(cwd)) throw sdk.RequestError.invalidParams({ cwd }, "cwd has to be absolute");
      const sessionId = randomUUID();
      sessions.set(sessionId, { cwd, turn: null });
      // After the answer, so that the editor knows the session.
      setImmediate(() => void offerCommands(client, sessionId));
      return { sessionId };
    })
    .onRequest(sdk.methods.agent.session.prompt, async ({ params, client }) => {
      const session = named(params.sessionId);
      if (session.turn !== null) throw sdk.RequestError.invalidRequest({}, "this session answers another prompt");
      const turn = (session.turn = new AbortController());
      const text = params.prompt.map((block) => (block.type === "text" ? block.text : "")).join("\n");
      const work = answer(text, turnOf(client, params.sessionId, { session, turn, left: connection.signal }), call);
      turns.add(work);
      try {
        await work;
        return { stopReason: turn.signal.aborted ? "cancelled" : "end_turn" };
      } finally {
        turns.delete(work);
        session.turn = null;
      }
    })
    .onNotification(sdk.methods.agent.session.cancel, ({ params }) => sessions.get(params.sessionId)?.turn?.abort());
  const connection = app.connect(sdk.ndJsonStream(Writable.toWeb(process.stdout), stdin()));
  await connection.closed;
  await Promise.allSettled(turns);
  return { exit: 0, json: {}, text: "" };
};

/** Node's type of a web stream knows more than the protocol's. */
function stdin(): ReadableStream<Uint8Array> {
  return Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>;
}

async function offerCommands(client: AgentContext, sessionId: string): Promise<void> {
  const availableCommands = Object.entries(EDITOR_COMMANDS).map(([name, { description, hint }]) => ({
    name,
    description,
    ...(hint === undefined ? {} : { input: { hint } }),
  }));
  await client
    .notify("session/update", { sessionId, update: { sessionUpdate: "available_commands_update", availableCommands } })
    .catch(() => undefined);
}

function turnOf(
  client: AgentContext,
  sessionId: string,
  { session, turn, left }: { readonly session: Session; readonly turn: AbortController; readonly left: AbortSignal },
): Turn {
  return {
    cwd: session.cwd,
    cancelled: turn.signal,
    left,
    say: async (text) => {
      const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text } } as const;
      // An editor that is gone hears nothing; `left` says so.
      await client.notify("session/update", { sessionId, update }).catch(() => undefined);
    },
    agrees: async (title) => {
      const { outcome } = await client.request("session/request_permission", {
        sessionId,
        toolCall: { toolCallId: randomUUID(), title, kind: "execute", status: "pending" },
        options: [
          { optionId: YES, name: "Run it", kind: "allow_once" },
          { optionId: "no", name: "Not now", kind: "reject_once" },
        ],
      });
      return outcome.outcome === "selected" && outcome.optionId === YES;
    },
  };
}

const YES = "yes";

async function answer(text: string, turn: Turn, call: Call): Promise<void> {
  const asked = askedIn(text);
  if (asked.kind === "unknown")
    return turn.say(`There is no /${asked.name} here: ${Object.keys(EDITOR_COMMANDS).join(", ")}.\n`);
  if (asked.kind === "unchecked") return turn.say(uncheckedText(turn.cwd));
  const agent = call.text("agent");
  const flags = asked.plan && agent !== undefined ? [`--agent=${agent}`] : [];
  if (!asked.plan) return void (await runs(asked.words, turn, call));
  // ACP-1
  if ((await runs(withFlags(asked.words, "--plan", ...flags), turn, call)) !== 0) return;
  if (turn.cancelled.aborted || turn.left.aborted) return;
  if (!(await turn.agrees("Work the loop: the worst case is above"))) return turn.say("Nothing was started.\n");
  if (turn.cancelled.aborted) return;
  const agreed = asked.words.length > 1 ? ["--yes"] : [];
  await runs(withFlags(asked.words, ...agreed, ...flags), turn, call);
}

function uncheckedText(cwd: string): string {
  const found = checkCandidates(cwd).map(({ check }) => `check: ${check.replace(/^command: /, "")}`);
  const example = found.length === 0 ? ["check: npm test"] : found;
  return `What shows that it is reached? Say the goal again with a line for each check:\n\n${example.map((line) => `    ${line}`).join("\n")}\n\n/run goes on with the loop of this folder, /status shows it.\n`;
}

/** @returns the exit code; null: it was ended by a signal, or could not be started */
async function runs(words: readonly string[], turn: Turn, { io }: Call): Promise<number | null> {
  const [program = ""] = process.argv.slice(1, 2);
  const child = spawn(process.execPath, [program, ...words], {
    cwd: turn.cwd,
    env: { ...io.env, NO_COLOR: "1" },
    // Out of the editor's reach: it may end its agents by their process group.
    detached: true,
    windowsHide: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said: Promise<void> = Promise.resolve();
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => void (said = said.then(() => turn.say(text))));
  const release = [onceAborted(turn.cancelled, () => interrupt(child)), onceAborted(turn.left, () => end(child))];
  try {
    const code = await new Promise<number | null>((resolve) => {
      child.on("error", () => resolve(null));
      child.on("close", resolve);
    });
    await said;
    return code;
  } finally {
    for (const off of release) off();
  }
}

/** As Ctrl-C: attempts in flight are ended or finished as `aot run` says, and the state is kept. */
function interrupt(child: ChildProcess): void {
  child.kill("SIGINT");
}

/** The second signal ends it at once. */
function end(child: ChildProcess): void {
  interrupt(child);
  child.kill("SIGTERM");
}
