/**
 * A loop worked in a client's session (SPEC section 10): entering it, and what is decided when its coordinator stops.
 *
 * SESSION-1 a stop is decided once: reported again (by two hooks, or a client that asks twice) it gets the same answer.
 *    A sub-agent that is not the coordinator gets none;
 * SESSION-2 the state file is written before an answer is given, and only if its text is still the one decided on;
 * SESSION-3 only a verdict computed here completes the loop, whatever the coordinator or the state file says;
 * SESSION-4 nothing is decided while agents that the coordinator started run in the background: the client ends the
 *    coordinator's turn while they work, and wakes it with each result. An agent that ended without an answer
 *    (answers.ts) has failed;
 * SESSION-5 person and model are told how the loop halted, whatever a coordinator says. A client shows them nothing of
 *    a sub-agent's stop, so the outcome is kept until the session's main thread stops.
 */
import { editStateFile, readStateFile } from "../adapters/store/state-file.ts";
import { hideOwnFiles } from "../adapters/workspace/own-files.ts";
import { runnerOf } from "../adapters/store/run-lock.ts";
import { accepted, describeProblems, refused, type Result } from "../core/problem.ts";
import { endIteration, enterSession, type SessionStep } from "../core/session.ts";
import type { Outcome, State } from "../core/state.ts";
import { isoNow } from "../host/clock.ts";
import { processIdentity } from "../host/liveness.ts";
import { failAtomIn } from "../edit/atoms.ts";
import { runnerRefusal } from "../edit/edit-loop.ts";
import { projectOf } from "../project/find-state-file.ts";
import { enter } from "../project/run-entry.ts";
import { judgedItems, settleCheck } from "./check.ts";
import { isSessionRun, journalSteps, lookBack, runName } from "./journal.ts";
import { sessionOwnerOf, ownerRefusal } from "../project/session-owner.ts";
import {
  blankRecord,
  markedSession,
  markOf,
  placeRefusal,
  readRecord,
  unbind,
  withSessionLock,
  writeMark,
  writeRecord,
  type RunningAgent,
  type SessionMode,
  type SessionRecord,
} from "../project/session-record.ts";
import { ownName } from "../host/atomic-write.ts";
import { whyUnread } from "./unread.ts";
import { noteRunning, othersRun, runningRefusal, unanswered, workItems, type WorkItem } from "./running.ts";

export type SessionAnswer =
  | {
      readonly kind: "work";
      readonly iteration: number;
      readonly work: readonly WorkItem[];
      /** How the last iteration was judged; absent at the first. */
      readonly judged?: Judged;
      /** Leaves of the base case that fail: why there is new work. */
      readonly failing: readonly string[];
      /** What earlier plans came to; empty: nothing to tell. */
      readonly plans: string;
    }
  /** Everything is resolved; these items of the base case need a judge first. */
  | { readonly kind: "judge"; readonly items: readonly string[] }
  | { readonly kind: "halted"; readonly outcome: Outcome; readonly message: string; readonly judged?: Judged }
  /** The session's turn ended without its coordinator's stop: the loop is open and nobody works it. Reported once. */
  | { readonly kind: "cut_off"; readonly iteration: number }
  /** A redirect is under way: the coordinator may go. */
  | { readonly kind: "interrupted" }
  /** The stop changes nothing. `why`: what a person should know of it. */
  | { readonly kind: "untouched"; readonly why?: string };

export interface Judged {
  readonly movement: string;
  readonly before: number;
  readonly measure: number;
  readonly stall_count: number;
  /** The limit of `stall_count`. */
  readonly max_stall_count: number;
  /** Ids of the atoms that were handed out and are not resolved. */
  readonly unresolved: readonly string[];
  readonly advice?: string;
}

/** A coordinator's stop, as the client tells it. */
export interface SessionStop {
  readonly session: string;
  /** Id of the sub-agent; null: the main thread. */
  readonly agent: string | null;
  /** Tells this stop from the next one of the same agent. */
  readonly fingerprint: string;
  /** The loop's agents in the background, including the one that stops; undefined: the client does not say. */
  readonly running?: readonly RunningAgent[];
  /** The turn was cut short (the model service failed, or the session ended): no iteration is judged. */
  readonly broken?: boolean;
}

/** A session that wants the loop. */
export interface Entering {
  readonly session: string;
  readonly mode: SessionMode;
  /** Process id of its client, where that is known: while it lives, no other session may enter. */
  readonly client?: number;
  /** A person's decision: takes the loop even from a session that still works it. */
  readonly take_over?: boolean;
}

