/**
 * One line of a Claude Code transcript, as what happened in it (SPEC section 12). Versions differ: what is not known
 * is reported as such and never an error.
 *
 * ENTRY-1 only what a person typed is a `message`: not the words of hooks, summaries, slash commands, sub-agents' prompts,
 *    notifications or results.
 */
import { objectOf, parseObject, textOf, type Json } from "./json.ts";

export type Entry =
  | { readonly kind: "message"; readonly text: string }
  /** A command that the person ran with `!`. */
  | { readonly kind: "shell"; readonly command: string }
  | { readonly kind: "reply"; readonly text: string }
  | { readonly kind: "call"; readonly id: string; readonly tool: string; readonly input: Json }
  | {
      readonly kind: "result";
      readonly id: string;
      /** `refused`: the person did not let it happen; `said`: and said why. */
      readonly outcome: "done" | "failed" | "refused";
      readonly text: string;
      readonly said: string;
    };

export type LineReading =
  | {
      readonly kind: "entries";
      /** Of this line, in their order; may be empty. */
      readonly entries: readonly Entry[];
      /** It happened inside of a sub-agent. */
      readonly sidechain: boolean;
      /** Claude Code's own name of the line; empty: it has none. */
      readonly uuid: string;
      /** The folder that the session worked in then; empty: not reported. */
      readonly cwd: string;
    }
  /** A record of another kind: neither words nor calls. There are dozens, and each version has more. */
  | { readonly kind: "other" }
  /** Words or calls in a form that is not known, or no record at all. */
  | { readonly kind: "unknown" }
  /** No JSON object. */
  | { readonly kind: "unreadable" };

/** Never throws, whatever the line holds. */
export function readEntryLine(line: string): LineReading {
  const value = parseObject(line);
  if (value === undefined) return { kind: "unreadable" };
  const type = textOf(value["type"]);
  if (type !== "" && type !== "user" && type !== "assistant") return { kind: "other" };
  const content = objectOf(value["message"])?.["content"];
  if (type === "" || (typeof content !== "string" && !Array.isArray(content))) return { kind: "unknown" };
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
    uuid: textOf(value["uuid"]),
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
  return block["type"] === "text" && typed ? typedEntries(textOf(block["text"])) : [];
}

/** What refused calls answer; the person's reason, if there is one, is behind REASON. */
const REFUSAL = /^(?:the user doesn't want to (?:proceed with this tool use|take this action)|user rejected tool use)/i;
const REASON = "the user said:";

function resultOf(block: Json): Entry {
  const text = resultText(block["content"]);
  const failed = block["is_error"] === true;
  if (!failed || !REFUSAL.test(text))
    return { kind: "result", id: textOf(block["tool_use_id"]), outcome: failed ? "failed" : "done", text, said: "" };
  const at = text.indexOf(REASON);
  const said = at === -1 ? "" : text.slice(at + REASON.length).trim();
  return { kind: "result", id: textOf(block["tool_use_id"]), outcome: "refused", text, said };
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
  /^\s*(?:<(?:command-(?:name|message|args|contents)|local-command-\w+|bash-std(?:out|err)|task-notification|teammate-message|user-memory-input)\b|caveat: the messages below|this session is being continued from|\[request interrupted by user|(?:stop|subagentstop) hook )/i;
const SHELL = /^\s*<bash-input>([^<]*)<\/bash-input>/;

function typedEntries(text: string): readonly Entry[] {
  const shell = SHELL.exec(text);
  if (shell !== null) return [{ kind: "shell", command: shell[1] ?? "" }];
  const typed = INSERTED.reduce(withoutBlocks, text).trim();
  return typed === "" || FOREIGN.test(typed) ? [] : [{ kind: "message", text: typed }];
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
