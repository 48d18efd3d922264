/** What a rule is tried on, from the words of a person. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { promptSubject, stopSubject, toolSubject, type Subject } from "../match/subject.ts";
import type { Call } from "../../command/call.ts";
import { readTextFile } from "../../command/read-text-file.ts";
import { Unusable } from "../../command/unusable.ts";
import { parseObject } from "../../core/reading.ts";
import { createReader } from "../analyze/read/reader.ts";

const KINDS = ["command", "file", "read", "prompt", "stop", "input"] as const;

export function subjectOf(call: Call): Subject {
  const [kind, another] = KINDS.filter((one) => call.text(one) !== undefined);
  if (kind === undefined) throw new Unusable("there is nothing to try the rules on", 'name it: --command "git push"');
  if (another !== undefined) throw new Unusable(`--${kind} and --${another} are two actions`, "try them one by one");
  const said = call.text(kind) ?? "";
  switch (kind) {
    case "command":
      return toolSubject("Bash", { command: said }, call.text("output"));
    case "file":
      return fileSubject(call, said);
    case "read":
      return toolSubject("Read", { file_path: said });
    case "prompt":
      return promptSubject(said);
    case "stop":
      return stopSubject(said, () => transcriptOf(call, undefined));
    case "input":
      return eventSubject(call, readTextFile(call.io, said));
  }
}

function fileSubject(call: Call, file_path: string): Subject {
  const [content = "", old_string] = [call.text("content"), call.text("old")];
  return old_string === undefined
    ? toolSubject("Write", { file_path, content })
    : toolSubject("Edit", { file_path, old_string, new_string: content });
}

function transcriptOf(call: Call, named: string | undefined): string | null {
  const file = call.text("transcript") ?? named;
  try {
    return file === undefined ? null : readFileSync(resolve(call.io.cwd, file), "utf8");
  } catch {
    return null;
  }
}

interface ClientEvent {
  readonly tool_name?: unknown;
  readonly tool_input?: unknown;
  readonly tool_response?: unknown;
  readonly prompt?: unknown;
  readonly user_prompt?: unknown;
  readonly last_assistant_message?: unknown;
  readonly reason?: unknown;
  readonly hook_event_name?: unknown;
  readonly transcript_path?: unknown;
}

function eventSubject(call: Call, text: string): Subject {
  const event = parsed(text);
  const { tool_name, tool_input, tool_response, last_assistant_message, reason, transcript_path } = event;
  const prompt = event.prompt ?? event.user_prompt;
  if (typeof tool_name === "string" && typeof tool_input === "object" && tool_input !== null)
    return toolSubject(tool_name, tool_input as Readonly<Record<string, unknown>>, tool_response);
  if (typeof prompt === "string") return promptSubject(prompt);
  const transcript = (): string | null =>
    transcriptOf(call, typeof transcript_path === "string" ? transcript_path : undefined);
  const said = [last_assistant_message, reason].find((one) => typeof one === "string" && one !== "");
  if (typeof said === "string") return stopSubject(said, transcript);
  // A client that does not tell what was said last: it is in the transcript, as the hook reads it.
  if (event.hook_event_name === "Stop" || typeof last_assistant_message === "string")
    return stopSubject(lastWordsIn(transcript() ?? ""), transcript);
  throw new Unusable(
    "the event names no tool, no prompt and no last message",
    "give what a client sends to a hook on stdin",
  );
}

/** What the agent said last, by the transcript's lines; empty: nothing is found. */
function lastWordsIn(transcript: string): string {
  const read = createReader();
  let words = "";
  for (const line of transcript.split("\n")) {
    const reading = read(line);
    const said = reading.kind === "entries" && !reading.sidechain ? reading.entries : [];
    for (const entry of said) if (entry.kind === "reply" && entry.text !== "") words = entry.text;
  }
  return words;
}

function parsed(text: string): ClientEvent {
  const value = parseObject(text);
  if (value !== null) return value;
  throw new Unusable("the input is no JSON object", "give what a client sends to a hook on stdin");
}