/**
 * Starts work on a loop in a session: a new loop, a halted one (a person's resume), or one whose session or run ended.
 * @returns what to do first; refused while a run or another session works it
 */
export async function enterLoop(
  stateFile: string,
  { session, mode, client, take_over }: Entering,
  signal: AbortSignal,
): Promise<Result<SessionAnswer>> {
  const misplaced = placeRefusal(stateFile) ?? sessionNameRefusal(session);
  if (misplaced !== null) return misplaced;
  const file = ownName(stateFile);
  const held = await withSessionLock(file, "entering the loop", async (): Promise<Result<SessionAnswer>> => {
    const busy = runnerRefusal(file);
    if (busy !== null) return busy;
    const entry = await enter({ stateFile: file, restart: false });
    if (!entry.ok) return entry;
    const { state: stored } = entry.document;
    const owner = sessionOwnerOf(file, stored);
    // A client runs one session at a time: an owner of the same process is an earlier session, which has ended.
    const left = owner !== null && owner.pid !== null && owner.pid === client;
    const own = owner !== null && (owner.session === session || left);
    const owned =
      owner === null || take_over === true
        ? null
        : own
          ? runningRefusal(file, owner, stored.control.iteration)
          : ownerRefusal(
              owner,
              stored.control.iteration,
              "`aot session enter --take-over` takes the loop over and discards what its agents do",
            );
    if (owned !== null) return owned;
    const run = runName(session, isoNow());
    const step = enterSession(entry.state, session, entry.from, { run, memory: entry.known.memory, now: isoNow() });
    const known = client === undefined ? null : processIdentity(client);
    const earlier = readRecord(file, session);
    const former =
      earlier === null ? [] : [...earlier.former, ...(earlier.coordinator === null ? [] : [earlier.coordinator])];
    const record = { ...blankRecord(session, run, mode), client: known, former };
    const before = markOf(file);
    const marked = writeMark(file, session, "run");
    if (!marked.ok) return marked;
    const project = projectOf(stateFile);
    await hideOwnFiles(file);
    const { text } = entry.document;
    const done = await carryOut(file, { text, state: entry.state, step, record, signal, project });
    if (done.ok) return done;
    // Nothing was entered: the loop stays with its earlier owner, and how it ended is still to be told.
    if (before === null) unbind(file);
    else writeMark(file, ...before);
    return done;
  });
  return held.ok ? held.value : held;
}

/** Decides what follows a coordinator's stop (SPEC section 4). Never rejects for what the files hold. */
export async function endSessionIteration(
  stateFile: string,
  stop: SessionStop,
  signal: AbortSignal,
): Promise<SessionAnswer> {
  const file = ownName(stateFile);
  const held = await withSessionLock(
    file,
    "the end of an iteration",
    () => decided(file, projectOf(stateFile), stop, signal),
    DECISION_WAIT_MS,
  );
  return held.ok ? held.value : untouched(describeProblems(held.problems));
}

/** How long a stop waits for the one before it, whose decision may be a long verification. */
const DECISION_WAIT_MS = 60 * 60_000;
/** Equal answers to one stop; one more report is decided as a new stop, so that repeating for ever ends. */
const MOST_REPEATS = 8;
/** Tries of one decision: the state file may be changed while it is made. */
const MOST_TRIES = 3;

async function decided(file: string, project: string, stop: SessionStop, signal: AbortSignal): Promise<SessionAnswer> {
  for (let tries = 0; ; tries++) {
    const read = await readStateFile(file);
    if (!read.ok) return untouched(whyUnread(file, read.problems));
    const { state, text } = read.value;
    const known = noteRunning(file, readRecord(file, stop.session), stop);
    if (known?.halted != null) return reported(file, known, stop);
    if (known !== null && isCutOff(file, state, known, stop)) {
      writeRecord(file, { ...known, left: true });
      return { kind: "cut_off", iteration: state.control.iteration };
    }
    if (stop.broken === true) return untouched();
    const foreign = whyForeign(file, state, known, stop);
    if (foreign !== null) return foreign;
    const record = known ?? {
      ...blankRecord(stop.session, runName(stop.session, isoNow()), modeOf(stop)),
      judge_asked: true,
    };
    const again = repeated(record, state, stop);
    if (again !== null) return repeat(file, record, again);
    if (othersRun(stop)) return untouched();
    const owned = { ...record, coordinator: stop.agent, left: false };
    const { context, worker } = lookBack(file, owned.run);
    if (worker !== owned.run && !(known === null && isSessionRun(worker))) return takenOver(file);
    const silent = state.control.redirect_requested ? [] : unanswered(state, owned, context.memory.probed);
    for (const { atom } of silent) {
      const failed = await failAtomIn(file, atom, "its agent ended without an answer");
      if (!failed.ok) return untouched(describeProblems(failed.problems));
    }
    if (silent.length > 0) continue;
    const step = endIteration(state, context);
    const done = await carryOut(file, { text, state, step, record: owned, signal, project, stop });
    if (done.ok) return done.value;
    if (tries + 1 >= MOST_TRIES || signal.aborted) return untouched(describeProblems(done.problems));
  }
}

