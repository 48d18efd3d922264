/** The transcript of a session as a stop rule needs it. */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** Of a longer one the end is read. */
const MOST_BYTES = 16 * 1024 * 1024;

/** Its text, links followed; null: there is none that can be read. */
export function readTranscript(path: string | null): string | null {
  if (path === null) return null;
  try {
    const file = openSync(path, "r");
    try {
      const stats = fstatSync(file);
      if (!stats.isFile()) return null;
      const bytes = Buffer.alloc(Math.min(stats.size, MOST_BYTES));
      const read = readSync(file, bytes, 0, bytes.length, Math.max(0, stats.size - bytes.length));
      return bytes.subarray(0, read).toString("utf8");
    } finally {
      closeSync(file);
    }
  } catch {
    return null;
  }
}

/** What the agent said last, by the transcript's lines; empty: nothing is found. */
export function lastWordsIn(transcript: string): string {
  const lines = transcript.trimEnd().split("\n");
  for (let at = lines.length - 1; at >= 0; at--) {
    const words = wordsOf(lines[at] ?? "");
    if (words !== "") return words;
  }
  return "";
}

interface Line {
  readonly type?: unknown;
  readonly message?: { readonly content?: unknown };
}

function wordsOf(line: string): string {
  if (!line.includes('"assistant"')) return "";
  try {
    const { type, message } = JSON.parse(line) as Line;
    if (type !== "assistant") return "";
    const { content } = message ?? {};
    if (typeof content === "string") return content;
    if (!Array.isArray(content)) return "";
    const parts: readonly unknown[] = content;
    return parts.flatMap((part) => (isText(part) ? part.text : [])).join("\n");
  } catch {
    return "";
  }
}

function isText(part: unknown): part is { readonly text: string } {
  return typeof part === "object" && part !== null && "text" in part && typeof part.text === "string";
}
