/** What a session's sub-agents get and when they may start (SPEC sections 5, 7 and 10). */
import { createHash } from "node:crypto";
import { readStateFile } from "../adapters/store/state-file.ts";
import { createScoresJudge } from "../adapters/judge/scores-judge.ts";
import { bindingsFor, boardOf } from "../core/view.ts";
import { graphOf } from "../core/graph.ts";
import { accepted, refused, type Result } from "../core/problem.ts";
import type { StartAttempt } from "../core/session.ts";
import type { State } from "../core/state.ts";
import { at } from "../core/vec.ts";
import { leavesOf } from "../core/verdict.ts";
import { attemptLimits, probePrompt, workerPrompt, type WorkBrief } from "../loop/prompt.ts";
import { isoNow } from "../host/clock.ts";
import { projectOf } from "../project/find-state-file.ts";
import { placeFacts } from "../project/place-facts.ts";
import { appendByHand, editLoop } from "../edit/edit-loop.ts";
import { judgedItems } from "./check.ts";
import { lookBack } from "./journal.ts";
import { unanswered, workItems, type WorkItem } from "./running.ts";
import {
  markedSession,
  readRecord,
  withSessionLock,
  writeMark,
  writeRecord,
  type RunningAgent,
  type SessionRecord,
} from "../project/session-record.ts";
import { ownName } from "../host/atomic-write.ts";

/** A sub-agent that is about to start. */
export interface Launch {
  readonly session: string;
  /** Id of the sub-agent that starts it; null: the main thread. */
  readonly by: string | null;
  readonly role: "worker" | "probe";
  /** Given by the starter; begins with the atom's id. */
  readonly description: string;
}

/**
 * Lets one agent start on an atom that was handed out. @returns its prompt
 * Refused: it was not handed out, was started already, or the loop is to stop.
 */
export async function launchAttempt(stateFile: string, launch: Launch): Promise<Result<{ readonly prompt: string }>> {
  const facts = await placeFacts(projectOf(stateFile), {});
  return onRecord(stateFile, launch.session, "starting an agent", (state, record) => {
    const halting = whyNoMore(state, record, launch);
    if (halting !== null) return halting;
    const open = notStarted(record);
    const found = open.find(({ attempt }) => isNamed(attempt.atom, launch.description));
    if (found === undefined)
      return refused(
        `${JSON.stringify(launch.description)} names no attempt that is open in iteration ${record.iteration}`,
        open.length === 0
          ? "every attempt of this iteration was started: end your turn; the next iteration is opened when they have ended"
          : `begin the description with the id of one of these: ${open.map(({ attempt }) => attempt.atom).join(", ")}`,
      );
    if (found.attempt.role !== launch.role)
      return refused(`${found.attempt.atom} is for a ${found.attempt.role}, not a ${launch.role}`, "start that agent");
    const { probed } = lookBack(ownName(stateFile), record.run).context.memory;
    const prompt = promptFor(state, found, { facts, probed });
    return accepted({
      answer: { prompt },
      record: { ...record, launched: { ...record.launched, [found.attempt.id]: digestOf(prompt) } },
    });
  });
}

/** Kept for the prompt that an agent was started with: when it answers, its prompt says which attempt it was for. */
export function digestOf(prompt: string): string {
  return createHash("sha256").update(prompt).digest("hex").slice(0, 32);
}

/** Whether a description begins with this atom's id, and not with a longer one. */
function isNamed(atom: string, description: string): boolean {
  const text = description.trimStart();
  return text.startsWith(atom) && !/^[\w-]|^\.\w/.test(text.slice(atom.length));
}

function whyNoMore(state: State, record: SessionRecord, launch: Launch): ReturnType<typeof refused> | null {
  const { control } = state;
  if (control.status !== "running") return refused(`the loop is ${control.status}`, "stop here");
  if (control.redirect_requested)
    return refused("the loop is being redirected", "stop here; what was found is discarded");
  if (control.stop_requested) return refused("the loop was asked to stop", "report what is finished, then stop");
  if (record.iteration !== control.iteration)
    return refused(`iteration ${record.iteration} is over`, "stop, and take the work that is handed out then");
  if (record.coordinator !== null && record.coordinator !== launch.by)
    return refused("another coordinator works this loop", "stop here");
  return null;
}

function promptFor(
  state: State,
  { attempt, nogoods, findings }: StartAttempt,
  known: Pick<WorkBrief, "facts" | "probed">,
): string {
  const graph = graphOf(state);
  const index = graph.indexOf.get(attempt.atom) ?? 0;
  const working = state.atoms.filter(({ id, status }) => status === "in_progress" && id !== attempt.atom);
  const brief = {
    objective: state.objective,
    ...known,
    in_session: true as const,
    peers: { working, open: Math.max(0, boardOf(state).view.measure - working.length - 1) },
    atom: at(state.atoms, index),
    bindings: bindingsFor(state, graph, index),
    nogoods,
    ...(findings === undefined ? {} : { findings }),
    limits: attemptLimits(attempt.number, state.objective.constraints.max_attempts_per_atom ?? Infinity),
  };
  return attempt.role === "probe" ? probePrompt(brief) : workerPrompt(brief);
}

