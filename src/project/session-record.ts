/**
 * What binds a client's session to a loop, beside `control.session_id`: three small files in the loop's own folder.
 *
 * The *mark* is one line, `1 PHASE SESSION`, for the hooks' quick front, which must answer without starting a program.
 * It is no copy of the state but a superset of it: written before the state says that the session owns the loop, removed
 * after the state says that it does not. So a mark that outlived its loop costs time, and a loop that is owned has one.
 *
 * The *record* holds what the session was handed. It decides nothing about fuel, which is in the state and the journal;
 * a record that is missing or damaged is a blank one.
 */
import { basename, dirname, join } from "node:path";
import { forgetCopied, keepCopy } from "../adapters/store/kept-copy.ts";
import type { StartAttempt } from "../core/session.ts";
import type { State } from "../core/state.ts";
import { refused, type Refused, type Result } from "../core/problem.ts";
import { ownName } from "../host/atomic-write.ts";
import { acquireLockSync } from "../host/lock.ts";
import { DEFAULT_STATE_FILE, loopPaths } from "../host/loop-paths.ts";
import { makeOwnFolder, removeOwnFile, writeOwnFile } from "../host/own-file.ts";
import { readOwnFile } from "../host/regular-file.ts";

/** `agent`: a sub-agent coordinates. `main`: the session's main thread does, where sub-agents cannot start others. */
export type SessionMode = "agent" | "main";

/** A sub-agent of the loop that the client runs in the background. */
export interface RunningAgent {
  readonly id: string;
  readonly role: "coordinator" | "worker" | "probe" | "verifier";
}

export interface SessionRecord {
  readonly session: string;
  /** Name of this stretch of work in the journal. */
  readonly run: string;
  readonly mode: SessionMode;
  /** Identity of the client's process (host/liveness.ts); null: it named none. */
  readonly client: string | null;
  /** The client has ended its turn without its coordinator's stop: nobody works the loop. */
  readonly left: boolean;
  /** The sub-agent that coordinates now; null: none has started yet, or the main thread. */
  readonly coordinator: string | null;
  /** Sub-agents that coordinated before the loop was entered anew: they have no say any more. */
  readonly former: readonly string[];
  /** The iteration that `work` belongs to. */
  readonly iteration: number;
  readonly work: readonly StartAttempt[];
  /** Attempts that an agent was started for, each with the digest of its instruction: by that its answer is recognised. */
  readonly launched: Readonly<Record<string, string>>;
  /** Attempts whose agent was asked once more for an answer that can be read. */
  readonly asked_again: readonly string[];
  /** Sub-agents that run in the background, as the client last said. A terminal runs all of them there. */
  readonly running: readonly RunningAgent[];
  /** Whether a judge was asked for since the iteration began. */
  readonly judge_asked: boolean;
  /** What the judge said since then, as for `aot verify --scores`. */
  readonly scores: string | null;
  /** The stop that was answered last, and with what. */
  readonly answered: { readonly stop: string; readonly answer: unknown; readonly times: number } | null;
  /** How the loop halted, until the session's main thread has stopped once more: then the person reads it. */
  readonly halted: unknown;
}

export interface SessionFiles {
  readonly mark: string;
  readonly record: string;
  readonly lock: string;
}

export function sessionFiles(stateFile: string): SessionFiles {
  const { dir } = loopPaths(stateFile);
  return { mark: join(dir, "session"), record: join(dir, "session.json"), lock: join(dir, "session.lock") };
}

/** Null: there is none that can be read, or it is another session's. */
export function readRecord(stateFile: string, session: string): SessionRecord | null {
  try {
    const value = JSON.parse(readOwnFile(sessionFiles(stateFile).record) ?? "null") as Partial<SessionRecord> | null;
    if (value === null || value.session !== session || typeof value.run !== "string") return null;
    return { ...blankRecord(session, value.run, "agent"), ...value };
  } catch {
    return null;
  }
}

/**
 * The stretch of work in the journal that this process types for, as the session that works the loop started it: its
 * coordinator, that is. A human in the session redirects. Null: somebody else.
 */
