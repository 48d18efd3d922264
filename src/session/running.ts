/**
 * The loop's agents that a client runs in the background (SPEC sections 5 and 10). A client in a terminal runs all of them
 * there: the coordinator's turn ends while its workers work, and each result wakes it.
 */
import { BASE_CASE, type Memory } from "../core/event.ts";
import { graphOf } from "../core/graph.ts";
import { refused } from "../core/problem.ts";
import type { State } from "../core/state.ts";
import { at } from "../core/vec.ts";
import type { StartAttempt } from "../core/session.ts";
import type { SessionOwner } from "../project/session-owner.ts";
import { readRecord, writeRecord, type RunningAgent, type SessionRecord } from "../project/session-record.ts";

/** One attempt, as its coordinator is told of it. */
export interface WorkItem {
  readonly atom: string;
  readonly role: "worker" | "probe";
  readonly attempt: string;
  readonly description: string;
  /** Why its last attempt failed; absent: it is the first. */
  readonly failed?: string;
}

export function workItems(state: State, attempts: readonly StartAttempt[]): readonly WorkItem[] {
  const graph = graphOf(state);
  return attempts.map(({ attempt, nogoods }) => {
    const index = graph.indexOf.get(attempt.atom);
    const description = index === undefined ? "" : at(state.atoms, index).description;
    const failed = nogoods.findLast((nogood) => nogood.attempt !== BASE_CASE)?.reason;
    const item = { atom: attempt.atom, role: attempt.role, attempt: attempt.id, description };
    return failed === undefined ? item : { ...item, failed };
  });
}

/** What a client says when one of its agents stops. */
interface AgentStop {
  /** Id of the sub-agent that stops; null: the main thread. */
  readonly agent: string | null;
  /** Undefined: it does not say. */
  readonly running?: readonly RunningAgent[];
}

/** Records which agents the client says run in the background. @returns the record as it is then */
export function noteRunning(file: string, record: SessionRecord | null, { running }: AgentStop): SessionRecord | null {
  if (record === null || running === undefined || isSame(record.running, running)) return record;
  const noted = { ...record, running };
  writeRecord(file, noted);
  return noted;
}

function isSame(one: readonly RunningAgent[], other: readonly RunningAgent[]): boolean {
  return one.length === other.length && one.every(({ id }, at) => id === other[at]?.id);
}

/** Whether an agent that this coordinator waits for runs in the background. */
export function othersRun({ agent, running = [] }: AgentStop): boolean {
  return running.some(({ id, role }) => id !== agent && role !== "coordinator");
}

/** Attempts that an agent was started for and that have no answer yet. */
export function unanswered(state: State, record: SessionRecord, probed: Memory["probed"]): readonly WorkItem[] {
  const open = record.work.filter(
    ({ attempt: { id, atom, role } }) =>
      Object.hasOwn(record.launched, id) && isWorked(state, atom) && !(role === "probe" && Object.hasOwn(probed, atom)),
  );
  return workItems(state, open);
}

/** Whether an attempt on this atom is open. */
export function isWorked(state: State, atom: string): boolean {
  const index = graphOf(state).indexOf.get(atom);
  return index !== undefined && at(state.atoms, index).status === "in_progress";
}

/** Entered again while its agents still run in the background, a session would put two on one atom. Null: none runs. */
export function runningRefusal(
  file: string,
  { session, standing }: SessionOwner,
  iteration: number,
): ReturnType<typeof refused> | null {
  const running = standing === "cut_off" ? [] : (readRecord(file, session)?.running ?? []);
  if (running.length === 0) return null;
  const roles = running.map(({ role }) => role).join(", ");
  return refused(
    `this session's agents work the loop in the background, iteration ${iteration} (${roles})`,
    "wait until they end: the client says so; `aot stop` stops the loop after this iteration; if they were stopped by hand, `aot session enter --take-over` goes on without them",
  );
}