/** Records a sub-agent that was started in the background: until it ends, the loop is not entered again. */
export function recordRunning(stateFile: string, session: string, agent: RunningAgent): Promise<Result<object>> {
  return onRecord(stateFile, session, "an agent in the background", (_, record) => {
    const others = record.running.filter(({ id }) => id !== agent.id);
    return accepted({ answer: {}, record: { ...record, running: [...others, agent] } });
  });
}

/** What is left of an iteration, for its coordinator. */
export interface OpenWork {
  readonly iteration: number;
  /** No agent was started for these. */
  readonly work: readonly WorkItem[];
  /** An agent was started for these, and has not answered. */
  readonly started: readonly WorkItem[];
  /** Items of the base case that need a judge first. */
  readonly judge: readonly string[];
}

/** A coordinator started: from now on its stops count, and no earlier one's. */
export function adoptCoordinator(stateFile: string, session: string, agent: string): Promise<Result<object>> {
  return onRecord(stateFile, session, "a new coordinator", (_, record) =>
    record.former.includes(agent)
      ? refused("the loop was entered anew since: this coordinator has no say any more", "stop here")
      : accepted({ answer: {}, record: { ...record, coordinator: agent, left: false } }),
  );
}

export async function openWork(stateFile: string, session: string): Promise<Result<OpenWork>> {
  const read = await readStateFile(stateFile);
  if (!read.ok) return read;
  const record = readRecord(ownName(stateFile), session);
  if (record === null) return refused("this session works no loop", "take it up with /aot-loop:run");
  const { state } = read.value;
  const { probed } = lookBack(ownName(stateFile), record.run).context.memory;
  return accepted({
    iteration: record.iteration,
    work: workItems(state, notStarted(record)),
    started: unanswered(state, record, probed),
    judge: record.judge_asked ? judgedItems(state.objective.base_case) : [],
  });
}

function notStarted({ work, launched }: SessionRecord): readonly StartAttempt[] {
  return work.filter(({ attempt }) => !Object.hasOwn(launched, attempt.id));
}

/** Keeps what the session's judge said, for the verification at the end of the iteration. */
export function recordScores(stateFile: string, session: string, scores: string): Promise<Result<object>> {
  return onRecord(stateFile, session, "a judge's scores", (state, record) => {
    const judge = createScoresJudge(scores, leavesOf(state.objective.base_case));
    return judge.ok ? accepted({ answer: {}, record: { ...record, scores } }) : judge;
  });
}

/** A probe's findings: the worker that comes next gets them. */
export async function recordFindings(
  stateFile: string,
  session: string,
  atom: string,
  findings: string,
): Promise<Result<object>> {
  const file = ownName(stateFile);
  const known = readRecord(file, session);
  const probe = known?.work.find(({ attempt }) => attempt.atom === atom && attempt.role === "probe")?.attempt;
  if (known === null || probe === undefined || !Object.hasOwn(known.launched, probe.id))
    return refused(
      `no probe of ${atom} was started in this iteration`,
      "see what is handed out with `aot session work`",
    );
  const line = { time: isoNow(), run: known.run, iteration: probe.iteration, event: "probe_feasible", atom };
  const notes = appendByHand(file, [{ ...line, attempt: probe.id, findings }]);
  return notes.length === 0 ? accepted({}) : refused(notes.join("; "), "make the loop's folder writable");
}

/** A redirect begins: the session's agents are to end, and what they found is discarded. */
export async function interruptSession(stateFile: string, session: string): Promise<Result<object>> {
  const file = ownName(stateFile);
  if (markedSession(file) !== session) return refused("this session works no loop", "redirect it with `aot redirect`");
  const edited = await editLoop(file, "interrupt", (state) =>
    state.control.status === "running" && state.control.session_id === session
      ? accepted({ state: { ...state, control: { ...state.control, redirect_requested: true } }, facts: [] })
      : refused(
          `the loop is ${state.control.status}`,
          "there is nothing to interrupt: redirect it with `aot redirect`",
        ),
  );
  if (!edited.ok) return edited;
  return writeMark(file, session, "interrupted") as Result<object>;
}

async function onRecord<T>(
  stateFile: string,
  session: string,
  what: string,
  change: (state: State, record: SessionRecord) => Result<{ readonly answer: T; readonly record: SessionRecord }>,
): Promise<Result<T>> {
  const file = ownName(stateFile);
  const held = await withSessionLock(file, what, async (): Promise<Result<T>> => {
    const read = await readStateFile(file);
    if (!read.ok) return read;
    const record = readRecord(file, session);
    if (record === null || read.value.state.control.session_id !== session)
      return refused("this session works no loop", "take it up with /aot-loop:run");
    const done = change(read.value.state, record);
    if (!done.ok) return done;
    writeRecord(file, done.value.record);
    return accepted(done.value.answer);
  });
  return held.ok ? held.value : held;
}
