/**
 * What rules are tried on: one tool call, one prompt, or one stop, with its fields by name (SPEC section 12).
 *
 * SUBJECT-1 a field that the action does not have is null, never an empty text: no operator holds on it, `not_contains`
 *    neither;
 * SUBJECT-2 what an editor answers when all went well is no field: it repeats its input, which was looked at before.
 */
import type { RuleEvent } from "./rule.ts";

/** `other`: a tool that is neither shell, nor editor, nor reader; only rules for `all` look at it. */
export type ToolEvent = "bash" | "file" | "read" | "other";

export interface Subject {
  readonly event: Exclude<RuleEvent, "all"> | ToolEvent;
  /** Name of the tool; empty: a prompt or a stop. */
  readonly tool: string;
  /** The values of that field (several edits have several); null: it has none. */
  readonly valuesOf: (field: string) => readonly string[] | null;
}

/** What a simple `pattern` looks at, whatever the event. No rule can name a field like that. */
export const WHOLE = "*";

/** Claude Code's Monitor runs a command line in the background. */
const SHELLS = new Set(["Bash", "PowerShell", "Monitor"]);
const EDITORS = new Set(["Edit", "Write", "MultiEdit", "NotebookEdit", "apply_patch"]);
const READERS = new Set(["Read", "NotebookRead"]);
/** Names that rule files use for one and the same thing. */
const ALIASES: Readonly<Record<string, string>> = {
  new_string: "new_text",
  new_source: "new_text",
  content: "new_text",
  old_string: "old_text",
  notebook_path: "file_path",
};
/** Fields of what a tool answered: a rule that names one is tried after the call, any other before it. */
const RESULT_FIELDS = new Set(["output", "stdout", "stderr", "error", "tool_response"]);

export function isResultField(field: string): boolean {
  return RESULT_FIELDS.has(field);
}

/**
 * @param input the tool's input as the client tells it
 * @param response the tool's answer, where the call is over; of a call that failed an object with nothing but `error`
 */
export function toolSubject(tool: string, input: Readonly<Record<string, unknown>>, response?: unknown): Subject {
  const event = toolEvent(tool);
  const named = event === "file" ? editedFields(tool, input) : ownFields(event, input);
  const valuesOf = (field: string): readonly string[] | null => {
    if (field === WHOLE) return wholeOf(event, named, input);
    if (field === "tool_name") return [tool];
    if (isResultField(field)) {
      // SUBJECT-2
      if (response === undefined || (event === "file" && failureIn(response) === null)) return null;
      return resultOf(field, response);
    }
    const known = named[event === "file" ? (ALIASES[field] ?? field) : field];
    if (known !== undefined) return known;
    const own = Object.hasOwn(input, field) ? input[field] : undefined;
    return own === undefined || own === null ? null : [asValue(own)];
  };
  return { event, tool, valuesOf };
}

export function promptSubject(prompt: string): Subject {
  return textSubject("prompt", new Set([WHOLE, "prompt", "user_prompt", "content"]), prompt, () => null);
}

/**
 * @param said what the agent said last
 * @param transcript reads the session's transcript when a rule asks for it; null: it cannot be read
 */
export function stopSubject(said: string, transcript: () => string | null = () => null): Subject {
  let read: readonly string[] | null | undefined;
  const fields = new Set([WHOLE, "reason", "content", "last_assistant_message"]);
  return textSubject("stop", fields, said, (field) => {
    if (field !== "transcript") return null;
    if (read === undefined) {
      const text = transcript();
      read = text === null ? null : [text];
    }
    return read;
  });
}

function textSubject(
  event: "prompt" | "stop",
  fields: ReadonlySet<string>,
  text: string,
  other: Subject["valuesOf"],
): Subject {
  const values = [text];
  return { event, tool: "", valuesOf: (field) => (fields.has(field) ? values : other(field)) };
}

/** Which rules look at a tool's calls. */
export function toolEvent(tool: string): ToolEvent {
  if (SHELLS.has(tool)) return "bash";
  if (EDITORS.has(tool)) return "file";
  return READERS.has(tool) ? "read" : "other";
}

type Fields = Readonly<Record<string, readonly string[] | undefined>>;

function ownFields(event: Subject["event"], input: Readonly<Record<string, unknown>>): Fields {
  const path = input["file_path"] ?? input["notebook_path"];
  return event === "read" && typeof path === "string" ? { file_path: [path] } : {};
}

/** SUBJECT-1: an Edit of nothing has no `new_text`, a Write has no `old_text`. */
function editedFields(tool: string, input: Readonly<Record<string, unknown>>): Fields {
  if (tool === "apply_patch") return patchedFields(asText(input["command"]) ?? asText(input["input"]) ?? "");
  const edits = Array.isArray(input["edits"]) ? input["edits"].filter(isRecord) : [input];
  const texts = (...names: readonly string[]): readonly string[] | undefined => {
    const found = edits.flatMap((edit) => names.map((name) => asText(edit[name])).find((text) => text !== null) ?? []);
    return found.length === 0 ? undefined : found;
  };
  const path = asText(input["file_path"]) ?? asText(input["notebook_path"]);
  return {
    file_path: path === null ? undefined : [path],
    new_text: texts("new_string", "new_source", "content"),
    old_text: texts("old_string", "old_source"),
  };
}

/** The added and the removed lines of a patch in one text each, and every file that it names. */
function patchedFields(patch: string): Fields {
  const lines = patch.split(/\r?\n/);
  const marked = (mark: string): readonly string[] | undefined => {
    const found = lines.filter((line) => line.startsWith(mark)).map((line) => line.slice(1));
    return found.length === 0 ? undefined : [found.join("\n")];
  };
  const files = lines.flatMap(
    (line) => /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/.exec(line)?.[1]?.trim() ?? [],
  );
  return {
    file_path: files.length === 0 ? undefined : files,
    new_text: marked("+"),
    old_text: marked("-"),
  };
}

function wholeOf(
  event: Subject["event"],
  named: Fields,
  input: Readonly<Record<string, unknown>>,
): readonly string[] | null {
  if (event === "bash") return asText(input["command"]) === null ? null : [asText(input["command"]) ?? ""];
  if (event === "file") return named["new_text"] ?? null;
  if (event === "read") return named["file_path"] ?? null;
  return [asValue(input)];
}

/** Where a client tells one text for all that was said, it stands for each of its parts. */
function resultOf(field: string, response: unknown): readonly string[] | null {
  if (field === "tool_response") return [asValue(response)];
  if (typeof response === "string") return field === "error" ? null : [response];
  if (!isRecord(response)) return null;
  const failed = failureIn(response);
  if (failed !== null) return [failed];
  if (field !== "output") return Object.hasOwn(response, field) ? [asValue(response[field])] : null;
  const parts = ["stdout", "stderr", "output", "content", "error"].flatMap((name) => asText(response[name]) ?? []);
  return [parts.length === 0 ? asValue(response) : parts.join("\n")];
}

function failureIn(response: unknown): string | null {
  return isRecord(response) && Object.keys(response).length === 1 ? asText(response["error"]) : null;
}

function asText(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function asValue(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
