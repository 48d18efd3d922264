/**
 * A session of OpenCode's as `opencode export` writes it: one JSON document, not a line an event (ENTRY-1). A message takes the
 * place of a line: the first one is 1.
 */
import { typedIn } from "./claude.ts";
import { UNKNOWN, type Entry, type LineReading } from "./entry.ts";
import { objectOf, textOf, type Json } from "./json.ts";

/** Whether a file that begins so is such a document. */
export function isOpenCodeExport(beginning: string): boolean {
  return /^\s*\{\s*"info"\s*:\s*\{/.test(beginning);
}

/** Each message's reading, in their order. */
export function readOpenCode(document: Json): readonly LineReading[] {
  const info = objectOf(document["info"]);
  const messages = document["messages"];
  if (info === undefined || !Array.isArray(messages)) return [UNKNOWN];
  // A sub-agent has a session of its own, which names the one that it belongs to.
  const sidechain = textOf(info["parentID"]) !== "";
  return messages.map((message: unknown, at): LineReading => {
    const known = objectOf(message);
    const about = objectOf(known?.["info"]);
    const parts = known?.["parts"];
    if (about === undefined || !Array.isArray(parts)) return UNKNOWN;
    const typed = about["role"] === "user";
    const entries = parts.flatMap((part: unknown, place) =>
      entriesOf(objectOf(part) ?? {}, { typed, id: `${at}.${place}` }),
    );
    return { kind: "entries", entries, sidechain, cwd: textOf(info["directory"]) };
  });
}

function entriesOf(part: Json, { typed, id }: { readonly typed: boolean; readonly id: string }): readonly Entry[] {
  if (part["type"] === "text") {
    const text = textOf(part["text"]);
    if (!typed) return text === "" ? [] : [{ kind: "reply", text }];
    const own = part["synthetic"] === true ? "" : typedIn(text);
    return own === "" ? [] : [{ kind: "message", text: own }];
  }
  const state = objectOf(part["state"]);
  if (part["type"] !== "tool" || state === undefined) return [];
  const own = textOf(part["id"]);
  const name = own === "" ? id : own;
  return [callOf(textOf(part["tool"]), objectOf(state["input"]) ?? {}, name), ...resultsOf(state, name)];
}

function callOf(name: string, given: Json, id: string): Entry {
  const file_path = textOf(given["filePath"]);
  const call = (tool: string, input: Json): Entry => ({ kind: "call", id, tool, input });
  switch (name) {
    case "bash":
      return call("Bash", { command: textOf(given["command"]) });
    case "read":
      return call("Read", { file_path });
    case "write":
      return call("Write", { file_path, content: textOf(given["content"]) });
    case "edit":
      return call("Edit", {
        file_path,
        old_string: textOf(given["oldString"]),
        new_string: textOf(given["newString"]),
      });
    case "apply_patch":
      return call("apply_patch", { input: textOf(given["patchText"]) });
    default:
      return call(name, given);
  }
}

/** What the person answers to a permission that was asked for. */
const REFUSED = /^(?:Error: )?The user (?:has )?rejected permission/;
const REASON = "with the following feedback:";

function resultsOf(state: Json, id: string): readonly Entry[] {
  if (state["status"] === "error") {
    const text = textOf(state["error"]);
    const refused = REFUSED.test(text);
    const at = refused ? text.indexOf(REASON) : -1;
    const said = at === -1 ? "" : text.slice(at + REASON.length).trim();
    return [{ kind: "result", id, outcome: refused ? "refused" : "failed", text, said, exit: null }];
  }
  if (state["status"] !== "completed") return [];
  const told = objectOf(state["metadata"])?.["exit"];
  const exit = typeof told === "number" ? told : null;
  const failed = exit !== null && exit !== 0;
  return [{ kind: "result", id, outcome: failed ? "failed" : "done", text: textOf(state["output"]), said: "", exit }];
}
