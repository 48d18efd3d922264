/**
 * What `claude -p --output-format stream-json` says, line by line.
 *
 * L1 memory is bounded: a line longer than LONGEST_LINE is skipped and counted, and only the last `result`,
 *    the last rate limit and a few figures are kept;
 * L2 a line that is not JSON, or not of a known kind, is passed over: clients print more than they document.
 */

/** Bytes. */
const LONGEST_LINE = 16 * 1024 * 1024;

export type Json = Readonly<Record<string, unknown>>;

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
  let parts: Buffer[] = [];
  let length = 0;
  let skipping = false;
  const endLine = (): void => {
    if (skipping) seen = { ...seen, skipped_lines: seen.skipped_lines + 1 };
    else if (length > 0) seen = withEvent(seen, parseLine(Buffer.concat(parts).toString("utf8")));
    parts = [];
    length = 0;
    skipping = false;
  };
  const keep = (piece: Buffer): void => {
    length += piece.length;
    if (length > LONGEST_LINE) {
      skipping = true;
      parts = [];
    } else if (!skipping) parts.push(piece);
  };
  return {
    take(chunk) {
      let from = 0;
      for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
        keep(chunk.subarray(from, end));
        endLine();
        from = end + 1;
      }
      keep(chunk.subarray(from));
    },
    report() {
      endLine();
      return seen;
    },
  };
}

function parseLine(line: string): Json | undefined {
  try {
    return object(JSON.parse(line));
  } catch {
    return undefined;
  }
}

function withEvent(seen: ClaudeReport, event: Json | undefined): ClaudeReport {
  if (event === undefined) return seen;
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

/** The value as a JSON object, or undefined. */
export function object(value: unknown): Json | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}
