/** What a rule is tried on, from the words of a person. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { promptSubject, stopSubject, toolSubject, type Subject } from "../match/subject.ts";
import type { Call } from "../../command/call.ts";
import { readTextFile } from "../../command/read-text-file.ts";
import { Unusable } from "../../command/unusable.ts";

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
      return stopSubject(said, () => transcriptOf(call));
    case "input":
      return eventSubject(readTextFile(call.io, said));
  }
}

function fileSubject(call: Call, file_path: string): Subject {
  const [content = "", old_string] = [call.text("content"), call.text("old")];
  return old_string === undefined
    ? toolSubject("Write", { file_path, content })
    : toolSubject("Edit", { file_path, old_string, new_string: content });
}

function transcriptOf(call: Call): string | null {
  const file = call.text("transcript");
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
  readonly last_assistant_message?: unknown;
}

function eventSubject(text: string): Subject {
  const event = parsed(text);
  const { tool_name, tool_input, tool_response, prompt, last_assistant_message } = event;
  if (typeof tool_name === "string" && typeof tool_input === "object" && tool_input !== null)
    return toolSubject(tool_name, tool_input as Readonly<Record<string, unknown>>, tool_response);
  if (typeof prompt === "string") return promptSubject(prompt);
  if (typeof last_assistant_message === "string") return stopSubject(last_assistant_message);
  throw new Unusable(
    "the event names no tool, no prompt and no last message",
    "give what a client sends to a hook on stdin",
  );
}

function parsed(text: string): ClientEvent {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // Reported below.
  }
  throw new Unusable("the input is no JSON object", "give what a client sends to a hook on stdin");
}
