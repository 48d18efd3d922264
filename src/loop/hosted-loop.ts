/**
 * A loop as a durable engine hosts it (SPEC section 13): from the present state and an event follow the next state and orders
 * for the engine to carry out. Pure: the time is a parameter.
 *
 * HOSTED-LOOP-1 every decision is made by `step`;
 * HOSTED-LOOP-2 one result per task counts: the first that the engine delivers, whatever its run's number, since a host
 *    that was given up can claim the task later than its successor. Any other result is refused and recorded;
 * HOSTED-LOOP-3 a signal is decided once: one that is repeated is not applied again, nor one that was refused applied later;
 * HOSTED-LOOP-4 a task that is begun again remains the same attempt: the death of a host neither costs nor earns an attempt;
 * HOSTED-LOOP-5 aborting a task that nobody has begun ends it at once, without waiting for a worker.
 */
import type { Effect } from "../core/effect.ts";
import type { BackgroundCall, Memory } from "../core/event.ts";
import { checkInvariants } from "../core/invariants.ts";
import type { JournalLine, Mark } from "../core/journal-line.ts";
import { createLoop, type Loop, activeMs } from "../core/loop.ts";
import { describeProblems } from "../core/problem.ts";
import { moved } from "../core/step.ts";
import type { UntimedEvent } from "./effect-context.ts";
import type { Answer, LoopSpec, LoopTerms, LoopView, Refusal } from "./engine.ts";

/** Where the pushed work of an attempt is. The content itself never passes through the engine. */
export interface Delivered {
  readonly branch: string;
  readonly commit: string;
  /** The commit that the attempt started from. */
  readonly base: string;
}

export type TaskEffect = Extract<
  Effect,
  { type: "start_attempt" | "integrate" | "revert" | "check_base_case" | "replan" | "ask_planner" }
>;

export interface Task {
  readonly id: string;
  readonly effect: TaskEffect;
  /** Of an `integrate` task: the work; null: the attempt changed nothing. */
  readonly work?: Delivered | null;
}

interface OpenTask extends Task {
  /** Number of the latest run; 0: not begun. */
  readonly run: number;
  readonly worker: string | null;
  readonly aborted: boolean;
}

export interface HostedLoop {
  readonly name: string;
  readonly terms: LoopTerms;
  readonly loop: Loop;
  readonly tasks: readonly OpenTask[];
  readonly delivered: Readonly<Record<string, Delivered>>;
  /** The latest that were decided, oldest first: the id; of a refused one its answer, too (HOSTED-LOOP-3). */
  readonly signals: readonly (string | { readonly id: string; readonly answer: Answer })[];
  /** Atoms whose integrated work is reverted when the loop goes on: a redirect of the halted loop gave it up. */
  readonly due: readonly string[];
  readonly refused: readonly Refusal[];
  readonly attempts: number;
  readonly reruns: number;
  /** Returned to its project: the engine does not run or change it any more. */
  readonly handed_back?: true;
  /** Source of numbers for both run and task ids. */
  readonly count: number;
  readonly lines: number;
}

export type Order =
  /** `serial` tasks change the integration branch: one at a time, in the order of these orders. */
  | { readonly type: "perform"; readonly task: Task; readonly serial: boolean }
  | { readonly type: "abort"; readonly task: string }
  | { readonly type: "wake_in"; readonly ms: number };

export interface Move<R> {
  readonly hosted: HostedLoop;
  readonly orders: readonly Order[];
  readonly lines: readonly JournalLine[];
  readonly answer: R;
}

/** A worker's result of a task; the engine adds the time. */
export interface Report {
  readonly task: string;
  readonly run: number;
  readonly entries: readonly (UntimedEvent | Mark)[];
  readonly work?: Delivered;
}

export type Claim = { readonly ok: true; readonly run: number } | { readonly ok: false; readonly reason: string };

const REFUSALS_KEPT = 100;

/** Why a loop cannot be hosted: with an invalid state every event would fail. Null: it can. */
export function whyNotHosted({ state }: LoopSpec): Answer | null {
  const problems = checkInvariants(state);
  const [first] = problems;
  if (first === undefined) return null;
  const hint = first.hint ?? "`aot state validate` names what is wrong";
  return { ok: false, message: `the loop is not valid: ${describeProblems(problems)}`, hint };
}

export function hostLoop(name: string, spec: LoopSpec, at: string): Move<Answer> {
  const blank: HostedLoop = {
    name,
    terms: spec.terms,
    loop: createLoop(spec.state),
    tasks: [],
    delivered: {},
    signals: [],
    due: [],
    refused: [],
    attempts: 0,
    reruns: 0,
    count: 0,
    lines: 0,
  };
  const from = spec.state.control.status === "stopped" ? "halted" : "pending";
  const { memory, settings } = spec;
  const event: UntimedEvent = { type: "run_started", run: `${name}-1`, from, memory, settings };
  return apply({ ...blank, count: 1 }, [event], at, { ok: true, message: `${name} is running` });
}

