/** `aot session`: what the plugin's commands and agents call in a client's session. */
import { enterLoop } from "../../session/session.ts";
import { interruptSession, openWork, recordScores } from "../../session/work.ts";
import { required, type Call } from "../../command/call.ts";
import { failure } from "../../command/problem-text.ts";
import { readTextFile } from "../../command/read-text-file.ts";
import type { Answer, Run } from "../../command/spec.ts";
import { stateFileOf } from "../../command/state-file.ts";
import { Unusable } from "../../command/unusable.ts";
import type { Result } from "../../core/problem.ts";
import { EXIT_CODES } from "../../core/state.ts";
import { VERIFY_MS } from "./hook.ts";
import { answerText, enteredText, openText } from "./session-text.ts";

export const enter: Run = async (call) => {
  const file = stateFileOf(call);
  const mode = call.text("as") === "main" ? "main" : "agent";
  const client = clientOf(call);
  const entering = { session: sessionOf(call), mode, take_over: call.isSet("take-over") } as const;
  const entered = await enterLoop(
    file.path,
    client === null ? entering : { ...entering, client },
    AbortSignal.timeout(VERIFY_MS),
  );
  if (!entered.ok) return failure(entered.problems, file.shown);
  const answer = entered.value;
  if (answer.kind === "untouched" || answer.kind === "cut_off") throw new Error("entering a loop touches it");
  const text = mode === "agent" && answer.kind !== "halted" ? enteredText(answer) : answerText(answer);
  const exit = answer.kind === "halted" ? EXIT_CODES[answer.outcome] : 0;
  return { exit, json: { success: exit === 0, ...answer }, text };
};

export const work: Run = async (call) => {
  const file = stateFileOf(call);
  const open = await openWork(file.path, sessionOf(call));
  if (!open.ok) return failure(open.problems, file.shown);
  return { exit: 0, json: { success: true, ...open.value }, text: openText(open.value) };
};

export const judge: Run = async (call) => {
  const file = stateFileOf(call);
  const scores = readTextFile(call.io, required(call.text("scores"), "scores"));
  return done(await recordScores(file.path, sessionOf(call), scores), file.shown, "the judge's words are kept");
};

export const interrupt: Run = async (call) => {
  const file = stateFileOf(call);
  const text = "the session's agents are to end; redirect, then enter again";
  return done(await interruptSession(file.path, sessionOf(call)), file.shown, text);
};

function done(result: Result<object>, shown: string, text: string): Answer {
  return result.ok ? { exit: 0, json: { success: true }, text } : failure(result.problems, shown);
}

/** Claude Code names its process to what it starts; other clients do not. */
function clientOf(call: Call): number | null {
  const pid = Number(call.io.env["CLAUDE_PID"]);
  return Number.isInteger(pid) && pid > 0 ? pid : null;
}

/** The client names its session in the environment of what it starts. */
function sessionOf(call: Call): string {
  const session = call.text("session") ?? call.io.env["CODEX_SESSION_ID"];
  if (session === undefined || session === "")
    throw new Unusable("no session is named", "run it inside Claude Code or Codex, or name one with --session ID");
  return session;
}
