/** What an ACP agent says, heard as the messages pass: its last words, and what it tells of its usage. */
import type { Usage } from "../../core/event.ts";
import { createTail } from "../../host/tail.ts";
import { KEPT_BYTES } from "./call-end.ts";
import { object, type Json } from "./json-lines.ts";
import { readUsage, sumOf } from "./usage.ts";

export interface Hearing {
  message(message: unknown): void;
  /** Its last message: what it said after its last tool. */
  said(): string;
  /** It has worked: said something, thought something, or used a tool. */
  active(): boolean;
  usage(): Usage | undefined;
}

const WORK_UPDATES: ReadonlySet<unknown> = new Set(["tool_call", "agent_message_chunk", "agent_thought_chunk", "plan"]);

export function createHearing(): Hearing {
  let words = createTail(KEPT_BYTES);
  let ended = false;
  let active = false;
  let usage: Usage | undefined;
  return {
    message(given) {
      const message = object(given) ?? {};
      const reported = reportedUsage(message);
      if (reported !== undefined) usage = { ...usage, ...reported };
      const update = object(object(message["params"])?.["update"]);
      active ||= WORK_UPDATES.has(update?.["sessionUpdate"]);
      if (update?.["sessionUpdate"] === "tool_call") ended = true;
      if (update?.["sessionUpdate"] !== "agent_message_chunk") return;
      const text = object(update["content"])?.["text"];
      if (typeof text !== "string") return;
      if (ended) words = createTail(KEPT_BYTES);
      ended = false;
      words.push(Buffer.from(text));
    },
    said: () => words.text(),
    active: () => active,
    usage: () => usage,
  };
}

/** Tokens and cost as agents tell them: in the answer to the prompt, beside it, or as an update. */
function reportedUsage(message: Json): Usage | undefined {
  const result = object(message["result"]);
  const tokens = object(result?.["usage"]) ?? object(object(object(result?.["_meta"])?.["quota"])?.["token_count"]);
  const update = object(object(message["params"])?.["update"]);
  const cost = update?.["sessionUpdate"] === "usage_update" ? object(update["cost"]) : undefined;
  const usd = cost?.["currency"] === "USD" ? cost["amount"] : undefined;
  const input = sumOf([tokens], ["inputTokens", "cachedReadTokens", "cachedWriteTokens", "input_tokens"]);
  const output = sumOf([tokens], ["outputTokens", "thoughtTokens", "output_tokens"]);
  return readUsage({ cost_usd: usd, input_tokens: input, output_tokens: output });
}