/** SESSION-5: the main thread is told once, and its session lets the loop go. */
function reported(file: string, { halted }: SessionRecord, { agent, broken }: SessionStop): SessionAnswer {
  if (agent !== null || broken === true) return untouched();
  unbind(file);
  return halted as SessionAnswer;
}

/** How this session's loop halted, for its model; null: it has not, or the person was told already. */
export function haltedIn(stateFile: string, session: string): Extract<SessionAnswer, { kind: "halted" }> | null {
  return (readRecord(ownName(stateFile), session)?.halted ?? null) as Extract<SessionAnswer, { kind: "halted" }> | null;
}

/**
 * Whether the coordinator ended without a decision. A sub-agent has if the main thread stops while no agent of the loop runs
 * in the background; a main thread that coordinates by itself has if its turn was cut short.
 */
function isCutOff(file: string, { control }: State, record: SessionRecord, stop: SessionStop): boolean {
  const own = control.session_id === stop.session && control.status === "running" && runnerOf(file) === null;
  const ended = record.mode === "agent" || stop.broken === true;
  return own && !record.left && ended && stop.agent === null && record.running.length === 0;
}

/** Why a stop changes nothing; null: the coordinator of the session that owns this loop has stopped. */
function whyForeign(
  file: string,
  { control }: State,
  record: SessionRecord | null,
  stop: SessionStop,
): SessionAnswer | null {
  if (control.session_id !== stop.session) return untouched();
  if (runnerOf(file) !== null) return untouched("a run works this loop now: the session's coordinator has no say");
  // An agent may have written this with `aot`: it ends nothing (SESSION-3), and the stop is decided all the same.
  const said = control.status === "completed" || control.outcome === "or_group_exhausted";
  if (control.status !== "running" && !(said && record !== null)) {
    if (markedSession(file) === stop.session) unbind(file);
    return untouched();
  }
  // Without a record only a coordinator that is a sub-agent is recognised, by its agent type.
  if (record === null) return stop.agent === null ? untouched() : null;
  if (record.mode !== modeOf(stop)) return untouched();
  if (stop.agent !== null && record.former.includes(stop.agent)) return untouched("another coordinator has taken over");
  if (record.coordinator !== null && record.coordinator !== stop.agent)
    return untouched("another coordinator has taken over");
  return null;
}

/** A run has worked the loop since: what it left stands, even if it is over. */
function takenOver(file: string): SessionAnswer {
  unbind(file);
  return untouched("the loop was taken up by a run since; this session has no say any more");
}

function modeOf(stop: SessionStop): SessionMode {
  return stop.agent === null ? "main" : "agent";
}

/** What this same stop was answered before (SESSION-1); null: it is a new one. */
function repeated(record: SessionRecord, state: State, stop: SessionStop): SessionRecord["answered"] {
  const { answered } = record;
  if (answered === null || answered.stop !== stop.fingerprint || answered.times >= MOST_REPEATS) return null;
  return record.iteration === state.control.iteration ? answered : null;
}

function repeat(file: string, record: SessionRecord, answered: NonNullable<SessionRecord["answered"]>): SessionAnswer {
  writeRecord(file, { ...record, answered: { ...answered, times: answered.times + 1 } });
  return answered.answer as SessionAnswer;
}

interface Pending {
  /** The file's text that the step was made on. */
  readonly text: string;
  readonly state: State;
  readonly step: SessionStep;
  readonly record: SessionRecord;
  readonly signal: AbortSignal;
  /** The project's folder as the client names it: the state file may really lie elsewhere, behind a link. */
  readonly project: string;
  readonly stop?: SessionStop;
}

