/** One line of a Claude Code transcript (ENTRY-1). */
import { OTHER, UNKNOWN, type Entry, type LineReading } from "./entry.ts";
import { objectOf, textOf, type Json } from "./json.ts";

export function readClaudeLine(value: Json): LineReading {
  const type = textOf(value["type"]);
  if (type !== "" && type !== "user" && type !== "assistant") return OTHER;
  const content = objectOf(value["message"])?.["content"];
  if (type === "" || (typeof content !== "string" && !Array.isArray(content))) return UNKNOWN;
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const typed = isTyped(value);
  const entries = blocks.flatMap((block: unknown) => {
    const known = objectOf(block);
    if (known === undefined) return [];
    return type === "assistant" ? agentEntries(known) : personEntries(known, typed);
  });
  return {
    kind: "entries",
    entries,
    sidechain: value["isSidechain"] === true,
    cwd: textOf(value["cwd"]),
  };
}

/** Whether a person can have typed the texts of this line (ENTRY-1). */
function isTyped(value: Json): boolean {
  if (["isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", "isSidechain"].some((flag) => value[flag] === true))
    return false;
  const origin = textOf(objectOf(value["origin"])?.["kind"]);
  return (origin === "" || origin === "human") && value["promptSource"] !== "system";
}

function agentEntries(block: Json): readonly Entry[] {
  if (block["type"] === "text") return [{ kind: "reply", text: textOf(block["text"]) }];
  const [id, tool, input] = [textOf(block["id"]), textOf(block["name"]), objectOf(block["input"])];
  if (block["type"] !== "tool_use" || id === "" || tool === "" || input === undefined) return [];
  return [{ kind: "call", id, tool, input }];
}

function personEntries(block: Json, typed: boolean): readonly Entry[] {
  if (block["type"] === "tool_result") return [resultOf(block)];
  if (block["type"] !== "text") return [];
  const text = textOf(block["text"]);
  if (/^\s*\[request interrupted by user/i.test(text)) return [{ kind: "interrupt" }];
  return typed ? typedEntries(text) : [];
}

/** What refused calls answer; the person's reason, if there is one, is behind REASON. */
const REFUSAL = /^(?:the user doesn't want to (?:proceed with this tool use|take this action)|user rejected tool use)/i;
const REASON = "the user said:";

function resultOf(block: Json): Entry {
  const text = resultText(block["content"]);
  const failed = block["is_error"] === true;
  const result = { kind: "result", id: textOf(block["tool_use_id"]), text } as const;
  if (!failed || !REFUSAL.test(text)) {
    const known = /^Exit code (\d+)/.exec(text)?.[1];
    const exit = known !== undefined ? Number(known) : failed || BACKGROUND.test(text) ? null : 0;
    return { ...result, outcome: failed ? "failed" : "done", said: "", exit };
  }
  const at = text.indexOf(REASON);
  return { ...result, outcome: "refused", said: at === -1 ? "" : saidIn(text.slice(at + REASON.length)), exit: null };
}

/** Of a shell command that is not over. */
const BACKGROUND = /^Command (?:running in background|was manually backgrounded)/;

/** A reason without what the client adds to it; that the person wants to talk it over is the client's sentence. */
function saidIn(reason: string): string {
  const said = (reason.split(/\n\s*\n?Note: The user's next message/, 1)[0] ?? "").trim();
  return said.startsWith("The user wants to clarify these questions") ? "" : said;
}

function resultText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part: unknown) => textOf(objectOf(part)?.["text"])).join("\n");
}

/** Blocks in a person's words that are none: what Claude Code and editors put there, and what was pasted. */
const INSERTED = [
  "pasted_content",
  "system-reminder",
  "ide_opened_file",
  "ide_selection",
  "ide_diagnostics",
  "user-prompt-submit-hook",
];
/** Texts that are no person's, though they come in a person's place. */
const FOREIGN =
  /^\s*(?:<(?:command-(?:name|message|args|contents)|local-command-\w+|bash-std(?:out|err)|task-notification|teammate-message|user-memory-input)\b|caveat: the messages below|this session is being continued from|implement the following plan:|(?:stop|subagentstop) hook )/i;
const SHELL = /^\s*<bash-input>([^<]*)<\/bash-input>/;

function typedEntries(text: string): readonly Entry[] {
  const shell = SHELL.exec(text);
  if (shell !== null) return [{ kind: "shell", command: shell[1] ?? "" }];
  const typed = typedIn(text);
  return typed === "" ? [] : [{ kind: "message", text: typed }];
}

/** What of a text in a person's place a person typed; empty: nothing (ENTRY-1). */
export function typedIn(text: string): string {
  const typed = INSERTED.reduce(withoutBlocks, text).trim();
  return FOREIGN.test(typed) ? "" : typed;
}

/** The text without `<tag ...> ... </tag>`; linear, whatever is not closed. */
function withoutBlocks(text: string, tag: string): string {
  const close = `</${tag}>`;
  const kept: string[] = [];
  let from = 0;
  for (;;) {
    const start = text.indexOf(`<${tag}`, from);
    const end = start === -1 ? -1 : text.indexOf(close, start);
    if (end === -1) break;
    kept.push(text.slice(from, start));
    from = end + close.length;
  }
  kept.push(text.slice(from));
  return kept.join("");
}
