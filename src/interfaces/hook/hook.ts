/**
 * `aot hook EVENT` (SPEC section 10): the client tells an event as JSON on stdin, the answer is JSON on stdout.
 *
 * HOOK-1 only the session that owns a running loop is held to it: no other session, nobody where the state is absent,
 *    invalid or finished, no agent of an empty or foreign type;
 * HOOK-2 if an event or the state cannot be read, the action passes, with a note on stderr; a hook crashes no session;
 * HOOK-3 what follows a stop is decided in `session/session.ts`; here it is only reported.
 */
import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { takeAnswer } from "../../session/answers.ts";
import { endSessionIteration, haltedIn } from "../../session/session.ts";
import { adoptCoordinator, launchAttempt, openWork, recordRunning } from "../../session/work.ts";
import { markedSession, readRecord, type RunningAgent } from "../../project/session-record.ts";
import { problemsText } from "../../command/problem-text.ts";
import { readStateFile } from "../../adapters/store/state-file.ts";
import { describeProblems } from "../../core/problem.ts";
import type { State } from "../../core/state.ts";
import { leavesOf, runsCommand } from "../../core/verdict.ts";
import { personDecides } from "./decision.ts";
import { guard, isFormer, scopeOf } from "./guard.ts";
import { asText, roleOf, startedInBackground, type BackgroundAgent, type HookInput } from "./hook-input.ts";
import { isToBeAsked, permissionFor } from "./permission.ts";
import { brokenReply, type HookReply } from "./reply.ts";
import { answerText, openText, verifierPrompt, withBrief } from "./session-text.ts";
import { agentTranscript, taskIn } from "./transcript.ts";
import { weakClientWarning } from "./weak-client.ts";

const NOTHING: HookReply = {};

/** How long a verification may take inside a hook: less than the hook's own time limit (hooks.json). */
export const VERIFY_MS = 55 * 60_000;

type Environment = Readonly<Record<string, string | undefined>>;

/** Answers one event. Never rejects for what files or the client hold. */
export async function answerHook(input: HookInput, stateFile: string, env: Environment = {}): Promise<HookReply> {
  switch (input.event) {
    case "SessionStart":
      return sessionStart(input, stateFile, env);
    case "SubagentStart":
      return subagentStart(input, stateFile);
    case "SubagentStop":
    case "Stop":
    case "StopFailure":
    case "SessionEnd":
      return stopped(input, stateFile);
    case "PreToolUse":
      return preToolUse(input, stateFile, env);
    case "PostToolUse":
      return postToolUse(input, stateFile);
    case "UserPromptSubmit":
      return halted(input, stateFile);
    case "PermissionRequest":
      return permissionRequest(input, stateFile);
    default:
      return { note: `there is nothing to do at ${input.event === "" ? "an event without a name" : input.event}` };
  }
}

async function stopped(input: HookInput, stateFile: string): Promise<HookReply> {
  const role = input.event === "SubagentStop" ? roleOf(input.agent?.type ?? "") : "coordinator";
  if (role === "worker" || role === "probe") {
    const { again, ...reply } = await answered(input, stateFile, input.lastMessage);
    return again == null ? reply : { json: { decision: "block", reason: `AoT loop: ${again}` } };
  }
  if (role !== "coordinator") return NOTHING;
  // A sub-agent that failed decides nothing: the main thread is told of it, and its own stop comes later.
  if (input.event !== "SubagentStop" && input.agent !== null) return NOTHING;
  const broken = input.event === "StopFailure" || input.event === "SessionEnd";
  const running = input.background?.flatMap(ownAgent);
  const stop = { session: input.session, agent: input.agent?.id ?? null, fingerprint: fingerprintOf(input), broken };
  const answer = await endSessionIteration(
    stateFile,
    running === undefined ? stop : { ...stop, running },
    AbortSignal.timeout(VERIFY_MS),
  );
  if (answer.kind === "untouched") return answer.why === undefined ? NOTHING : brokenReply(input.event, answer.why);
  const text = answerText(answer);
  if (answer.kind === "work" || answer.kind === "judge") return { json: { decision: "block", reason: text } };
  return { json: { systemMessage: text } };
}

/** Reads and keeps the answer of a worker or a probe. `again`: what to ask it once more. */
async function answered(
  input: HookInput,
  stateFile: string,
  answer: string,
): Promise<HookReply & { readonly again?: string | null }> {
  const task = taskIn(agentTranscript(input));
  // Its task is not known, or it has answered with a tool already and the client reports no last message.
  if (task === null || (answer === "" && !input.lastMessageReported && input.event === "SubagentStop")) return NOTHING;
  const taken = await takeAnswer(stateFile, { session: input.session, task, answer });
  return taken.ok ? taken.value : { note: describeProblems(taken.problems) };
}

