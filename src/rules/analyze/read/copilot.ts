/** Lines of a Copilot CLI session: an event each, `type` with a dot in it (ENTRY-1). */
import { typedIn } from "./claude.ts";
import { OTHER, UNKNOWN, type Entry, type LineReader } from "./entry.ts";
import { objectOf, textOf, type Json } from "./json.ts";

export function createCopilotReader(): LineReader {
  let cwd = "";
  return (value) => {
    const data = objectOf(value["data"]);
    const type = textOf(value["type"]);
    if (data === undefined) return UNKNOWN;
    if (type === "session.start" || type === "session.resume") cwd = textOf(objectOf(data["context"])?.["cwd"]) || cwd;
    const entries = entriesOf(type, data);
    if (entries === null) return OTHER;
    const sidechain = textOf(data["parentToolCallId"]) !== "";
    return { kind: "entries", entries, sidechain, cwd };
  };
}

function entriesOf(type: string, data: Json): readonly Entry[] | null {
  switch (type) {
    case "user.message": {
      // What a skill or a hook puts in says where it comes from.
      const text = /^(?:|user)$/.test(textOf(data["source"])) ? typedIn(textOf(data["content"])) : "";
      return text === "" ? [] : [{ kind: "message", text }];
    }
    case "assistant.message":
      return textOf(data["content"]) === "" ? [] : [{ kind: "reply", text: textOf(data["content"]) }];
    case "abort":
      return [{ kind: "interrupt" }];
    case "tool.execution_start":
      return callOf(data);
    case "tool.execution_complete":
      return [resultOf(data)];
    default:
      return null;
  }
}

function callOf(data: Json): readonly Entry[] {
  const [id, name, given] = [textOf(data["toolCallId"]), textOf(data["toolName"]), objectOf(data["arguments"]) ?? {}];
  if (id === "" || name === "") return [];
  const call = (tool: string, input: Json): readonly Entry[] => [{ kind: "call", id, tool, input }];
  const file_path = textOf(given["path"]);
  switch (name) {
    case "bash":
    case "powershell":
      return call("Bash", { command: textOf(given["command"]) });
    case "view":
      return call("Read", { file_path });
    case "create":
      return call("Write", { file_path, content: textOf(given["file_text"]) });
    case "edit":
    case "str_replace":
      return call("Edit", { file_path, old_string: textOf(given["old_str"]), new_string: textOf(given["new_str"]) });
    default:
      return call(name, given);
  }
}

const EXITED = /completed with exit code (-?\d+)>\s*$/;

function resultOf(data: Json): Entry {
  const error = objectOf(data["error"]);
  const text = textOf(objectOf(data["result"])?.["content"]) || textOf(error?.["message"]);
  const told = EXITED.exec(text.slice(-200))?.[1];
  const exit = told === undefined ? null : Number(told);
  const refused = /^(?:denied|rejected|permission_denied)$/.test(textOf(error?.["code"]));
  const failed = data["success"] === false || (exit !== null && exit !== 0);
  const outcome = refused ? "refused" : failed ? "failed" : "done";
  return { kind: "result", id: textOf(data["toolCallId"]), outcome, text, said: "", exit };
}
