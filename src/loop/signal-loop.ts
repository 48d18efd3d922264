/** Applies a person's requests to a hosted loop (SPEC sections 8 and 13). Pure, as hosted-loop.ts. */
import { applyRedirect, lessonsIn } from "../core/apply-redirect.ts";
import { lineOfFact } from "../core/journal.ts";
import { spentBy, withLessons, withState } from "../core/loop.ts";
import { describeProblems, type Problem } from "../core/problem.ts";
import type { Redirect } from "../core/redirect.ts";
import { sayRedirected } from "../core/touched.ts";
import type { Answer, Signal } from "./engine.ts";
import { abortTasks, apply, resume, unchanged, type HostedLoop, type Move, type TaskEffect } from "./hosted-loop.ts";
import { readSignal } from "./read-request.ts";

const SIGNALS_KEPT = 1_000;

/** HOSTED-LOOP-3. @param sent a signal that was not validated yet */
export function signalLoop(hosted: HostedLoop, sent: unknown, at: string): Move<Answer> {
  const read = readSignal(sent);
  if (!read.ok) return unchanged(hosted, refusalOf(read.problems));
  const signal = read.value;
  const known = hosted.signals.find((heard) => (typeof heard === "string" ? heard : heard.id) === signal.id);
  if (typeof known === "string")
    return unchanged(hosted, { ok: true, message: "that was already asked for", repeated: true });
  if (known !== undefined) return unchanged(hosted, known.answer);
  const move = answerSignal(hosted, signal, at);
  const heard = move.answer.ok ? signal.id : { id: signal.id, answer: move.answer };
  return { ...move, hosted: { ...move.hosted, signals: [...hosted.signals, heard].slice(-SIGNALS_KEPT) } };
}

function answerSignal(hosted: HostedLoop, signal: Signal, at: string): Move<Answer> {
  if (signal.kind === "hand_back") return handBack(hosted);
  if (hosted.handed_back === true)
    return refuseSignal(hosted, "its project took the loop back", "go on there: `aot run`, or `aot submit` again");
  if (signal.kind === "resume" || signal.kind === "approve") return takeUp(hosted, signal.kind, at);
  if (signal.kind === "redirect") return redirect(hosted, signal.redirect, at);
  if (hosted.loop.run.halted !== null)
    return refuseSignal(hosted, `the loop has halted: ${hosted.loop.run.halted}`, "there is nothing to stop");
  const stopped = apply(hosted, [{ type: "stop_requested", reason: signal.reason }], at, {
    ok: true,
    message: "attempts in flight are finished, then the loop stops",
  } as const);
  return signal.kind === "stop" ? stopped : killed(stopped, at);
}

function killed(move: Move<Answer>, at: string): Move<Answer> {
  const orders = [...move.orders];
  const queue: Parameters<typeof apply>[1][number][] = [];
  const hosted = abortTasks(move.hosted, ({ effect }) => isAbortable(effect), orders, queue);
  const rest = apply(hosted, queue, at, {
    ok: true,
    message: "what is in flight is killed, and the loop stops",
  } as const);
  return { ...rest, orders: [...orders, ...rest.orders], lines: [...move.lines, ...rest.lines] };
}

function isAbortable({ type }: TaskEffect): boolean {
  return type === "start_attempt" || type === "check_base_case" || type === "replan" || type === "ask_planner";
}

function redirect(hosted: HostedLoop, request: Redirect, at: string): Move<Answer> {
  const { halted } = hosted.loop.run;
  if (halted === "verified") return refuseSignal(hosted, "the loop is completed", "start another one");
  if (halted !== null) return redirectHalted(hosted, request, at);
  const waits: Answer = { ok: true, message: "the loop is redirected once the work that is landing has landed" };
  const move = apply(hosted, [{ type: "redirect_requested", redirect: request }], at, waits);
  const reported = move.lines.find((line) => line.event === "redirected" || line.event === "redirect_refused");
  if (reported?.event === "redirect_refused")
    return { ...move, answer: { ok: false, message: reported.reason, hint: reported.problems[0]?.hint ?? "" } };
  if (reported?.event !== "redirected") return move;
  const message = sayRedirected(reported.description, reported.interrupted, reported.going_on);
  return { ...move, answer: { ok: true, message } };
}

/** A halted loop changes at once, and its next run starts from the result (SPEC section 8). */
function redirectHalted(hosted: HostedLoop, request: Redirect, at: string): Move<Answer> {
  const { loop } = hosted;
  const result = applyRedirect(loop.state, request, at, spentBy(loop));
  if (!result.ok) return unchanged(hosted, refusalOf(result.problems));
  const { state, facts, revert, description } = result.value;
  const { id } = loop.run;
  const lines = facts.map((fact) => lineOfFact(fact, at, id, state.control.iteration));
  const next = {
    ...hosted,
    loop: withLessons(withState(loop, state), lessonsIn(facts)),
    due: [...new Set([...hosted.due, ...revert])],
    lines: hosted.lines + lines.length,
  };
  return { hosted: next, orders: [], lines, answer: { ok: true, message: `${description}; resume the loop to go on` } };
}

function takeUp(hosted: HostedLoop, kind: "resume" | "approve", at: string): Move<Answer> {
  const { halted } = hosted.loop.run;
  if (halted === null) return refuseSignal(hosted, "the loop is running", "stop it first, or let it go on");
  if (halted === "verified") return refuseSignal(hosted, "the loop is completed", "start another one");
  if (kind === "approve" && halted !== "needs_confirmation")
    return refuseSignal(
      hosted,
      `nobody waits for a confirmation: the loop stopped as ${halted}`,
      "take it up again with resume",
    );
  return resume(hosted, kind, at);
}

function handBack(hosted: HostedLoop): Move<Answer> {
  if (hosted.loop.run.halted === null) return refuseSignal(hosted, "the loop is running", "stop it first");
  return unchanged({ ...hosted, handed_back: true }, { ok: true, message: "the loop is its project's" });
}

function refusalOf(problems: readonly Problem[]): Answer {
  return { ok: false, message: describeProblems(problems), hint: problems[0]?.hint ?? "" };
}

function refuseSignal(hosted: HostedLoop, message: string, hint: string): Move<Answer> {
  return unchanged(hosted, { ok: false, message, hint });
}

export function noLoop(name: string): Answer {
  return { ok: false, message: `there is no loop named ${name}`, hint: "`aot loops` lists those that there are" };
}
