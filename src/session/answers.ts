/**
 * Reads and applies the answers of a session's own agents (SPEC sections 7 and 10).
 *
 * SESSION-ANSWERS-1 code applies an agent's own answer when the agent ends, whatever its coordinator says of it;
 * SESSION-ANSWERS-2 an answer counts once, for the attempt that its agent was started for, while that is open and no
 *    redirect is being made;
 * SESSION-ANSWERS-3 an answer that cannot be read is asked for once more; if that one cannot be read, the attempt fails.
 */
import { readProbeAnswer, readWorkerAnswer } from "../loop/answers.ts";
import { describeProblems, refused, type Result } from "../core/problem.ts";
import { lastJsonObject } from "../core/json-object.ts";
import { decomposeAtomIn, failAtomIn, updateAtomIn } from "../edit/atoms.ts";
import { ownName } from "../host/atomic-write.ts";
import { readRecord, withSessionLock, writeRecord } from "../project/session-record.ts";
import { readStateFile } from "../adapters/store/state-file.ts";
import { isWorked } from "./running.ts";
import { digestOf, recordFindings } from "./work.ts";

/** One of the loop's agents that has ended. */
export interface Answered {
  readonly session: string;
  /** The instruction that it was started with, word for word. */
  readonly task: string;
  readonly answer: string;
}

/** @returns what to ask the agent once more; null: it may end. Refused: the answer could not be kept */
export async function takeAnswer(
  stateFile: string,
  { session, task, answer }: Answered,
): Promise<Result<{ readonly again: string | null }>> {
  const file = ownName(stateFile);
  const nothing = { ok: true, value: { again: null } } as const;
  const held = await withSessionLock(file, "an agent's answer", async () => {
    const read = await readStateFile(file);
    const record = readRecord(file, session);
    if (!read.ok || record === null) return nothing;
    const { session_id, redirect_requested } = read.value.state.control;
    if (session_id !== session || redirect_requested) return nothing;
    const digest = digestOf(task);
    const attempt = record.work.find(({ attempt: { id } }) => record.launched[id] === digest)?.attempt;
    if (attempt === undefined || !isWorked(read.value.state, attempt.atom)) return nothing;
    const taken = await apply(file, { ...attempt, session }, answer);
    if (taken.ok) return nothing;
    const why = describeProblems(taken.problems);
    if (record.asked_again.includes(attempt.id)) {
      const failed = await failAtomIn(file, attempt.atom, `its answer could not be read: ${why}`);
      return failed.ok ? nothing : failed;
    }
    writeRecord(file, { ...record, asked_again: [...record.asked_again, attempt.id] });
    return { ok: true, value: { again: `your answer cannot be read: ${why}. End with the one JSON object` } } as const;
  });
  return held.ok ? held.value : held;
}

interface OpenAttempt {
  readonly atom: string;
  readonly role: "worker" | "probe";
  readonly session: string;
}

/** Refused: the answer cannot be read, does not fit the atom, or could not be saved. */
async function apply(file: string, { atom, role, session }: OpenAttempt, answer: string): Promise<Result<object>> {
  const given = lastJsonObject(answer);
  if (given === undefined)
    return refused("it holds no JSON object", "answer with the one JSON object that was asked for");
  if (role === "probe") {
    const read = readProbeAnswer(given);
    if (!read.ok) return refused(read.problem, "answer as the schema says");
    const { feasible, findings, cost_estimate, done } = read.value;
    if (!feasible) return failAtomIn(file, atom, findings);
    if (done === true) return updateAtomIn(file, atom, "resolved", { summary: findings, artifacts: [] });
    const estimate = cost_estimate === undefined ? "" : `\nIts estimate of the effort: ${cost_estimate}`;
    return recordFindings(file, session, atom, `${findings}${estimate}`);
  }
  const read = readWorkerAnswer(given);
  if (!read.ok) return refused(read.problem, "answer as the schema says");
  if (read.value.kind === "split") return decomposeAtomIn(file, atom, read.value.children, read.value.reason);
  const { success, summary, artifacts } = read.value;
  return success ? updateAtomIn(file, atom, "resolved", { summary, artifacts }) : failAtomIn(file, atom, summary);
}
