/** What a client tells a hook on stdin. Clients add fields: unknown ones are ignored. */

export interface HookInput {
  readonly event: string;
  readonly session: string;
  readonly cwd: string | null;
  /** Present in a sub-agent only. */
  readonly agent: { readonly id: string; readonly type: string } | null;
  readonly tool: string;
  readonly toolInput: Readonly<Record<string, unknown>>;
  /** Empty: the client does not say it. */
  readonly permissionMode: string;
  readonly stopHookActive: boolean;
  readonly lastMessage: string;
  /** False: the client does not tell the last message; older ones never do. */
  readonly lastMessageReported: boolean;
  /** Why the session stops, of clients that say it. */
  readonly reason: string;
  readonly prompt: string;
  /** Id of the tool call; empty: the client does not name it. */
  readonly call: string;
  /** What the tool answered, `{error}` if it failed; undefined: it has not. */
  readonly response: unknown;
  /** Path of the sub-agent's transcript where the client names it, else of the session's. */
  readonly transcript: string | null;
  readonly source: string;
  /** Sub-agents that run in the background, the one that stops included; null: the client does not say. */
  readonly background: readonly BackgroundAgent[] | null;
}

export interface BackgroundAgent {
  readonly id: string;
  readonly type: string;
}

/**
 * Null: it is not one JSON object that names a session.
 * @param anonymous a session need not be named: guard rules hold in any
 */
export function readHookInput(text: string, anonymous = false): HookInput | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isRecord(value)) return null;
  const of = (name: string): string => asText(value[name]);
  const session = of("session_id");
  if (session === "" && !anonymous) return null;
  const id = of("agent_id");
  const input = value["tool_input"];
  return {
    event: of("hook_event_name"),
    session,
    cwd: of("cwd") || null,
    agent: id === "" ? null : { id, type: of("agent_type") },
    tool: of("tool_name"),
    toolInput: isRecord(input) ? input : {},
    permissionMode: of("permission_mode"),
    stopHookActive: value["stop_hook_active"] === true,
    lastMessage: of("last_assistant_message"),
    lastMessageReported: typeof value["last_assistant_message"] === "string",
    reason: of("reason"),
    prompt: of("prompt") || of("user_prompt"),
    call: of("tool_use_id"),
    response: value["tool_response"] ?? (typeof value["error"] === "string" ? { error: value["error"] } : undefined),
    transcript: of("agent_transcript_path") || of("transcript_path") || null,
    source: of("source"),
    background: runningIn(value["background_tasks"]),
  };
}

function runningIn(tasks: unknown): readonly BackgroundAgent[] | null {
  if (!Array.isArray(tasks)) return null;
  return tasks.flatMap((task: unknown) =>
    isRecord(task) && task["status"] === "running" && typeof task["agent_type"] === "string"
      ? [{ id: asText(task["id"]), type: task["agent_type"] }]
      : [],
  );
}

/** The sub-agent that a call of the Agent tool has started in the background; null: it ran in the foreground. */
export function startedInBackground({ toolInput, response }: HookInput): BackgroundAgent | null {
  if (!isRecord(response) || response["status"] !== "async_launched") return null;
  return { id: asText(response["agentId"]), type: asText(toolInput["subagent_type"]) };
}

/** The plugin's agents, as the client names them; null: some other agent. */
export type LoopRole = "coordinator" | "worker" | "probe" | "verifier";

export function roleOf(type: string): LoopRole | null {
  const name = /^aot-loop:(coordinator|worker|probe|verifier)$/.exec(type)?.[1];
  return name === undefined ? null : (name as LoopRole);
}

export function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