/** To be called when a `wake_in` order is due. */
export function wakeLoop(hosted: HostedLoop, at: string): Move<null> {
  return apply(hosted, [{ type: "time_passed" }], at, null);
}

/** HOSTED-LOOP-4: a worker begins a task, or begins it again after another worker died. */
export function claimTask(
  hosted: HostedLoop,
  id: string,
  { worker, at }: { readonly worker: string; readonly at: string },
): Move<Claim> {
  const task = hosted.tasks.find((open) => open.id === id);
  if (task === undefined) return unchanged(hosted, { ok: false, reason: `${id} is over` });
  if (task.aborted) return unchanged(hosted, { ok: false, reason: `${id} was aborted` });
  const run = task.run + 1;
  const message = `${id} is begun again by ${worker} (run ${run}); ${task.worker ?? "nobody"} had begun it`;
  const again: readonly Mark[] = run > 1 ? [{ event: "note", message }] : [];
  const begun = { ...task, run, worker };
  const tasks = hosted.tasks.map((open) => (open === task ? begun : open));
  return apply({ ...hosted, tasks, reruns: hosted.reruns + again.length }, again, at, { ok: true, run });
}

/** HOSTED-LOOP-2: takes a task's result. Run 0 reports a task that was not begun since it was aborted or is over. */
export function settleTask(hosted: HostedLoop, report: Report, at: string): Move<Answer> {
  const task = hosted.tasks.find((open) => open.id === report.task);
  if (task === undefined && report.run === 0) return unchanged(hosted, { ok: true, message: "nothing was begun" });
  if (task === undefined) return refuseResult(hosted, report, "the task is over", at);
  if (report.run > task.run || (report.run === 0 && !task.aborted))
    return refuseResult(hosted, report, "it was never begun", at);
  const settled: HostedLoop = {
    ...hosted,
    tasks: hosted.tasks.filter((open) => open !== task),
    delivered: deliveredAfter(hosted.delivered, task, report),
  };
  return apply(settled, report.entries, at, { ok: true, message: "taken" });
}

/** A new run of a halted loop. */
export function resume(hosted: HostedLoop, kind: "resume" | "approve", at: string): Move<Answer> {
  const count = hosted.count + 1;
  const { settings } = hosted.loop.run;
  const event: UntimedEvent = {
    type: "run_started",
    run: `${hosted.name}-${count}`,
    from: "halted",
    memory: memoryOfLoop(hosted.loop),
    settings: kind === "approve" ? { ...settings, confirmed: true } : settings,
    ...(hosted.due.length > 0 ? { revert: hosted.due } : {}),
  };
  const answer: Answer = { ok: true, message: "the loop goes on" };
  return apply({ ...hosted, count, due: [] }, [event], at, answer);
}

function deliveredAfter(known: HostedLoop["delivered"], { effect }: OpenTask, report: Report): HostedLoop["delivered"] {
  if (effect.type === "start_attempt" && report.work !== undefined)
    return { ...known, [effect.attempt.id]: report.work };
  if (effect.type !== "integrate") return known;
  const { [effect.attempt.id]: _, ...rest } = known;
  return rest;
}

/** HOSTED-LOOP-2: records a result that does not count. */
export function refuseResult(
  hosted: HostedLoop,
  { task, run }: Pick<Report, "task" | "run">,
  reason: string,
  at: string,
): Move<Answer> {
  const refusal: Refusal = { task, run, at, reason };
  const kept = { ...hosted, refused: [...hosted.refused, refusal].slice(-REFUSALS_KEPT) };
  const message = `a late result of ${task} (run ${run}) is refused: ${reason}`;
  return apply(kept, [{ event: "note", message }], at, { ok: false, message, hint: "nothing of it was integrated" });
}

/** The answer to a request that changes nothing. */
export function unchanged<R>(hosted: HostedLoop, answer: R): Move<R> {
  return { hosted, orders: [], lines: [], answer };
}

/** HOSTED-LOOP-1: every event goes through `step`, every effect becomes an order. */
export function apply<R>(
  hosted: HostedLoop,
  entries: readonly (UntimedEvent | Mark)[],
  at: string,
  answer: R,
): Move<R> {
  let now = hosted;
  const lines: JournalLine[] = [];
  const orders: Order[] = [];
  const queue = [...entries];
  // The queue may grow while it is walked: aborted tasks are added to it (HOSTED-LOOP-5).
  for (const entry of queue) {
    const next = moved(now.loop, "event" in entry ? entry : { ...entry, at }, at);
    lines.push(...next.lines);
    now = { ...now, loop: next.loop };
    for (const effect of next.effects) now = ordered(now, effect, orders, queue);
  }
  return { hosted: { ...now, lines: now.lines + lines.length }, orders, lines, answer };
}

