/**
 * Working a loop in a client's session (SPEC section 10): taking it up, and the decision when its coordinator stops.
 *
 * SESSION-1 a stop is answered once: the same stop reported again (two hooks, a client that asks twice) gets the same
 *    answer, and a sub-agent that is not the coordinator gets none;
 * SESSION-2 the state file is written before an answer is given, and only if it still is what the decision was made on;
 * SESSION-3 the loop is completed by a verdict computed here, whatever the coordinator or the file says;
 * SESSION-4 nothing is decided while an agent that the coordinator started runs in the background: a client that runs
 *    agents there ends the coordinator's turn while they work, and wakes it with each result. An agent that has ended without
 *    an answer (answers.ts) has failed;
 * SESSION-5 how the loop halted reaches the person and the model, whatever a coordinator says: its sub-agent's own end is
 *    shown to neither, so that it is kept until the session's main thread stops.
 */
import { editStateFile, readStateFile } from "../adapters/store/state-file.ts";
import { hideOwnFiles } from "../adapters/workspace/clean-tree.ts";
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
  /** Nothing of this concerns the loop. `why`: something a person should know. */
  | { readonly kind: "untouched"; readonly why?: string };

export interface Judged {
  readonly movement: string;
  readonly before: number;
  readonly measure: number;
  readonly stall_count: number;
  /** The limit of `stall_count`. */
  readonly max_stall_count: number;
  /** Atoms that were handed out and are not resolved: by their ids. */
  readonly unresolved: readonly string[];
  readonly advice?: string;
}

/** A coordinator's stop, as the client tells it. */
export interface SessionStop {
  readonly session: string;
  /** Id of the sub-agent; null: the main thread. */
  readonly agent: string | null;
  /** Tells this stop from the next one of the same agent. */
  readonly print: string;
  /** The loop's agents that run in the background, the one that stops included; undefined: the client does not say. */
  readonly running?: readonly RunningAgent[];
  /** Its turn is over without a word, as the model service failed or the session ended: nothing is decided. */
  readonly broken?: boolean;
}

/** A session that wants the loop. */
export interface Entering {
  readonly session: string;
  readonly mode: SessionMode;
  /** Process id of its client, where that is known: whether it still lives decides whether somebody else may go on. */
  readonly client?: number;
  /** A human's decision: even from another session that is running. */
  readonly take_over?: boolean;
}

/**
 * A session takes the loop up: a new one, a halted one (a person's resume) or one that a session or run left behind.
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
    const { state: stands } = entry.document;
    const owner = sessionOwnerOf(file, stands);
    // One client has one session at a time: begun anew in it, nobody is left in the one before.
    const left = owner !== null && owner.pid !== null && owner.pid === client;
    const own = owner !== null && (owner.session === session || left);
    const owned =
      owner === null || take_over === true
        ? null
        : own
          ? runningRefusal(file, owner, stands.control.iteration)
          : ownerRefusal(
              owner,
              stands.control.iteration,
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
    const before = markedSession(file);
    const marked = writeMark(file, session, "run");
    if (!marked.ok) return marked;
    const project = projectOf(stateFile);
    await hideOwnFiles(file);
    const { text } = entry.document;
    const done = await carryOut(file, { text, state: entry.state, step, record, signal, project });
    if (done.ok) return done;
    // Whoever owned it before still does.
    if (before === null) unbind(file);
    else writeMark(file, before, "run");
    return done;
  });
  return held.ok ? held.value : held;
}

/** The decision when a session's coordinator stops (SPEC section 4). Never rejects for what the files hold. */
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

/** The decision may be a long verification. */
const DECISION_WAIT_MS = 60 * 60_000;
/** How often one stop is answered alike: a client that asks for ever must not be answered for ever. */
const MOST_REPEATS = 8;
/** How often the decision is made anew because the file was changed meanwhile. */
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

/** SESSION-5. */
function reported(file: string, { halted }: SessionRecord, { agent, broken }: SessionStop): SessionAnswer {
  if (agent !== null || broken === true) return untouched();
  unbind(file);
  return halted as SessionAnswer;
}

/** How the loop of this session halted, for its model; null: it has not, or the person has read it. */
export function haltedIn(stateFile: string, session: string): Extract<SessionAnswer, { kind: "halted" }> | null {
  return (readRecord(ownName(stateFile), session)?.halted ?? null) as Extract<SessionAnswer, { kind: "halted" }> | null;
}

/**
 * Where the main thread stops and no agent of the loop runs in the background, its coordinator has ended. One that is the
 * main thread itself is cut off where its turn broke.
 */
function isCutOff(file: string, { control }: State, record: SessionRecord, stop: SessionStop): boolean {
  const own = control.session_id === stop.session && control.status === "running" && runnerOf(file) === null;
  const ended = record.mode === "agent" || stop.broken === true;
  return own && !record.left && ended && stop.agent === null && record.running.length === 0;
}

/** Why a stop changes nothing; null: it is the coordinator's of the session that owns this loop. */
function whyForeign(
  file: string,
  { control }: State,
  record: SessionRecord | null,
  stop: SessionStop,
): SessionAnswer | null {
  if (control.session_id !== stop.session) return untouched();
  if (runnerOf(file) !== null) return untouched("a run works this loop now: the session's coordinator has no say");
  // Said by an agent's `aot`, not decided: the decision is made all the same, and tells how it ended.
  const said = control.status === "completed" || control.outcome === "or_group_exhausted";
  if (control.status !== "running" && !(said && record !== null)) {
    if (markedSession(file) === stop.session) unbind(file);
    return untouched();
  }
  // Without its record only an agent that is the coordinator by its type can be recognised.
  if (record === null) return stop.agent === null ? untouched() : null;
  if (record.mode !== modeOf(stop)) return untouched();
  if (stop.agent !== null && record.former.includes(stop.agent)) return untouched("another coordinator has taken over");
  if (record.coordinator !== null && record.coordinator !== stop.agent)
    return untouched("another coordinator has taken over");
  return null;
}

/** A run took the loop up since: what became of it is that run's, even if it is over. */
function takenOver(file: string): SessionAnswer {
  unbind(file);
  return untouched("the loop was taken up by a run since; this session has no say any more");
}

function modeOf(stop: SessionStop): SessionMode {
  return stop.agent === null ? "main" : "agent";
}

/** SESSION-1. */
function repeated(record: SessionRecord, state: State, stop: SessionStop): SessionRecord["answered"] {
  const { answered } = record;
  if (answered === null || answered.stop !== stop.print || answered.times >= MOST_REPEATS) return null;
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
  /** By the name that the client has for the loop: the file may lie behind a link. */
  readonly project: string;
  readonly stop?: SessionStop;
}

/** Verifies where the step asks for it, writes, journals, and answers. Refused: the file was changed meanwhile, or cannot be written. */
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
  const answered = stop === undefined ? null : { stop: stop.print, answer, times: 1 };
  writeRecord(file, { ...record, work, answered });
  return answer;
}

/** SESSION-2. */
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
