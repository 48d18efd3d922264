/** A tool call of a transcript, bounded in size. */
import type { Entry } from "./read/entry.ts";
import { piecesOf, type Piece } from "./command-pieces.ts";
import { bothEnds, clip } from "./clip.ts";
import { objectOf, textOf, type Json } from "./read/json.ts";

/** Where something stands: a transcript file, and its line from 1. */
export interface Position {
  readonly file: string;
  readonly line: number;
}

export interface PastCall {
  readonly id: string;
  readonly tool: string;
  /** `other`: a tool that no kind of rule is about. */
  readonly event: "bash" | "file" | "read" | "other";
  readonly at: Position;
  readonly pieces: readonly Piece[];
  /** Of a shell call, shortened. */
  readonly command: string;
  /** Relative to the session's folder, with `/`; empty for a shell call. */
  readonly path: string;
  /** The new text of an edit, the input of another tool; shortened. */
  readonly wrote: string;
  outcome: "open" | "done" | "failed" | "refused";
}

/** Characters that are kept of each text. */
const LONGEST_COMMAND = 8_192;
const LONGEST_TEXT = 400;
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

export function pastCallOf(call: Extract<Entry, { kind: "call" }>, at: Position, cwd: string): PastCall {
  const event = EVENTS[call.tool] ?? "other";
  const input = call.tool === "apply_patch" ? patchedInput(call.input) : call.input;
  const command = clip(textOf(input["command"]), LONGEST_COMMAND);
  return {
    id: call.id,
    tool: call.tool,
    event,
    at,
    pieces: event === "bash" ? piecesOf(command) : [],
    command,
    path: relativePath(textOf(input["file_path"]) || textOf(input["notebook_path"]), cwd),
    wrote: bothEnds(event === "file" ? newText(input) : event === "other" ? JSON.stringify(input) : "", LONGEST_TEXT),
    outcome: "open",
  };
}

/** A patch as an edit of its first file. */
function patchedInput(input: Json): Json {
  const lines = (textOf(input["command"]) || textOf(input["input"])).split("\n");
  const path =
    lines.flatMap((line) => /^\*\*\* (?:Add|Update|Delete) File: (.+)$/.exec(line)?.[1]?.trim() ?? [])[0] ?? "";
  return {
    file_path: path,
    new_string: lines.flatMap((line) => (line.startsWith("+") ? [line.slice(1)] : [])).join("\n"),
  };
}

/** Lines that an edit brings in. */
function newText(input: Json): string {
  const edits = Array.isArray(input["edits"]) ? input["edits"].map((edit: unknown) => objectOf(edit) ?? {}) : [input];
  return edits
    .slice(0, 20)
    .flatMap((edit) => {
      const after = ["new_string", "content", "new_source"].map((name) => textOf(edit[name])).find((one) => one !== "");
      const known = new Set(
        textOf(edit["old_string"])
          .slice(0, LONGEST_COMMAND)
          .split("\n")
          .map((line) => line.trim()),
      );
      return (after ?? "")
        .slice(0, LONGEST_COMMAND)
        .split("\n")
        .filter((line) => !known.has(line.trim()));
    })
    .join("\n");
}

function relativePath(path: string, cwd: string): string {
  const [file, folder] = [path.replaceAll("\\", "/"), cwd.replaceAll("\\", "/").replace(/\/$/, "")];
  return folder !== "" && file.startsWith(`${folder}/`) ? file.slice(folder.length + 1) : file;
}

/** One line on what the call did, for people. */
export function describeCall(call: PastCall): string {
  const [first = ""] = (call.event === "bash" ? call.command : call.path).split("\n", 1);
  return first === "" ? call.tool : `${call.tool}: ${first.slice(0, 200)}`;
}