export function ownRunOf(stateFile: string, { control }: State, base: NodeJS.ProcessEnv = process.env): string | null {
  const session = base["CLAUDE_CODE_SESSION_ID"] ?? base["CODEX_SESSION_ID"];
  if (session === undefined || control.status !== "running" || control.session_id !== session) return null;
  return readRecord(ownName(stateFile), session)?.run ?? null;
}

/** Number of the attempt on this atom that the session which owns the loop was handed last; null: none. */
export function handedOutAttempt(stateFile: string, atom: string): number | null {
  const file = ownName(stateFile);
  const session = markedSession(file);
  const record = session === null ? null : readRecord(file, session);
  return record?.work.find(({ attempt }) => attempt.atom === atom)?.attempt.number ?? null;
}

export function blankRecord(session: string, run: string, mode: SessionMode): SessionRecord {
  return {
    session,
    run,
    mode,
    client: null,
    left: false,
    coordinator: null,
    former: [],
    iteration: 0,
    work: [],
    launched: {},
    asked_again: [],
    running: [],
    judge_asked: false,
    scores: null,
    answered: null,
    halted: null,
  };
}

export function writeRecord(stateFile: string, record: SessionRecord): void {
  const { record: file } = sessionFiles(stateFile);
  writeOwnFile(file, `${JSON.stringify(record)}\n`, { durable: false });
  keepCopy(stateFile, false);
}

/** `interrupted`: the loop's agents are to end, for a redirect; `halted`: person and model have yet to read how it ended. */
type SessionPhase = "run" | "interrupted" | "halted";

export function writeMark(stateFile: string, session: string, phase: SessionPhase): Result<null> {
  const { mark } = sessionFiles(stateFile);
  const written = writeOwnFile(mark, `1 ${phase} ${session}\n`);
  keepCopy(stateFile, false);
  return written.ok ? { ok: true, value: null } : refused(written.message, written.hint);
}

/** Null: there is none. */
export function markOf(stateFile: string): readonly [session: string, phase: SessionPhase] | null {
  const [version, phase, session] = (readOwnFile(sessionFiles(stateFile).mark) ?? "").trim().split(" ");
  return version === "1" && session !== undefined ? [session, phase as SessionPhase] : null;
}

/** The session that the mark names; null: there is none. */
export const markedSession = (stateFile: string): string | null => markOf(stateFile)?.[0] ?? null;

/** Lets the loop go. */
export function unbind(stateFile: string): void {
  const { mark, record } = sessionFiles(stateFile);
  for (const file of [record, mark]) removeOwnFile(file);
  forgetCopied(stateFile, [record, mark]);
}

/** Why a session cannot own the loop of this file; null: it can. The hooks look in the default place only. */
export function placeRefusal(stateFile: string): Refused | null {
  const [own, folder] = [ownName(stateFile), ownName(dirname(stateFile))];
  if (own !== join(folder, basename(stateFile)))
    return refused(
      `${stateFile} is a link to ${own}, and a session's hooks look for the loop beside the link`,
      "make the folder `.claude` a link and not the file, or work it with `aot run`",
    );
  if (
    basename(stateFile) === basename(DEFAULT_STATE_FILE) &&
    basename(dirname(stateFile)) === dirname(DEFAULT_STATE_FILE)
  )
    return null;
  return refused(
    `a session works only a loop in ${DEFAULT_STATE_FILE}, not in ${stateFile}`,
    "work this one with `aot run --state-file FILE`",
  );
}

/** How long one hook waits for another, in milliseconds. */
const LOCK_WAIT_MS = 20_000;

/**
 * One at a time: hooks of parallel tool calls run side by side.
 * @param timeout_ms how long to wait; whoever asks for a decision waits for the one that is being made
 */
export async function withSessionLock<T>(
  stateFile: string,
  what: string,
  work: () => Promise<T>,
  timeout_ms: number = LOCK_WAIT_MS,
): Promise<Result<T>> {
  const { lock: file } = sessionFiles(ownName(stateFile));
  try {
    makeOwnFolder(dirname(file));
  } catch (error) {
    return refused(error instanceof Error ? error.message : String(error), "make the loop's folder writable");
  }
  const lock = acquireLockSync(file, { what, timeout_ms, lasting: true });
  if (!lock.ok) return refused(lock.message, lock.hint);
  try {
    return { ok: true, value: await work() };
  } finally {
    lock.release();
  }
}