/** Verifies if the step asks for it, saves, journals, answers. Refused: the file was changed, or cannot be written. */
async function carryOut(file: string, pending: Pending): Promise<Result<SessionAnswer>> {
  const { record, signal, stop, project } = pending;
  if (pending.step.turn.kind === "interrupted") return accepted({ kind: "interrupted" });
  const items = judgedItems(pending.state.objective.base_case);
  if (pending.step.turn.kind === "verify" && items.length > 0 && !record.judge_asked) {
    const entering =
      stop === undefined ? await write(file, pending, [pending.step], pending.step.state) : accepted(null);
    if (!entering.ok) return entering;
    return accepted(
      remember(file, { ...record, judge_asked: true }, { kind: "judge", items }, { stop, work: record.work }),
    );
  }
  const settled = await settleCheck({ file, project }, pending.state, pending.step, { scores: record.scores, signal });
  if (!settled.ok) return settled;
  const { steps, last, failing, plans } = settled.value;
  const written = await write(file, pending, steps, last.state);
  if (!written.ok) return written;
  const judged = judgementIn(steps, last.state, record.work);
  const { turn } = last;
  if (turn.kind === "halt") {
    const halted: SessionAnswer = { kind: "halted", outcome: turn.outcome, message: turn.message, ...judged };
    const marked = stop?.agent == null ? null : writeMark(file, record.session, "halted");
    if (marked?.ok === true) writeRecord(file, { ...blankRecord(record.session, record.run, record.mode), halted });
    else unbind(file);
    return accepted(halted);
  }
  if (turn.kind !== "work") throw new Error(`a settled step is ${turn.kind}`);
  const { iteration, attempts } = turn;
  const work = workItems(last.state, attempts);
  const answer: SessionAnswer = { kind: "work", iteration, work, failing, plans, ...judged };
  const { client, coordinator, former, running } = record;
  const fresh = {
    ...blankRecord(record.session, record.run, record.mode),
    client,
    coordinator,
    former,
    running,
    iteration,
  };
  return accepted(remember(file, fresh, answer, { stop, work: attempts }));
}

function remember(
  file: string,
  record: SessionRecord,
  answer: SessionAnswer,
  { stop, work }: { readonly stop: SessionStop | undefined; readonly work: SessionRecord["work"] },
): SessionAnswer {
  const answered = stop === undefined ? null : { stop: stop.fingerprint, answer, times: 1 };
  writeRecord(file, { ...record, work, answered });
  return answer;
}

/** Saves and journals `next`; refused if the file's text is no longer the one decided on (SESSION-2). */
async function write(
  file: string,
  { text, record }: Pending,
  steps: readonly SessionStep[],
  next: State,
): Promise<Result<null>> {
  const edited = await editStateFile(
    file,
    (document) => {
      const busy = runnerRefusal(file);
      if (busy !== null) return busy;
      return document.text === text
        ? accepted(next)
        : refused("the state was changed while the decision was made", "it is made again");
    },
    { what: "a session's decision" },
  );
  if (!edited.ok) return edited;
  await journalSteps(file, record.run, next.control.iteration, steps);
  return accepted(null);
}

/** @param work what was handed out in the iteration that was judged */
function judgementIn(
  steps: readonly SessionStep[],
  { objective, atoms }: State,
  work: SessionRecord["work"],
): { readonly judged?: Judged } {
  const line = steps.flatMap(({ lines }) => lines).find((one) => one.event === "iteration_judged");
  if (line === undefined) return {};
  const open = new Set(atoms.flatMap(({ id, status }) => (status === "resolved" ? [] : [id])));
  const unresolved = work.flatMap(({ attempt: { atom } }) => (open.has(atom) ? [atom] : []));
  const { movement, before, measure, stall_count, advice } = line;
  const { max_stall_count } = objective.constraints;
  const judged = { movement, before, measure, stall_count, max_stall_count, unresolved };
  return { judged: advice === undefined ? judged : { ...judged, advice } };
}

function sessionNameRefusal(session: string): ReturnType<typeof refused> | null {
  if (/^[\w-]{1,128}$/.test(session)) return null;
  return refused(`${JSON.stringify(session)} is no session id`, "run it in the session, whose client names it");
}

function untouched(why?: string): SessionAnswer {
  return { kind: "untouched", ...(why === undefined ? {} : { why }) };
}