function ordered(hosted: HostedLoop, effect: Effect, orders: Order[], queue: (UntimedEvent | Mark)[]): HostedLoop {
  switch (effect.type) {
    case "wake_in":
      orders.push({ type: "wake_in", ms: effect.ms });
      return hosted;
    case "abort_attempt":
      return abortTasks(
        hosted,
        (task) => attemptOf(task) === effect.attempt.id && task.effect.type === "start_attempt",
        orders,
        queue,
      );
    case "abort_background":
      return abortTasks(hosted, (task) => callOf(task) === effect.call, orders, queue);
    // Workers push every attempt's work before they report (PORTS-1), so there is nothing left to shelve.
    case "shelve":
      return hosted;
    case "halt":
      return hosted;
    case "start_attempt":
    case "integrate":
    case "revert":
    case "check_base_case":
    case "replan":
    case "ask_planner":
      return perform(hosted, effect, orders);
  }
}

function callOf({ effect: { type } }: Task): BackgroundCall | null {
  if (type === "check_base_case") return "check";
  return type === "replan" || type === "ask_planner" ? "planner" : null;
}

function attemptOf({ effect }: Task): string | null {
  return "attempt" in effect ? effect.attempt.id : null;
}

/** HOSTED-LOOP-5. @param orders added to @param queue added to, with the events of tasks that end at once */
export function abortTasks(
  hosted: HostedLoop,
  isMeant: (task: OpenTask) => boolean,
  orders: Order[],
  queue: (UntimedEvent | Mark)[],
): HostedLoop {
  const tasks = hosted.tasks.flatMap((task) => {
    if (task.aborted || !isMeant(task)) return [task];
    if (task.run === 0) {
      queue.push(abortedEntry(task));
      return [];
    }
    orders.push({ type: "abort", task: task.id });
    return [{ ...task, aborted: true }];
  });
  return { ...hosted, tasks };
}

/** The event that ends a task aborted before anyone began it. */
export function abortedEntry({ effect }: Task): UntimedEvent {
  return effect.type === "start_attempt"
    ? { type: "attempt_aborted", attempt: effect.attempt.id }
    : { type: "background_aborted", call: effect.type === "check_base_case" ? "check" : "planner" };
}

function perform(hosted: HostedLoop, effect: TaskEffect, orders: Order[]): HostedLoop {
  const count = hosted.count + 1;
  const id = effect.type === "start_attempt" ? effect.attempt.id : `${effect.type}#${count}`;
  const work = effect.type === "integrate" ? { work: hosted.delivered[effect.attempt.id] ?? null } : {};
  const task: Task = { id, effect, ...work };
  orders.push({ type: "perform", task, serial: effect.type === "integrate" || effect.type === "revert" });
  return {
    ...hosted,
    count,
    attempts: hosted.attempts + (effect.type === "start_attempt" ? 1 : 0),
    tasks: [...hosted.tasks, { ...task, run: 0, worker: null, aborted: false }],
  };
}

export function viewOfHosted(hosted: HostedLoop, engine: string): LoopView {
  const { name, loop, attempts, reruns, refused, lines } = hosted;
  const working = hosted.tasks.map(({ id, worker, run }) => ({ task: id, worker, runs: run }));
  return {
    loop: name,
    engine,
    state: loop.state,
    attempts,
    cost_usd: loop.run.cost_usd,
    working,
    reruns,
    refused,
    lines,
  };
}

/** What a loop spent and learnt, for its next run: the same as folding its journal would give. */
function memoryOfLoop({ run }: Loop): Memory {
  const known = [...run.memory];
  return {
    cost_usd: run.cost_usd,
    ...(run.tokens > 0 ? { tokens: run.tokens } : {}),
    active_ms: activeMs(run),
    attempts: Object.fromEntries(known.filter(([, { attempts }]) => attempts > 0).map(([id, m]) => [id, m.attempts])),
    nogoods: known.flatMap(([, { nogoods }]) => nogoods),
    probed: Object.fromEntries(
      known.flatMap(([id, { findings }]) => (findings === undefined ? [] : [[id, findings] as const])),
    ),
    ...(run.answers.length > 0 ? { answers: run.answers } : {}),
    ...(run.settings.trust === undefined ? {} : { trust: run.settings.trust }),
    ...(run.plans.length > 0 ? { plans: run.plans } : {}),
  };
}
