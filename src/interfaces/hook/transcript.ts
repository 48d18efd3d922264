/** The transcript of a session or of one of its agents, as hooks need it. */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { objectIn, parseObject } from "../../core/reading.ts";
import type { HookInput } from "./hook-input.ts";

/** Of a longer transcript only the end is read. */
const MOST_BYTES = 16 * 1024 * 1024;
/** Enough for an agent's first lines, its instruction among them. */
const MOST_HEAD_BYTES = 2 * 1024 * 1024;

/** Path of the transcript of an event's sub-agent: the client names it only when the agent stops. */
export function agentTranscript({ transcript, session, agent }: HookInput): string | null {
  if (transcript === null || agent === null) return null;
  const name = `agent-${agent.id}.jsonl`;
  return basename(transcript) === name ? transcript : join(dirname(transcript), session, "subagents", name);
}

/** The instruction that an agent was started with; null: its transcript does not say. */
export function taskIn(path: string | null): string | null {
  for (const line of readTranscript(path, "head")?.split("\n") ?? []) {
    const content = contentOf(line, "user");
    if (content !== null) return textOf(content);
  }
  return null;
}

/** The text of its beginning or end; null: it cannot be read. */
export function readTranscript(path: string | null, part: "head" | "tail" = "tail"): string | null {
  if (path === null) return null;
  try {
    const file = openSync(path, "r");
    try {
      const stats = fstatSync(file);
      if (!stats.isFile()) return null;
      const bytes = Buffer.alloc(Math.min(stats.size, part === "head" ? MOST_HEAD_BYTES : MOST_BYTES));
      const read = readSync(file, bytes, 0, bytes.length, part === "head" ? 0 : stats.size - bytes.length);
      return bytes.subarray(0, read).toString("utf8");
    } finally {
      closeSync(file);
    }
  } catch {
    return null;
  }
}

/** What the agent said last; empty: nothing is found. */
export function lastWordsIn(transcript: string): string {
  const lines = transcript.trimEnd().split("\n");
  for (let at = lines.length - 1; at >= 0; at--) {
    const words = textOf(contentOf(lines[at] ?? "", "assistant") ?? "");
    if (words !== "") return words;
  }
  return "";
}

/** The content of a line that is a message of the wanted kind; null: it is something else. */
function contentOf(line: string, wanted: "user" | "assistant"): unknown {
  if (!line.includes(`"${wanted}"`)) return null;
  const { type, message } = parseObject(line) ?? {};
  return type === wanted ? (objectIn(message)?.["content"] ?? null) : null;
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  const parts: readonly unknown[] = content;
  return parts.flatMap((part) => (isText(part) ? part.text : [])).join("\n");
}

function isText(part: unknown): part is { readonly text: string } {
  return typeof part === "object" && part !== null && "text" in part && typeof part.text === "string";
}
