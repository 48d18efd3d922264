/**
 * Lines of a Codex rollout (ENTRY-1). What a person typed is in `user_message` events; the messages of the role `user` also
 * hold instructions that Codex puts there. A command that goes on is answered by a later `write_stdin`.
 */
import { typedIn } from "./claude.ts";
import { OTHER, UNKNOWN, type Entry, type LineReader } from "./entry.ts";
import { objectOf, parseObject, textOf, type Json } from "./json.ts";

type Payload = Readonly<{ type: string; payload: Json }>;

export function createCodexReader(): LineReader {
  let cwd = "";
  let sidechain = false;
  /** The call that each running process belongs to, by the process's number. */
  const running = new Map<string, string>();
  /** Calls that only look at such a process, by their id: the call that it belongs to. */
  const polls = new Map<string, string>();
  const entriesOf = ({ type, payload }: Payload): readonly Entry[] | null => {
    const kind = textOf(payload["type"]);
    if (type === "event_msg") return eventEntries(kind, payload);
    if (kind === "message") return messageEntries(payload);
    const id = textOf(payload["call_id"]);
    if (/^(?:function|custom_tool|local_shell)_call$/.test(kind)) {
      const call = callOf(payload, id);
      if (call?.tool !== "write_stdin") return call === null ? [] : [call];
      const owner = running.get(String(call.input["session_id"]));
      if (owner !== undefined) polls.set(id, owner);
      return [];
    }
    if (!/^(?:function|custom_tool)_call_output$/.test(kind)) return null;
    const result = resultOf(payload["output"], polls.get(id) ?? id);
    const number = RUNNING.exec(result.text)?.[1];
    if (number !== undefined) running.set(number, result.id);
    polls.delete(id);
    return [result];
  };
  return (value) => {
    const payload = objectOf(value["payload"]);
    const type = textOf(value["type"]);
    if (payload === undefined) return UNKNOWN;
    if (type === "session_meta" || type === "turn_context") cwd = textOf(payload["cwd"]) || cwd;
    if (type === "session_meta") sidechain = isSubAgent(payload);
    if (type !== "response_item" && type !== "event_msg") return OTHER;
    const entries = entriesOf({ type, payload });
    return entries === null ? OTHER : { kind: "entries", entries, sidechain, cwd };
  };
}

function isSubAgent(meta: Json): boolean {
  return meta["thread_source"] === "subagent" || objectOf(meta["source"])?.["subagent"] !== undefined;
}

function eventEntries(kind: string, payload: Json): readonly Entry[] | null {
  if (kind === "turn_aborted") return [{ kind: "interrupt" }];
  if (kind !== "user_message") return null;
  const text = typedIn(textOf(payload["message"]));
  return text === "" ? [] : [{ kind: "message", text }];
}

function messageEntries(payload: Json): readonly Entry[] | null {
  if (payload["role"] !== "assistant" || !Array.isArray(payload["content"])) return null;
  return payload["content"].flatMap((part: unknown): readonly Entry[] => {
    const text = textOf(objectOf(part)?.["text"]);
    return text === "" ? [] : [{ kind: "reply", text }];
  });
}

function callOf(payload: Json, id: string): Extract<Entry, { kind: "call" }> | null {
  const given = payload["arguments"] ?? payload["input"] ?? objectOf(payload["action"]);
  const input = typeof given === "string" ? (parseObject(given) ?? { input: given }) : (objectOf(given) ?? {});
  const name = textOf(payload["name"]) || "local_shell";
  if (id === "") return null;
  if (name === "exec") return { kind: "call", id, ...scriptedCall(textOf(input["input"])) };
  if (!/^(?:exec_command|shell|shell_command|local_shell|container\.exec)$/.test(name))
    return { kind: "call", id, tool: name, input };
  const command = input["cmd"] ?? input["command"];
  const words = Array.isArray(command) ? command.map(String) : [textOf(command)];
  // `bash -lc SCRIPT` is SCRIPT.
  const script = words.length === 3 && /^-\w*c$/.test(words[1] ?? "") ? (words[2] ?? "") : words.join(" ");
  return { kind: "call", id, tool: "Bash", input: { command: script } };
}

const STRING = /"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`/su.source;
const COMMANDS = new RegExp(`\\bcmd"?\\s*:\\s*(${STRING})`, "gsu");
const PATCH = /(?:"|`)\*\*\* Begin Patch(?:\\.|[^\\"`])*/su;

/** Newer clients write a script that calls tools: what it runs and what it patches, as far as it is written out there. */
function scriptedCall(script: string): { readonly tool: string; readonly input: Json } {
  const patch = PATCH.exec(script)?.[0];
  if (patch !== undefined) return { tool: "apply_patch", input: { input: unquoted(patch) } };
  const commands = [...script.matchAll(COMMANDS)].map(([, literal = ""]) => unquoted(literal));
  return commands.length === 0
    ? { tool: "exec", input: { input: script } }
    : { tool: "Bash", input: { command: commands.join("\n") } };
}

function unquoted(literal: string): string {
  const inner = literal.replace(/^["`]|["`]$/gu, "");
  return inner.replaceAll(/\\(.)/gsu, (_, character: string) =>
    character === "n" ? "\n" : character === "t" ? "\t" : character,
  );
}

const RUNNING = /^Process running with session ID (\d+)$/m;
const EXITED = /^(?:Process exited with code|Exit code:) (-?\d+)$/m;

function resultOf(output: unknown, id: string): Extract<Entry, { kind: "result" }> {
  const inner = typeof output === "string" ? parseObject(output) : objectOf(output);
  const parts = Array.isArray(output) ? output.map((part: unknown) => textOf(objectOf(part)?.["text"])).join("") : "";
  const text = textOf(inner?.["output"] ?? inner?.["content"]) || textOf(output) || parts;
  const head = text.slice(0, 400);
  const told = objectOf(inner?.["metadata"])?.["exit_code"] ?? EXITED.exec(head)?.[1];
  const exit = told === undefined ? null : Number(told);
  const refused = /^(?:aborted by user|exec command rejected by user|rejected by user)/i.test(text);
  const failed = (exit !== null && exit !== 0) || inner?.["success"] === false;
  return {
    kind: "result",
    id,
    outcome: refused ? "refused" : failed ? "failed" : "done",
    text: text.replace(/^(?:Chunk ID|Wall time|Original token count|Total output lines): .*\n/gm, ""),
    said: "",
    exit,
  };
}
