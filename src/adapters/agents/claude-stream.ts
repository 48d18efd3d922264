/**
 * What `claude -p --output-format stream-json` says, line by line. Only the last `result`, the last rate limit and a
 * few figures are kept (lines are bounded: JSON-LINES-1).
 */
import { object, readJsonLines, type Json } from "./json-lines.ts";

export interface ClaudeReport {
  /** The last `result` event; a call can print several, one per turn. */
  readonly result?: Json;
  readonly results: number;
  readonly session?: string;
  /** HTTP status of the last API retry. */
  readonly retried_status?: number;
  /** When a rate limit ends, seconds since 1970. */
  readonly limited_until?: number;
  /** Last text of the main conversation. */
  readonly said?: string;
  readonly skipped_lines: number;
}

export interface ClaudeStream {
  /** Takes a piece of stdout. Never throws. */
  take(chunk: Buffer): void;
  /** What was seen until now; an unfinished last line counts. */
  report(): ClaudeReport;
}

export function createClaudeStream(): ClaudeStream {
  let seen: ClaudeReport = { results: 0, skipped_lines: 0 };
  const lines = readJsonLines((event) => (seen = withEvent(seen, event)));
  return {
    take: (chunk) => lines.take(chunk),
    report: () => {
      const skipped_lines = lines.end();
      return { ...seen, skipped_lines };
    },
  };
}

function withEvent(seen: ClaudeReport, event: Json): ClaudeReport {
  const session = typeof event["session_id"] === "string" ? { session: event["session_id"] } : {};
  const next = { ...seen, ...session };
  switch (event["type"]) {
    case "result":
      return { ...next, result: event, results: seen.results + 1 };
    case "assistant": {
      const said = event["parent_tool_use_id"] == null ? textOf(object(event["message"])?.["content"]) : "";
      return said === "" ? next : { ...next, said };
    }
    case "system": {
      const status = event["subtype"] === "api_retry" ? event["error_status"] : undefined;
      return typeof status === "number" ? { ...next, retried_status: status } : next;
    }
    case "rate_limit_event": {
      const info = object(event["rate_limit_info"]);
      const until = info?.["status"] === "rejected" ? info["resetsAt"] : undefined;
      return typeof until === "number" ? { ...next, limited_until: until } : next;
    }
    default:
      return next;
  }
}

function textOf(content: unknown): string {
  if (!Array.isArray(content)) return "";
  return content
    .map((block) => object(block)?.["text"])
    .filter((text) => typeof text === "string")
    .join("\n");
}
