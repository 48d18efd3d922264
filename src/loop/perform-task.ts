/**
 * Performs one task of a hosted loop on any host, with the same performer as a loop in a single process.
 *
 * PERFORM-TASK-1 an attempt's work is pushed to a branch of its own before the attempt is reported, whatever its outcome
 *    (PORTS-1);
 * PERFORM-TASK-2 when the promise settles nothing of the task is running.
 */
import type { Event } from "../core/event.ts";
import type { Mark } from "../core/journal.ts";
import type { Loop } from "../core/loop.ts";
import { judge } from "../core/verdict.ts";
import type { UntimedEvent } from "./effect-context.ts";
import { abortedEntry, type Delivered, type Report, type Task } from "./hosted-loop.ts";
import { createPerformer, type CallLimits, type Ports } from "./perform.ts";

/** Ports and limits for one task; closed after it. */
export interface TaskPlace {
  readonly ports: Ports;
  readonly limits: CallLimits;
  /** Pushes what the attempt did to a branch of its own; null: it changed nothing. @throws RunReplaced */
  deliver(attempt: Extract<Task["effect"], { type: "start_attempt" }>["attempt"]): Promise<Delivered | null>;
  close(): Promise<void>;
}

/** @throws whatever a port threw (a defect, or an unreachable remote): the task has to be begun again */
export async function performTask(
  task: Task,
  loop: Loop,
  { place, signal }: { readonly place: TaskPlace; readonly signal: AbortSignal },
): Promise<Pick<Report, "entries" | "work">> {
  const entries: (UntimedEvent | Mark)[] = [];
  let broken: { readonly error: unknown } | null = null;
  const performer = createPerformer({
    ports: place.ports,
    limits: place.limits,
    stateNow: () => loop,
    send: (entry) => entries.push("event" in entry ? entry : stampless(entry)),
    fail: (error) => (broken ??= { error }),
  });
  const kill = (): void => performer.kill();
  performer.perform(task.effect);
  signal.addEventListener("abort", kill, { once: true });
  if (signal.aborted) kill();
  try {
    await performer.settled();
  } finally {
    signal.removeEventListener("abort", kill);
  }
  thrown(broken);
  if (task.effect.type !== "start_attempt") return { entries };
  const work = await place.deliver(task.effect.attempt);
  if (work === null) return { entries };
  if (!entries.some((entry) => "type" in entry && entry.type === "work_succeeded"))
    entries.push({ event: "note", message: `the work of ${task.id} is kept in ${work.branch}` });
  return { entries, work };
}

function thrown(broken: { readonly error: unknown } | null): void {
  if (broken !== null) throw broken.error;
}

function stampless(event: Event): UntimedEvent {
  const { at: _, ...rest } = event;
  return rest;
}

/** Run 0: the report of a task that may not be begun since it was aborted or is over. */
export function abortedReport(task: Task): Report {
  return { task: task.id, run: 0, entries: [abortedEntry(task)] };
}

/**
 * The event for a task that no worker could perform, however often it was begun. That says nothing against the work, so the
 * loop stops as `agent_unavailable`. Null: the task changes the integration branch and must be retried for ever.
 */
export function unavailableEntry({ effect }: Task, loop: Loop, reason: string): UntimedEvent | null {
  switch (effect.type) {
    case "start_attempt":
      return { type: "agent_unavailable", attempt: effect.attempt.id, reason };
    case "check_base_case": {
      const verdict = judge(loop.state.objective.base_case, () => undefined);
      return { type: "base_case_checked", verdict, commit: null, unavailable: reason };
    }
    case "replan":
      return { type: "replanned", atoms: [], reason, unavailable: reason };
    case "ask_planner":
      return { type: "advised", atom: effect.atom, advice: null, reason, unavailable: reason };
    case "integrate":
    case "revert":
      return null;
  }
}
