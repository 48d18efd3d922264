/**
 * A loop as a durable engine hosts it (SPEC section 13): events in, orders out, all of it a function of what stands and
 * what came. Pure: the time comes in, and the engine does what is ordered.
 *
 * HOSTED-LOOP-1 every decision is `step`'s;
 * HOSTED-LOOP-2 of a task one result counts: the first that the engine hands over. Which run that is, the engine says
 *    and not the order of the claims, since the claim of a host that was given up can come after that of its successor.
 *    Any other result is refused and recorded;
 * HOSTED-LOOP-3 a signal counts once;
 * HOSTED-LOOP-4 a task that is begun again keeps its attempt: the death of a host buys no fuel and costs none;
 * HOSTED-LOOP-5 a task that nobody has begun is over when it is aborted: nobody has to be asked, and nothing is waited for.
 */
import type { Effect } from "../core/effect.ts";
import type { BackgroundCall, Memory } from "../core/event.ts";
import { checkInvariants } from "../core/invariants.ts";
import type { JournalLine, Mark } from "../core/journal-line.ts";
import { createLoop, type Loop, activeMs, type AtomMemory } from "../core/loop.ts";
import { describeProblems } from "../core/problem.ts";
import { moved } from "../core/step.ts";
import type { UntimedEvent } from "./effect-context.ts";
import type { Answer, LoopSpec, LoopTerms, LoopView, Refusal } from "./engine.ts";
import { idAt } from "../core/graph.ts";
/** Where the work of an attempt lies once it was delivered: never its content. */
export interface Delivered {
  readonly branch: string;
  readonly commit: string;
  /** Commit that the attempt started from. */
  readonly base: string;
}

export type TaskEffect = Extract<
  Effect,
  { type: "start_attempt" | "integrate" | "revert" | "check_base_case" | "replan" | "ask_planner" }
>;

export interface Task {
  readonly id: string;
  readonly effect: TaskEffect;
  /** To integrate: what was delivered; null: the attempt changed nothing. */
  readonly work?: Delivered | null;
}

interface OpenTask extends Task {
  /** The run begun last; 0: none was. */
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
  readonly signals: readonly string[];
  /** Atoms whose work a redirect of the halted loop gave up: taken out before the loop goes on. */
  readonly due: readonly string[];
  readonly refused: readonly Refusal[];
  readonly attempts: number;
  readonly reruns: number;
  /** Its project took it back: nobody takes it up here, and nothing of it is changed. */
  readonly handed_back?: true;
  /** Runs and tasks are counted in one row. */
  readonly count: number;
  readonly lines: number;
}

export type Order =
  /** Everything that changes the integration branch is done by one hand, in the order of these orders. */
  | { readonly type: "perform"; readonly task: Task; readonly serial: boolean }
  | { readonly type: "abort"; readonly task: string }
  | { readonly type: "wake_in"; readonly ms: number };

export interface Move<R> {
  readonly hosted: HostedLoop;
  readonly orders: readonly Order[];
  readonly lines: readonly JournalLine[];
  readonly answer: R;
}

/** What a worker has to tell of a task; the host puts its own time on it. */
export interface Report {
  readonly task: string;
  readonly run: number;
  readonly entries: readonly (UntimedEvent | Mark)[];
  readonly work?: Delivered;
}

export type Claim = { readonly ok: true; readonly run: number } | { readonly ok: false; readonly reason: string };

const REFUSALS_KEPT = 100;

/** Why a loop cannot be begun: an engine would find out at every event, and never answer. Null: it can. */
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
  return taken({ ...blank, count: 1 }, [event], at, { ok: true, message: `${name} is running` });
}

/** The duration budget's deadline passed. */
export function wakeLoop(hosted: HostedLoop, at: string): Move<null> {
  return taken(hosted, [{ type: "time_passed" }], at, null);
}

/** HOSTED-LOOP-2, HOSTED-LOOP-4: a worker begins a task, or begins it again after another one died over it. */
export function claimTask(
  hosted: HostedLoop,
  id: string,
  { worker, at }: { readonly worker: string; readonly at: string },
): Move<Claim> {
  const task = hosted.tasks.find((open) => open.id === id);
  if (task === undefined) return still(hosted, { ok: false, reason: `${id} is over` });
  if (task.aborted) return still(hosted, { ok: false, reason: `${id} was aborted` });
  const run = task.run + 1;
  const message = `${id} is begun again by ${worker} (run ${run}); ${task.worker ?? "nobody"} had begun it`;
  const again: readonly Mark[] = run > 1 ? [{ event: "note", message }] : [];
  const begun = { ...task, run, worker };
  const tasks = hosted.tasks.map((open) => (open === task ? begun : open));
  return taken({ ...hosted, tasks, reruns: hosted.reruns + again.length }, again, at, { ok: true, run });
}

/** HOSTED-LOOP-2: what became of a task. A run of 0 answers for who may not begin it, because it was aborted or is over. */
export function settleTask(hosted: HostedLoop, report: Report, at: string): Move<Answer> {
  const task = hosted.tasks.find((open) => open.id === report.task);
  if (task === undefined && report.run === 0) return still(hosted, { ok: true, message: "nothing was begun" });
  if (task === undefined) return refuseResult(hosted, report, "the task is over", at);
  if (report.run > task.run || (report.run === 0 && !task.aborted))
    return refuseResult(hosted, report, "it was never begun", at);
  const settled: HostedLoop = {
    ...hosted,
    tasks: hosted.tasks.filter((open) => open !== task),
    delivered: deliveredAfter(hosted.delivered, task, report),
  };
  return taken(settled, report.entries, at, { ok: true, message: "taken" });
}

/** A person takes up a loop that halted. */
export function goOn(hosted: HostedLoop, kind: "resume" | "approve", at: string): Move<Answer> {
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
  return taken({ ...hosted, count, due: [] }, [event], at, answer);
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
  return taken(kept, [{ event: "note", message }], at, { ok: false, message, hint: "nothing of it was integrated" });
}

export function still<R>(hosted: HostedLoop, answer: R): Move<R> {
  return { hosted, orders: [], lines: [], answer };
}

/** HOSTED-LOOP-1: every event goes through `step`, every effect becomes an order. */
export function taken<R>(
  hosted: HostedLoop,
  entries: readonly (UntimedEvent | Mark)[],
  at: string,
  answer: R,
): Move<R> {
  let now = hosted;
  const lines: JournalLine[] = [];
  const orders: Order[] = [];
  const queue = [...entries];
  // What is over at once (HOSTED-LOOP-5) comes behind what was reported.
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
    // A worker delivers whatever was done before it answers: what is not integrated is kept already (PORTS-1).
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

/** HOSTED-LOOP-5. @param queue gets what follows at once */
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

/** What is informed of a task that was aborted before anybody began it. */
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

/** @param engine its name */
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

/** What a loop has spent and learnt, for its next run: as its journal would tell it (SPEC section 4: never refunded). */
function memoryOfLoop(loop: Loop): Memory {
  const { run, view } = loop;
  const known: (readonly [string, AtomMemory])[] = [
    ...run.gone,
    ...run.memory.map((memory, index) => [idAt(view.graph, index), memory] as const),
  ];
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