/** Tells the session's model how its loop ended: what its coordinator says of that is no evidence (SESSION-5). */
function halted({ event: hookEventName, agent, session }: HookInput, stateFile: string): HookReply {
  const end = agent === null ? haltedIn(stateFile, session) : null;
  if (end === null) return NOTHING;
  const additionalContext = `${answerText(end)} This is the hook's own verdict: tell the user this, whatever an agent says.`;
  return { json: { hookSpecificOutput: { hookEventName, additionalContext } } };
}

function ownAgent({ id, type }: BackgroundAgent): readonly RunningAgent[] {
  const role = roleOf(type);
  return role === null ? [] : [{ id, role }];
}

/** Says how the loop halted; else records an agent of the loop that was started in the background. */
async function postToolUse(input: HookInput, stateFile: string): Promise<HookReply> {
  const end = halted(input, stateFile);
  if (end !== NOTHING) return end;
  const started = startedInBackground(input);
  const [agent] = started === null ? [] : ownAgent(started);
  if (agent === undefined) return NOTHING;
  if ((await ownLoop(input, stateFile)).state === null) return NOTHING;
  const noted = await recordRunning(stateFile, input.session, agent);
  return noted.ok ? NOTHING : { note: describeProblems(noted.problems) };
}

/** Equal for two reports of one stop, different for an agent's next stop: its transcript has grown by then. */
function fingerprintOf({ session, agent, stopHookActive, lastMessage, transcript }: HookInput): string {
  let size = -1;
  try {
    if (transcript !== null) ({ size } = statSync(transcript));
  } catch {
    // Without its size every report is taken for a new stop: none is mistaken for a repetition.
  }
  const seen = [session, agent?.id, stopHookActive, lastMessage, size < 0 ? process.hrtime.bigint().toString() : size];
  return createHash("sha256").update(JSON.stringify(seen)).digest("hex").slice(0, 32);
}

async function subagentStart(input: HookInput, stateFile: string): Promise<HookReply> {
  if (input.agent === null || roleOf(input.agent.type) !== "coordinator") return NOTHING;
  if ((await ownLoop(input, stateFile)).state === null) return NOTHING;
  const adopted = await adoptCoordinator(stateFile, input.session, input.agent.id);
  return adopted.ok ? NOTHING : { note: describeProblems(adopted.problems) };
}

/** HOOK-1: the state, if this session owns it and it is running. */
async function ownLoop(
  input: HookInput,
  stateFile: string,
): Promise<{ readonly state: State | null; readonly note?: string }> {
  if (markedSession(stateFile) !== input.session) return { state: null };
  const read = await readStateFile(stateFile);
  if (!read.ok) return { state: null, note: describeProblems(read.problems) };
  const { state } = read.value;
  const { control } = state;
  return { state: control.status === "running" && control.session_id === input.session ? state : null };
}

async function preToolUse(input: HookInput, stateFile: string, env: Environment): Promise<HookReply> {
  const { state, note } = await ownLoop(input, stateFile);
  if (state === null) return note === undefined ? NOTHING : { note };
  if (input.tool === HAND_BACK_TOOL) return handingBack(input, stateFile, state);
  if (isFormer(input, stateFile)) return denied("another coordinator works this loop: stop here");
  if (state.control.redirect_requested && input.agent !== null)
    return denied("the loop is being redirected: stop now, what you found is discarded");
  const why = guard(input, scopeOf(stateFile));
  if (why !== null) return denied(why);
  if (isToBeAsked(input, scopeOf(stateFile)))
    return { json: personDecides(input, env, `what a ${roleOf(input.agent?.type ?? "")} runs besides looking`, HINT) };
  return input.tool === "Agent" || input.tool === "Task" ? starting(input, stateFile, state) : NOTHING;
}

const HINT =
  "Look with `cat`, `grep`, `find`, `git diff` and `aot verify`, and say in your report what you would have to run.";

/** The tool with which a sub-agent ends its run and reports, in Claude Code's auto mode. */
const HAND_BACK_TOOL = "SubagentHandback";

/** A coordinator's one report is taken for the loop's end, so it must not come earlier; a worker's is its answer. */
async function handingBack(input: HookInput, stateFile: string, { control }: State): Promise<HookReply> {
  const role = roleOf(input.agent?.type ?? "");
  if (role === "worker" || role === "probe") {
    const { again, ...reply } = await answered(input, stateFile, asText(input.toolInput["message"]));
    return again == null ? reply : denied(again);
  }
  if (role !== "coordinator" || control.redirect_requested || isFormer(input, stateFile)) return NOTHING;
  return denied(
    "the loop is not over. End your turn without handing back: the hook then judges the iteration, hands out the next one or ends the loop; hand back when it has ended",
  );
}

