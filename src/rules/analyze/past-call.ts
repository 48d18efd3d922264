/** A tool call of a transcript, as far as findings need it: bounded in size, and with the words that it can be named by. */
import type { Entry } from "./read/entry.ts";
import { isDangerous, onlyReads, piecesOf, type Piece } from "./command-pieces.ts";
import { clip } from "./clip.ts";
import { objectOf, textOf, type Json } from "./read/json.ts";

/** Where something stands: a transcript file, and its line from 1. */
export interface Position {
  readonly file: string;
  readonly line: number;
}

export interface PastCall {
  readonly id: string;
  readonly tool: string;
  /** `other`: a tool that no kind of rule is about; there may be a finding, and no rule. */
  readonly event: "bash" | "file" | "read" | "other";
  readonly at: Position;
  /** How often the person had spoken before it. */
  readonly turn: number;
  readonly pieces: readonly Piece[];
  /** Of a shell call, shortened. */
  readonly command: string;
  /** Relative to the session's folder, with `/`; empty for a shell call. */
  readonly path: string;
  readonly before: string;
  readonly after: string;
  readonly changes: boolean;
  readonly dangerous: boolean;
  outcome: "open" | "done" | "failed" | "refused";
}

/** Characters that are kept of each text. */
const LONGEST_TEXT = 4_096;
const EVENTS: Readonly<Record<string, PastCall["event"]>> = {
  Bash: "bash",
  PowerShell: "bash",
  Monitor: "bash",
  Edit: "file",
  MultiEdit: "file",
  Write: "file",
  NotebookEdit: "file",
  apply_patch: "file",
  Read: "read",
};
/** Another tool changes something if its name says so. */
const CHANGES = /create|update|delete|write|send|post|push|add|remove|comment|merge|Task|Agent/;

export function pastCallOf(call: Extract<Entry, { kind: "call" }>, at: Position, cwd: string, turn: number): PastCall {
  const event = EVENTS[call.tool] ?? "other";
  const input = call.tool === "apply_patch" ? patchedInput(call.input) : call.input;
  const command = clip(textOf(input["command"]), LONGEST_TEXT * 2);
  const pieces = event === "bash" ? piecesOf(command) : [];
  const changes = event === "bash" ? !pieces.every(onlyReads) : event === "file" || isChanging(event, call.tool);
  return {
    id: call.id,
    tool: call.tool,
    event,
    at,
    turn,
    pieces,
    command,
    path: relativePath(textOf(input["file_path"]) || textOf(input["notebook_path"]), cwd),
    ...textsOf(input),
    changes,
    dangerous: pieces.some(isDangerous),
    outcome: "open",
  };
}

function isChanging(event: PastCall["event"], tool: string): boolean {
  return event === "other" && CHANGES.test(tool) && !/^(?:Todo|TaskCreate|TaskUpdate|update_plan)/.test(tool);
}

/** A patch as an edit of its first file. */
function patchedInput(input: Json): Json {
  const lines = (textOf(input["command"]) || textOf(input["input"])).split("\n");
  const marked = (mark: string): string =>
    lines.flatMap((line) => (line.startsWith(mark) ? [line.slice(1)] : [])).join("\n");
  const path =
    lines.flatMap((line) => /^\*\*\* (?:Add|Update|Delete) File: (.+)$/.exec(line)?.[1]?.trim() ?? [])[0] ?? "";
  return { file_path: path, old_string: marked("-"), new_string: marked("+") };
}

function textsOf(input: Json): { readonly before: string; readonly after: string } {
  const edits = Array.isArray(input["edits"]) ? input["edits"].map((edit: unknown) => objectOf(edit) ?? {}) : [input];
  const joined = (...names: readonly string[]): string =>
    clip(
      edits
        .slice(0, 20)
        .map((edit) => names.map((name) => textOf(edit[name])).find((text) => text !== "") ?? "")
        .join("\n"),
      LONGEST_TEXT,
    );
  return { before: joined("old_string"), after: joined("new_string", "content", "new_source") };
}

function relativePath(path: string, cwd: string): string {
  const [file, folder] = [path.replaceAll("\\", "/"), cwd.replaceAll("\\", "/").replace(/\/$/, "")];
  return folder !== "" && file.startsWith(`${folder}/`) ? file.slice(folder.length + 1) : file;
}

/** What is in the call itself, for patterns on all of it. */
export function textOfCall(call: PastCall): string {
  return call.event === "bash" ? call.command : `${call.path}\n${addedLines(call).join("\n")}`;
}

export function addedLines({ before, after }: PastCall): readonly string[] {
  const known = new Set(before.split("\n").map((line) => line.trim()));
  return after.split("\n").filter((line) => !known.has(line.trim()));
}

/** One line on what the call did, for people. */
export function describeCall(call: PastCall): string {
  const [first = ""] = (call.event === "bash" ? call.command : call.path).split("\n", 1);
  return first === "" ? call.tool : `${call.tool}: ${first.slice(0, 200)}`;
}
