/** A model that answers what a script says, on loopback, in the formats of all clients; nothing of it leaves the machine. */
import { LLMock } from "@copilotkit/aimock";
import { afterAll, beforeAll } from "vitest";

/** What the model sees, as far as a script needs it. */
export interface Turn {
  /** Text of the last user message. */
  readonly asked: string;
  /** Results of tools in this conversation, oldest first. */
  readonly results: readonly string[];
  readonly tools: readonly string[];
  /** All that it was given, by anybody. */
  readonly everything: string;
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

export interface Model {
  readonly url: string;
  /** What the model answers from now on; `cut`: its first answer breaks off in the middle of the stream. */
  play(script: Script, options?: { readonly cut?: boolean }): void;
  readonly turns: Turn[];
  stop(): Promise<void>;
}

async function startModel(): Promise<Model> {
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
      everything: body.messages.map((message) => textOf(message.content)).join("\n"),
      tools: (body.tools ?? []).map((tool) => tool.function.name),
      ...(body.model === undefined ? {} : { model: body.model }),
    };
    turns.push(turn);
    return script(turn);
  };
  mock.on({ predicate: () => cuts-- > 0 }, (body) => reply(body), { truncateAfterChunks: 2, chunkSize: 4 });
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

/** One model for all tests of a suite. */
export function suiteModel(): Model {
  let started: Model | null = null;
  const now = (): Model => {
    if (started === null) throw new Error("the suite has not begun");
    return started;
  };
  beforeAll(async () => {
    started = await startModel();
  });
  afterAll(() => started?.stop());
  return {
    get url() {
      return now().url;
    },
    get turns() {
      return now().turns;
    },
    play: (...script) => now().play(...script),
    stop: () => now().stop(),
  };
}