/** A sub-agent of the loop starts with the loop's own instruction, in the foreground where the client can. */
async function starting(input: HookInput, stateFile: string, state: State): Promise<HookReply> {
  const role = roleOf(asText(input.toolInput["subagent_type"]));
  const by = input.agent === null ? null : roleOf(input.agent.type);
  if (role === null)
    return by === "coordinator" ? denied("the coordinator starts aot-loop:worker, :probe and :verifier only") : NOTHING;
  const foreground = { ...input.toolInput, run_in_background: false };
  if (role === "coordinator") {
    if (input.agent !== null) return denied("a coordinator is started by the session's main thread");
    const open = await openWork(stateFile, input.session);
    if (!open.ok) return denied(describeProblems(open.problems));
    return rewritten({ ...foreground, prompt: withBrief(openText(open.value), state.objective) });
  }
  if (role === "verifier") return rewritten({ ...foreground, prompt: verifierPrompt(state.objective) });
  const launch = { session: input.session, by: input.agent?.id ?? null, role };
  const launched = await launchAttempt(stateFile, { ...launch, description: asText(input.toolInput["description"]) });
  if (!launched.ok) return denied(launched.problems.map(({ message, hint }) => `${message}: ${hint ?? ""}`).join("; "));
  return rewritten({ ...foreground, prompt: launched.value.prompt });
}

async function permissionRequest(input: HookInput, stateFile: string): Promise<HookReply> {
  if (input.agent === null || roleOf(input.agent.type) === null) return NOTHING;
  const { state, note } = await ownLoop(input, stateFile);
  if (state === null) return note === undefined ? NOTHING : { note };
  const scope = scopeOf(stateFile);
  const why = guard(input, scope);
  const agreed = leavesOf(state.objective.base_case).flatMap(({ check }) => (runsCommand(check) ? [check.value] : []));
  if (why === null && permissionFor(input, scope, agreed) === null) return NOTHING;
  const decision = why === null ? { behavior: "allow" } : { behavior: "deny", message: `AoT loop: ${why}` };
  return { json: { hookSpecificOutput: { hookEventName: "PermissionRequest", decision } } };
}

/** What a session is told when its conversation was summarised: it may no longer know what it has started. */
async function compacted({ session, agent }: HookInput, stateFile: string): Promise<string | null> {
  const record = readRecord(stateFile, session);
  if (record === null) return null;
  if (record.mode === "agent" && agent === null)
    return "This session works it, with a coordinator of its own: start no other one, you get a notice when it has ended. ";
  const open = await openWork(stateFile, session);
  return open.ok ? `You coordinate it. ${openText(open.value)}` : null;
}

async function sessionStart(input: HookInput, stateFile: string, env: Environment): Promise<HookReply> {
  const { loopStatus } = await import("../../status/loop-status.ts");
  const found = await loopStatus(stateFile);
  if (!found.ok)
    return found.problems.some(({ code }) => code === "file_missing")
      ? NOTHING
      : brokenReply(input.event, `the loop here cannot be read: ${problemsText(found.problems, stateFile)}`);
  const { state, measure, resolved, runner, session: owner } = found.value;
  const { status, iteration, stop_reason } = state.control;
  if (status === "completed") return NOTHING;
  // A client that has just begun has no coordinator: its session's ended with the client before it.
  const standing = owner?.session === input.session && input.source !== "compact" ? "gone" : owner?.standing;
  const who = runner !== null ? ` by aot run, pid ${runner.pid}` : owner === null ? "" : ` by session ${owner.session}`;
  const next =
    runner !== null
      ? "`aot status` shows it"
      : standing === "at_work" || standing === "untold"
        ? "That session works it; `/aot-loop:run` is refused as long as it does"
        : status === "running"
          ? "It was cut off and nobody works it: `/aot-loop:run` or `aot run` goes on"
          : "`/aot-loop:run` takes it up";
  const own = input.source === "compact" && owner?.session === input.session && runner === null;
  const told = own ? await compacted(input, stateFile) : null;
  const additionalContext = [
    `An AoT loop is open here: ${JSON.stringify(state.objective.goal)}.`,
    `It is ${status}${status === "running" ? who : ""}${stop_reason === null ? "" : ` (${stop_reason})`}, iteration ${iteration} of at most ${state.objective.constraints.max_iterations}, ${resolved} atoms resolved, ${measure} unresolved.`,
    told ?? `${next}. This is information, no task: do nothing about it unless you are asked.`,
  ].join(" ");
  const systemMessage = weakClientWarning(input, env);
  const hookSpecificOutput = { hookEventName: "SessionStart", additionalContext };
  return { json: { ...(systemMessage === null ? {} : { systemMessage }), hookSpecificOutput } };
}

function denied(why: string): HookReply {
  const hookSpecificOutput = {
    hookEventName: "PreToolUse",
    permissionDecision: "deny",
    permissionDecisionReason: `AoT loop: ${why}`,
  };
  return { json: { hookSpecificOutput } };
}

function rewritten(updatedInput: object): HookReply {
  return { json: { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow", updatedInput } } };
}
